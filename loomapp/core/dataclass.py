"""The decorator `dataclass` of every value here: as that of the standard library, for a twelfth of its time.

That one compiles six functions for each frozen class when the class is declared. A start declares some four
hundred of them and makes values of a third: it would take a fifth of a second longer. Here comparing, hashing
and showing values are plain functions, and a constructor is compiled for the first value of its class.

Two things are otherwise: there is no `InitVar`, and only the tests keep frozen values from being changed
(`guard_values`).
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

UNSAID = "(no words)"
KEPT, KEPT_ANYWAY = "self.{} = {}", "put(self, '{}', {})"  # lines of a constructor
_is_guarded = [False]  # set by `guard_values`


def guard_values() -> None:
    """Let values of frozen classes that are declared from now on refuse to be changed, as usual.

    The tests begin with this, so that each of them shows that nobody changes one.
    """
    _is_guarded[0] = True


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen=False, slots=False, eq=True, order=False):
        """Return a decorator that makes a dataclass; the type checker reads it as the usual one.

        That nobody changes a frozen value the type checker sees to, and every test. As the program runs
        nothing does: a constructor that has to get around that takes four times as long.
        """

        def decorate(cls):
            own = vars(cls).copy()
            cls.__doc__ = own["__doc__"] or UNSAID  # else one is made of its signature: half of all time
            is_guarded = frozen and _is_guarded[0]
            cls = dataclasses.dataclass(
                init=False, repr=False, eq=order, order=order, slots=slots, frozen=is_guarded
            )(cls)
            cls.__doc__ = own["__doc__"]
            if "__init__" not in own:
                cls.__init__ = _first_constructor(cls, KEPT_ANYWAY if is_guarded else KEPT)
            if "__repr__" not in own:
                cls.__repr__ = _representation
            if eq:
                _add_comparison(cls, own, frozen=frozen)
            return cls

        return decorate


def _first_constructor(cls: Any, keeping: str) -> Any:
    """Return a constructor for the first value, which puts the compiled one in its own place."""

    def first(self: Any, *values: Any, **named: Any) -> None:
        cls.__init__ = constructor = _constructor(cls, keeping)
        constructor(self, *values, **named)

    return first


def _constructor(cls: Any, keeping: str) -> Any:
    """Compile the function that takes the fields of a value, each kept by a line of the form `keeping`."""
    known: dict[str, Any] = {"MISSING": dataclasses.MISSING, "put": object.__setattr__}
    taken, kept = ["self"], []
    for each in sorted(dataclasses.fields(cls), key=attrgetter("kw_only")):
        name, default, factory = each.name, each.default, each.default_factory
        known[f"new_{name}"], known[f"default_{name}"] = factory, default
        if not each.init:
            if factory is not dataclasses.MISSING:
                kept.append(keeping.format(name, f"new_{name}()"))
            elif default is not dataclasses.MISSING:
                kept.append(keeping.format(name, f"default_{name}"))
            continue
        if each.kw_only and "*" not in taken:
            taken.append("*")
        if factory is not dataclasses.MISSING:
            taken.append(f"{name}=MISSING")
            kept.append(keeping.format(name, f"new_{name}() if {name} is MISSING else {name}"))
        else:
            taken.append(name if default is dataclasses.MISSING else f"{name}=default_{name}")
            kept.append(keeping.format(name, name))
    if hasattr(cls, "__post_init__"):
        kept.append("self.__post_init__()")
    body = "".join(f"\n    {line}" for line in kept or ["pass"])
    exec(f"def __init__({', '.join(taken)}):{body}", known)  # noqa: S102 - of nothing but names of fields
    constructor = known["__init__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    return constructor


@recursive_repr()
def _representation(self: Any) -> str:
    """Show a value with its fields, but those that are secret or long."""
    fields = (field for field in dataclasses.fields(self) if field.repr)
    inside = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields)
    return f"{type(self).__qualname__}({inside})"


def _add_comparison(cls: Any, own: dict[str, Any], *, frozen: bool) -> None:
    """Let values be equal whose fields are, and frozen ones be keys."""
    fields = dataclasses.fields(cls)
    compared = _getter([field.name for field in fields if field.compare])

    def is_same(self: object, other: object) -> Any:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def digest(self: object) -> int:
        return hash(hashed(self))

    if "__eq__" not in own:
        cls.__eq__ = is_same
    if "__hash__" not in own or (own["__hash__"] is None and "__eq__" in own):
        hashed = _getter([f.name for f in fields if (f.compare if f.hash is None else f.hash)])
        cls.__hash__ = digest if frozen else None


def _getter(names: list[str]) -> Any:
    """Return a function that gives the fields of a value, as something to be compared by."""
    return attrgetter(*names) if names else lambda _: ()
