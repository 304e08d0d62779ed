"""Values by a fast constructor: the same as by the class itself, and as frozen."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, Node
from loomapp.core.model.fast_constructors import HasFields, constructor_of

VALUES = (
    Node("n", "N", Text("Hi"), "human", "a0", 1, "hash", ("parent",), summary="said", extra={"k": 1}),
    Edge("e", (EdgeSource("n"),), "m", "annotation", 2, {"k": 1}),
    EdgeSource("n", "context", {"k": 1}),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_the_same_as_by_its_class(value: Node | Edge | EdgeSource) -> None:
    made = _again(value)

    assert type(made) is type(value)
    assert made == value
    assert repr(made) == repr(value)
    assert pickle.loads(pickle.dumps(made)) == value
    assert replace(made, extra={}) == replace(value, extra={})


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_frozen(value: Node | Edge | EdgeSource) -> None:
    made = _again(value)

    with pytest.raises(FrozenInstanceError):
        setattr(made, "extra", {})  # noqa: B010


def _again(value: HasFields) -> object:
    return constructor_of(type(value))(*(getattr(value, field.name) for field in fields(value)))
