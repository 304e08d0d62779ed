"""How a copy of a grove is proved: node by node, with an ear for who wants it no more."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError
from loomapp.core.model.hashes import verify
from loomapp.store.checks.check import check
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.store.soundness import count_failing, value_faults
from tests.kit.groves import generated, planted
from tests.kit.trees import Hand


@pytest.fixture
def file(path: Path) -> Path:
    """A closed grove: a buffer with a version, an answer, a note, and a branch that is undone."""
    with create_grove(path) as grove:
        hand = Hand()
        tree, (first, second, third) = planted(grove, hand, mode="buffer")
        owner = grove.owner.id
        version = node_edits.edit_as_version(tree, second, "another word", hand.pen(owner))
        assert version is not None
        grove.commit(tree, version)
        grove.commit(tree, generated(tree, third, ["yes", "no"], hand))
        grove.commit(tree, node_edits.annotate(tree, first, "a note", hand.pen(owner)))
        undone = node_edits.add_node(tree, third, "gone", hand.pen(owner))
        grove.commit(tree, undone)
        grove.commit(tree, undone.inverse())
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
    return path


@pytest.mark.parametrize(
    ("damage", "failing"),
    [
        ("", 0),
        ("UPDATE nodes SET text = 'nessage 1' WHERE text = 'message 1'", 1),
        # It fails itself, and so do those that were written below it.
        ("UPDATE nodes SET content_hash = '0000' || substr(content_hash, 5) WHERE text = 'message 2'", 3),
        ("UPDATE nodes SET parent_hashes = NULL WHERE text = 'message 2'", 1),
        ("DELETE FROM node_responses", 0),  # no evidence is no failure
    ],
)
def test_the_nodes_that_fail_are_those_that_verification_names(file: Path, damage: str, failing: int) -> None:
    if damage:
        with closing(sqlite3.connect(file)) as database, database:
            database.execute(damage)

    assert count_failing(file) == failing
    with read_grove(file) as grove:
        [row] = grove.trees()
        tree_id = row.id
        found = verify(grove.load_tree(tree_id), grove.digests(tree_id))
    assert sum(finding.verdict == "failed" for finding in found) == failing


def test_who_wants_it_no_more_is_heard(file: Path) -> None:
    def stop() -> None:
        raise GroveError("cancelled", "Not wanted any more.")

    with pytest.raises(GroveError, match="Not wanted"):
        count_failing(file, stop)


def test_a_setting_that_is_a_number_is_as_it_should_be(tmp_path: Path) -> None:
    with create_grove(tmp_path / "g.loom") as grove:
        for name, value in (("whole", 1), ("part", 0.5), ("word", "a"), ("none", [])):
            grove.put_setting(name, value)

    assert check(tmp_path / "g.loom").problems == ()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("UPDATE nodes SET text = CAST(x'c3' AS TEXT) WHERE id = 2", "nodes 2: text"),
        ("UPDATE nodes SET text = x'61' WHERE id = 2", ""),
        ("UPDATE nodes SET text = '' WHERE id = 2", ""),
        ("UPDATE nodes SET parent_hashes = '[' WHERE id = 2", "nodes 2: parent_hashes"),
        ("UPDATE nodes SET parent_hashes = '' WHERE id = 2", "nodes 2: parent_hashes"),
        ("UPDATE nodes SET pruned = 2 WHERE id = 2", "nodes 2: pruned"),
        ("UPDATE nodes SET created_at = 'soon' WHERE id = 2", "nodes 2: created_at"),
        ("UPDATE nodes SET created_at = 1.5 WHERE id = 2", "nodes 2: created_at"),
        ("UPDATE edges SET extra = '{]' WHERE id = 1", "edges 1: extra"),
    ],
)
def test_a_cell_of_another_kind_among_many_is_named(tmp_path: Path, change: str, place: str) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        planted(grove, Hand(), length=5)
    with closing(sqlite3.connect(path)) as database:
        database.execute(change)
        database.commit()
        named = [line.removesuffix(" is not what it should be") for line in value_faults(database)]

    assert named == ([place] if place else [])
