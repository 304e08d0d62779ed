"""Dataclasses of the house: as those of the standard library, but for what they cost."""

from __future__ import annotations

import pickle
import re
from copy import copy
from dataclasses import FrozenInstanceError, field, fields, replace
from pathlib import Path
from typing import Any

import pytest

import loomapp
import loomapp.core.dataclass as house
from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, Node

VALUES = (
    Node("n", "N", Text("Hi"), "human", "a0", 1, "hash", ("parent",), summary="said", extra={"k": 1}),
    Edge("e", (EdgeSource("n"),), "m", "annotation", 2, {"k": 1}),
    EdgeSource("n", "context", {"k": 1}),
)


@dataclass(frozen=True, slots=True)
class Key:
    """A value with a secret, and with something that it is not known by."""

    name: str
    secret: str = field(repr=False)
    seen: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Door:
    """Another value of the same fields."""

    name: str
    secret: str
    seen: int = 0

    def __repr__(self) -> str:
        return f"the door {self.name}"


@dataclass(slots=True)
class Count:
    """Something that changes."""

    number: int = 0
    inside: list[object] = field(default_factory=list)
    seen: list[object] = field(init=False, repr=False, default_factory=list)
    is_done: bool = field(init=False, repr=False, default=False)


@dataclass(frozen=True, slots=True)
class Nothing:
    """A value without fields."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A value with an order."""

    row: int
    column: int


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_of_the_same_fields_are_equal(value: Node | Edge | EdgeSource) -> None:
    again = type(value)(*(getattr(value, each.name) for each in fields(value)))

    assert again == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert replace(value, extra={}) != value
    assert not hasattr(value, "__dict__")


def test_what_is_not_compared_makes_no_difference() -> None:
    assert Key("a", "x", seen=1) == Key("a", "x", seen=2)
    assert len({Key("a", "x", seen=1), Key("a", "x", seen=2), Key("b", "x")}) == 2
    others: list[object] = [Key("a", "x"), Door("a", "x")]
    assert others.index(Door("a", "x")) == 1
    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing()}) == 1


def test_a_secret_is_not_shown() -> None:
    assert repr(Key("a", "x")) == "Key(name='a', seen=0)"
    assert repr(Door("a", "x")) == "the door a"


def test_what_changes_is_no_key() -> None:
    count = Count()
    count.number += 1
    count.inside.append(count)

    assert Count(1) == Count(1) != Count(2)
    assert (count.seen, count.is_done) == ([], False)
    assert repr(count) == "Count(number=1, inside=[...])"
    with pytest.raises(TypeError):
        hash(count)


@dataclass(frozen=True, slots=True)
class Unmade:
    name: str
    after: str = ""
    named: str = field(kw_only=True, default="none")


def test_a_constructor_is_compiled_for_the_first_value() -> None:
    before = Unmade.__init__

    assert Unmade("a", named="n") == Unmade("a", "", named="n") != Unmade("a", "b")
    assert Unmade.__init__ is not before
    assert Unmade.__doc__ is None
    with pytest.raises(TypeError, match="name"):
        Unmade()  # type: ignore[call-arg]


def test_every_test_runs_with_values_that_refuse_to_be_changed() -> None:
    values: list[Any] = [Key("a", "x"), Unmade("a"), Place(1, 2), VALUES[0]]
    for value in values:
        with pytest.raises(FrozenInstanceError):
            setattr(value, fields(value)[0].name, "b")
        with pytest.raises(FrozenInstanceError):
            delattr(value, fields(value)[0].name)
        assert copy(value) == value


def test_as_the_program_runs_they_are_as_those_of_the_tests_but_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(house, "_is_guarded", [False])

    @dataclass(frozen=True, slots=True)
    class Quick:
        name: str
        after: list[str] = field(default_factory=list, compare=False)

    value: Any = Quick("a")
    assert copy(value) == replace(value, after=["b"]) == value != Quick("b")
    assert {value: 1}[Quick("a", ["c"])] == 1
    value.name = "b"  # what keeps this out of the program is the type checker, and the tests
    assert value == Quick("b")


def test_values_can_have_an_order() -> None:
    assert sorted([Place(2, 1), Place(1, 2)]) == [Place(1, 2), Place(2, 1)]
    assert len({Place(1, 2), Place(1, 2)}) == 1


def test_every_dataclass_of_the_program_is_made_so() -> None:
    house = Path(loomapp.__file__).parent
    imported = re.compile(r"^\s*(from dataclasses import .*\bdataclass\b|import dataclasses)", re.MULTILINE)
    others = [file.name for file in house.rglob("*.py") if imported.search(file.read_text(encoding="utf-8"))]

    assert others == ["dataclass.py"], "they cost each start four times as much: see loomapp.core.dataclass"
