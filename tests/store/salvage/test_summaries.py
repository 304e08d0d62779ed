"""Summaries, their responses and memories of agents in a grove that is salvaged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.model.agent import RunLimits
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import AgentMemory
from loomapp.core.model.tree import Tree
from loomapp.store.backups.backup import back_up
from loomapp.store.checks.check import check
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.grove.other_files import kept_trees
from loomapp.store.queries.usage import spent_in
from loomapp.store.salvage.salvage import repair
from tests.kit.groves import MODEL, everything, planted, summarised
from tests.kit.trees import Hand


@pytest.fixture
def sleeping(path: Path) -> Tree:
    """A grove with a summary whose node is undone, one that was edited, one undone, and a memory."""
    hand = Hand()
    with create_grove(path) as grove:
        grove.put_agent(replace(MODEL, run_limits=RunLimits(8)))
        tree, ids = planted(grove, hand)
        grove.commit(tree, summarised(tree, ids[0], hand))
        grove.commit(tree, edit(tree))
        grove.commit(tree, summarised(tree, ids[-1], hand, "It sleeps.", "cd" * 32))
        memory = RowChange(None, AgentMemory(MODEL.id, {"pinned": [ids[0]]}))
        grove.commit(tree, Change(tree.loom.id, "Remember", 9, (memory,), undoable=False))
        grove.commit(tree, replace(summarised(tree, ids[1], hand, "Undone.", "ef" * 32), undoable=True))
        grove.undo(tree)
        grove.undo(tree)
        grove.undo(tree)
        assert ids[-1] not in tree.nodes
        return tree


def edit(tree: Tree) -> Change:
    """The one summary of a tree in other words, which no response says."""
    [made] = tree.context_summaries.values()
    edited = replace(made, body={**made.body, "text": "By hand."}, response_id=None)
    return Change(tree.loom.id, "Edit summary", 9, (RowChange(made, edited),), undoable=False)


def spoiled(path: Path) -> None:
    """Damage the log, so that the history of the tree begins anew."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE change_log SET body = '{' WHERE label = 'Remember'")


@pytest.mark.parametrize("is_spoiled", [False, True])
def test_they_are_saved_and_the_new_grove_is_sound(path: Path, sleeping: Tree, is_spoiled: bool) -> None:
    assert check(path).problems == ()
    if is_spoiled:
        spoiled(path)

    saved = repair(path)

    assert [tree.history_kept for tree in saved.trees] == [not is_spoiled]
    assert check(saved.path).problems == ()
    with open_grove(saved.path) as grove:
        tree = grove.load_tree(sleeping.loom.id)
        assert everything(tree) == everything(sleeping)
        assert len(spent_in(grove)) == 3
        agent = grove.agent(MODEL.id)
        assert agent is not None
        assert agent.run_limits == RunLimits(8)
        if not is_spoiled:
            wake(grove, tree)


def wake(grove: Grove, tree: Tree) -> None:
    """Redo brings back all that was undone."""
    while grove.redo(tree):
        pass
    assert {row.body["text"] for row in tree.context_summaries.values()} == {
        "By hand.",
        "It sleeps.",
        "Undone.",
    }
    assert not any(map(tree.sleeps, tree.context_summaries.values()))
    assert check(grove.path).problems == ()


def test_limits_that_nobody_can_read_are_none(path: Path, sleeping: Tree) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute('UPDATE agents SET run_limits = \'{"steps": "many"}\' WHERE run_limits IS NOT NULL')

    with open_grove(repair(path).path) as grove:
        agent = grove.agent(MODEL.id)

    assert agent is not None
    assert agent.run_limits == RunLimits()


def test_a_tree_of_a_backup_that_lost_a_response_comes_in_without_the_claim(
    path: Path, sleeping: Tree, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DELETE FROM responses")
    backup = back_up(path, tmp_path / "copy.loom")

    [kept] = kept_trees(backup)

    assert [row.response_id for row in kept.tree.context_summaries.values()] == [None, None]
    with create_grove(tmp_path / "other.loom") as other:
        assert other.add_tree(kept.tree, kept.agents, kept.evidence).outcome == "new"
        assert check(other.path).problems == ()
