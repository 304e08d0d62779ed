"""Laws of every importer: a file is read or refused in one line, and the same file again adds nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.errors import InvalidInput
from loomapp.core.model.hashes import verify
from loomapp.formats.importer import Found
from loomapp.formats.loom_json import read as read_loom_json
from loomapp.formats.loom_json import write as write_loom_json
from loomapp.formats.registry import EXPORTERS
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.store.rows.new_trees import Added, NewTree
from tests.kit.chance import examples, seed
from tests.kit.exports.chats import as_lines
from tests.kit.exports.every import FOREIGN, JSON_EXAMPLES, LINES_EXAMPLES
from tests.kit.exports.newer import NEWER
from tests.kit.exports.reading import OWNER, read_as
from tests.kit.families import one_in
from tests.kit.loom_files import chain, everything

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def check(folder: Path, name: str, data: bytes) -> None:
    """Read it: a fault is one line, and each tree can be written down and read again as it is."""
    try:
        found = read_as(folder, name, data)
    except InvalidInput as refused:
        check_line(refused)
        return
    for one in found:
        if isinstance(one, Found):
            facts, imported = one.facts(), one.load(OWNER)
            tree = imported.tree
            assert {i for i in tree.nodes if not tree.is_empty_root(i)} == set(facts.node_ids)
            text = write_loom_json(tree, imported.agents)
            again = read_loom_json(text, untitled="")
            assert write_loom_json(again.tree, again.agents) == text
            assert {finding.verdict for finding in verify(tree, {})} <= {"ok", "no evidence"}


def check_line(error: InvalidInput) -> None:
    assert len(error.message.splitlines()) == 1


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every object and list of a value, with each of its keys."""
    waiting = [value]
    while waiting:
        outer = waiting.pop()
        keys = list(outer) if isinstance(outer, dict) else range(len(outer))
        for key in keys:
            yield outer, key
            if isinstance(outer[key], dict | list):
                waiting.append(outer[key])


@pytest.mark.parametrize("name", one_in(3, [*JSON_EXAMPLES, *LINES_EXAMPLES]))
@settings(max_examples=examples(24), deadline=None)
@given(data=st.data())
def test_no_value_at_any_place_breaks_the_reading(name: str, data: st.DataObject) -> None:
    broken_values(name, JSON_EXAMPLES.get(name) or LINES_EXAMPLES.get(name), data)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [*JSON_EXAMPLES.items(), *LINES_EXAMPLES.items(), *NEWER.items()])
@settings(max_examples=2000, deadline=None)
@given(data=st.data())
def test_no_value_of_thousands_breaks_the_reading(name: str, value: object, data: st.DataObject) -> None:
    broken_values(name, value, data)


def broken_values(name: str, example: object, data: st.DataObject) -> None:
    value: Any = deepcopy(example)
    for _ in range(data.draw(st.integers(1, 3))):
        there = list(places(value))
        if not there:
            break
        outer, key = data.draw(st.sampled_from(there))
        if data.draw(st.booleans()) and isinstance(outer, dict):
            del outer[key]
        else:
            outer[key] = data.draw(JSON_VALUES)
    text = as_lines(*value) if name in LINES_EXAMPLES else json.dumps(value).encode()
    with TemporaryDirectory() as folder:
        check(Path(folder), name, text)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a few changed, taken away or put in; or cut off."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(5):
            case 0:
                made[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del made[at : at + chance.randint(1, 12)]
            case 2:
                made[at:at] = bytes(chance.choices(b'{}[]",:\\0\n\xff\x00-9eE', k=chance.randint(1, 4)))
            case 3 if chance.random() < 0.2:
                del made[at:]
            case _:
                made[at : at + 1] = bytes([made[at] ^ (1 << chance.randrange(8))]) if at < len(made) else b""
    return bytes(made)


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("count", [12, pytest.param(2000, marks=pytest.mark.slow)])
def test_no_bytes_break_the_reading(name: str, count: int, tmp_path: Path) -> None:
    chance = random.Random(seed(11))

    for _ in range(count):
        check(tmp_path, name, mutated(FOREIGN[name], chance))


@pytest.mark.parametrize("name", one_in(3, FOREIGN))
def test_the_same_file_again_adds_nothing(name: str, tmp_path: Path) -> None:
    with create_grove(tmp_path / "g.loom") as grove:
        new = loaded(grove, tmp_path, FOREIGN[name], name)
        first = grove.add_trees(new)
        second = grove.add_trees(loaded(grove, tmp_path, FOREIGN[name], name))

    assert {added.outcome for added in first} == {"new"}
    assert not any(one.rows.is_whole for one in new)  # its rows came one by one: a large one takes little
    assert [added.outcome for added in second] == ["unchanged"] * len(first)


def loaded(grove: Grove, folder: Path, data: bytes, name: str) -> list[NewTree]:
    found = (one for one in read_as(folder, name, data) if isinstance(one, Found))
    trees = (one.load(grove.owner) for one in found)
    return [NewTree(one.rows, one.agents, (), one.is_of_other_program) for one in trees]


@pytest.mark.parametrize("name", ["loom-json", "jsonl"])
@pytest.mark.parametrize("value", [chain("a", "b", "c"), everything()], ids=["bare", "with responses"])
def test_the_tree_of_a_file_goes_as_its_rows_are_written(name: str, value: Any, tmp_path: Path) -> None:
    theirs = read_loom_json(json.dumps(value))
    text = EXPORTERS[name].write(theirs.tree, theirs.agents, theirs.evidence, theirs.media)
    added: list[Added] = []
    with create_grove(tmp_path / "g.loom") as grove:
        for _ in range(2):
            [found] = read_as(tmp_path, name, text.encode())
            assert isinstance(found, Found)
            one = found.load(grove.owner)
            added += grove.add_trees([NewTree(one.rows, one.agents, one.evidence)])
            is_new = len(added) == 1
            # A large one takes little then; what was merged, or looked into for its responses, stays.
            assert one.rows.is_whole == (not is_new or bool(one.evidence))
        tree = grove.load_tree(added[0].tree_id)

    assert [one.outcome for one in added] == ["new", "unchanged"]
    assert [*tree.nodes.values()] == [*theirs.tree.nodes.values()]
    assert [*tree.edges.values()] == [*theirs.tree.edges.values()]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("claude", "Hi", "Hi there"),
        ("open-webui", "Edited", "Edited twice"),
        ("librechat", "More", "Much more"),
        ("loomsidian", " upon", " in"),
        ("helm", "Two", "Three"),
        ("pi", "Go on", "Go"),
    ],
)
def test_a_text_that_changed_meanwhile_comes_as_a_version(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    changed = FOREIGN[name].replace(json.dumps(old).encode(), json.dumps(new).encode())
    with create_grove(tmp_path / "g.loom") as grove:
        [first, *_] = grove.add_trees(loaded(grove, tmp_path, FOREIGN[name], name))
        [second, *_] = grove.add_trees(loaded(grove, tmp_path, changed, name))
        tree = grove.load_tree(first.tree_id)

    assert (second.tree_id, second.outcome, second.node_count) == (first.tree_id, "merged", 1)
    [here] = [node for node in tree.nodes.values() if node.text == old]
    [version] = [node for node in tree.nodes.values() if node.text == new]
    assert version.edited_from == here.id
