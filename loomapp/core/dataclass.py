"""Dataclasses that are made at a quarter of the cost: a start makes some four hundred of them."""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen=False, slots=False, eq=True, order=False):
        """Make a dataclass as `dataclasses.dataclass` does, which compiles six functions for a frozen one:
        here its constructor is the only one.

        That nobody changes a frozen value the type checker sees to, and nothing as the program runs: a
        constructor that has to get around it takes four times as long.
        """

        def made(cls):
            own = vars(cls).copy()
            cls = dataclasses.dataclass(repr=False, eq=order, order=order, slots=slots)(cls)
            if "__repr__" not in own:
                cls.__repr__ = _shown
            if eq:
                _compare(cls, own, frozen=frozen)
            return cls

        return made


@recursive_repr()
def _shown(self: Any) -> str:
    """Show a value with its fields, but those that are secret or long."""
    fields = (field for field in dataclasses.fields(self) if field.repr)
    inside = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields)
    return f"{type(self).__qualname__}({inside})"


def _compare(cls: Any, own: dict[str, Any], *, frozen: bool) -> None:
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
