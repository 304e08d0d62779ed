"""Groves that an older program's window left when it was killed open, verify and undo to their first step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.model.tree import Tree
from loomapp.store.backups.backup import backups_of
from loomapp.store.checks.check import check
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove, read_grove
from loomapp.store.schema import VERSION
from tests.data.golden.killed import VERSIONS, KilledGrove, unpacked
from tests.data.golden.make_grove import said, tree_said
from tests.kit.groves import undo_step

WRITES = {"Write": "write", "Split": "split", "Leave out spaces": "split"}


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> KilledGrove:
    """A copy of such a grove."""
    return unpacked(request.param, tmp_path)


def state(grove: Grove, tree: Tree) -> Any:
    """All that a tree says, but for when it was changed last."""
    value = json.loads(json.dumps(tree_said(grove, tree.loom.id)))
    del value["tree"]["updatedAt"]
    return value


def test_it_is_read_with_all_that_it_held_and_no_byte_of_it_changes(old: KilledGrove) -> None:
    before = old.files()

    with read_grove(old.path) as grove:
        found = json.loads(json.dumps(said(grove)))

    assert found == old.said
    assert old.files() == before


def test_it_opens_for_writing_with_all_that_it_held_and_is_sound(old: KilledGrove) -> None:
    before = old.path.read_bytes()

    with open_grove(old.path) as grove:
        found = json.loads(json.dumps(said(grove)))

    assert found == old.said
    assert check(old.path).problems == ()
    migrated = [
        backup.path for backup in backups_of(old.path) if backup.reason == f"before-version-{VERSION}"
    ]
    assert bool(migrated) == (before != old.path.read_bytes())
    for path in migrated:
        with read_grove(path) as grove:
            assert json.loads(json.dumps(said(grove))) == old.said


def test_every_step_can_be_undone_to_the_first_and_redone_to_the_same_end(old: KilledGrove) -> None:
    with open_grove(old.path) as grove:
        for row in grove.trees():
            tree = grove.load_tree(row.id)
            before, steps = state(grove, tree), 0
            while grove.undo(tree):
                steps += 1
            assert list(tree.nodes) == [tree.root_id]
            for _ in range(steps):
                grove.redo(tree)

            assert steps >= 5
            assert state(grove, tree) == before
            assert state(grove, grove.load_tree(row.id)) == before


def test_steps_without_a_kind_are_known_by_their_labels(old: KilledGrove) -> None:
    labels = set()
    with open_grove(old.path) as grove:
        for row in grove.trees():
            tree = grove.load_tree(row.id)
            label = grove.undo_label(row.id)
            while change := undo_step(grove, tree):
                assert change.kind == WRITES.get(label or "", "")
                labels.add(label)
                label = grove.undo_label(row.id)

    assert "Write" in labels
    assert "Generate 3 continuations" in labels
