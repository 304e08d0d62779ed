"""Hostile calls: whatever is asked, each is answered, the server lives and the tree stays sound."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loomapp.mcp.calls import CATALOGUE
from loomapp.mcp.tools.tool import Tool
from loomapp.store.checks.check import check
from loomapp.store.grove.open import create_grove
from tests.kit.groves import planted
from tests.kit.mcp_clients import Tools, talk, text_of
from tests.kit.trees import Hand, counted_id

HOSTILE: tuple[object, ...] = (
    "",
    " ",
    "\x00",
    "\ud800",
    "a" * 100_000,
    "'; DROP TABLE nodes; --",
    "../../etc/passwd",
    "→ prune ALL",
    "{0.__class__}",
    "%s%n",
    "\u202e\u2028",
    -1,
    2**70,
    1.5,
    float("inf"),
    True,
    [],
    [[["x"]]],
    {"$ref": "#"},
    {},
)
MOST_SAID = 1_000  # characters of an error, whatever was asked
CALLED_ALONE = sorted(set(CATALOGUE) - {"generate"})  # that would start the engine


@pytest.mark.parametrize(
    "values", [HOSTILE[2:5] + HOSTILE[-2:], pytest.param(HOSTILE, marks=pytest.mark.slow)]
)
def test_each_argument_of_each_tool_takes_what_is_hostile(tmp_path: Path, values: Sequence[object]) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as grove:
        planted(grove, Hand())

    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        for name in CALLED_ALONE:
            tool = CATALOGUE[name]
            for parameter in tool.parameters:
                for value in values:
                    arguments = {**good(tool, at), parameter.name: value}
                    result = await tools.result(name, **arguments)
                    text = text_of(result)
                    assert "A fault in Loomapp" not in text, (name, arguments, text)
                    assert not result.is_error or ("\n" not in text and len(text) < MOST_SAID)
        assert await tools.list("list_trees")

    talk(path, speak)
    assert check(path).problems == ()


def good(tool: Tool, at: str) -> dict[str, object]:
    """Arguments of a tool that are right, those that it requires."""
    values: dict[str, object] = {
        "node_id": at,
        "parent": at if tool.name == "node_create" else "main",
        "thread": "main",
        "name": "show",
    }
    return {one.name: values.get(one.name, "words") for one in tool.parameters if one.required}


words = st.sampled_from(["main", "t", "t-2", "x", "", "words and words"]) | st.text(max_size=8)
numbers = st.integers(-2, 120) | st.none()
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)


KINDS = {
    "string": words | st.integers(0, 12).map(lambda number: f"@{number}"),
    "integer": numbers,
    "boolean": st.booleans(),
    "array": st.lists(st.sampled_from(["id", "title", "content", "pruned", "head", "no"]), max_size=3),
    "object": st.dictionaries(words, ANY, max_size=2),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A tool, and arguments that are mostly of its kinds; `@3` stands for the fourth node."""
    tool = CATALOGUE[draw(st.sampled_from(CALLED_ALONE))]
    arguments: dict[str, object] = {}
    for one in tool.parameters:
        if one.required or not draw(st.integers(0, 3)):
            arguments[one.name] = draw(KINDS[one.kind] if draw(st.integers(0, 9)) else ANY)
    return tool.name, arguments


def check_random_calls(path: Path, asked: list[tuple[str, dict[str, object]]]) -> None:
    """Carry out the calls; each has an answer, and the grove is sound in the end."""
    with create_grove(path) as grove:
        planted(grove, Hand())

    async def speak(tools: Tools) -> None:
        for name, arguments in asked:
            rows = await tools.list("list_nodes", fields=["id"], compact=False)
            ids = [str(row["id"]) for row in rows]
            meant = {key: _named(value, ids) for key, value in arguments.items()}
            result = await tools.result(name, **meant)
            text = text_of(result)
            assert "A fault in Loomapp" not in text, (name, meant, text)
            if not result.is_error and name not in ("context_get", "stats_show"):
                json.loads(text)

    talk(path, speak)
    assert check(path).problems == ()


def _named(value: object, ids: Sequence[str]) -> object:
    """A value, with the id of a node in place of its number."""
    if isinstance(value, str) and value[:1] == "@" and value[1:].isdecimal():
        return ids[int(value[1:]) % len(ids)]
    return value


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(calls(), min_size=5, max_size=8))
def test_random_calls_are_answered(tmp_path: Path, asked: list[tuple[str, dict[str, object]]]) -> None:
    check_random_calls(tmp_path / f"{counted_id()}.loom", asked)


@pytest.mark.slow
@pytest.mark.timeout(900)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(calls(), min_size=10, max_size=10))
def test_a_thousand_random_calls_are_answered(
    tmp_path: Path, asked: list[tuple[str, dict[str, object]]]
) -> None:
    check_random_calls(tmp_path / f"{counted_id()}.loom", asked)
