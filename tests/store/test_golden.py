"""Groves of every version so far open with all that they held."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.core.edits.documents import documents_of, text_of
from loomapp.store.grove.open import open_grove, read_grove
from loomapp.store.migrations import TITLE
from loomapp.store.schema import VERSION
from tests.data.golden.make_grove import golden, said
from tests.store.old_groves import ask

VERSIONS = range(1, VERSION + 1)
NEVER_WRITTEN = {"documents", "drafts"}  # documents are nodes, drafts lie beside the grove


@pytest.fixture(params=[1, *(pytest.param(v, marks=pytest.mark.slow) for v in VERSIONS[1:-1]), VERSION])
def old(request: pytest.FixtureRequest, path: Path) -> Path:
    """A copy of a golden grove."""
    shutil.copy(golden(request.param), path)
    shutil.copy(golden(request.param).with_suffix(".json"), path.with_suffix(".json"))
    return path


def test_a_golden_grove_opens_with_all_that_it_held(old: Path) -> None:
    held = json.loads(old.with_suffix(".json").read_text(encoding="utf-8"))
    is_first = ask(old, "PRAGMA user_version") == [(1,)]

    with open_grove(old) as grove:
        found = json.loads(json.dumps(said(grove)))
        every = {row.title: documents_of(grove.load_tree(row.id)) for row in grove.trees()}

    found["trees"] = [tree for tree in found["trees"] if tree["tree"]["title"] != TITLE]
    assert found == held
    assert [(one.name, text_of(one.newest)) for one in every.get(TITLE, ())] == [
        ("notes.txt", "a note")
    ] * is_first


def test_its_past_can_be_undone_and_redone_to_the_same_end(old: Path) -> None:
    with open_grove(old) as grove:
        [tree_id] = [row.id for row in grove.trees() if row.title == "A walk in the woods"]
        tree = grove.load_tree(tree_id)
        nodes, edges = dict(tree.nodes), dict(tree.edges)
        steps = 0
        while grove.undo(tree):
            steps += 1
        assert list(tree.nodes) == [tree.root_id]
        for _ in range(steps):
            grove.redo(tree)

        assert (tree.nodes, tree.edges) == (nodes, edges)
        assert grove.redo_label(tree.loom.id) == "Write"
        assert steps == 7


def test_reading_a_golden_grove_changes_no_byte(old: Path) -> None:
    before = old.read_bytes()

    with read_grove(old) as grove:
        said(grove)

    assert old.read_bytes() == before


@pytest.mark.parametrize("version", VERSIONS)
def test_golden_groves_are_of_the_version_they_are_named_after(version: int) -> None:
    with closing(sqlite3.connect(f"file:{golden(version)}?mode=ro&immutable=1", uri=True)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (version,)
        empty = [
            table
            for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            if database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
        ]

    assert set(empty) <= NEVER_WRITTEN
