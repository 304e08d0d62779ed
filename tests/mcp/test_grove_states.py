"""Groves that cannot be opened or written: a sentence for each call, and the next call tries anew."""

from __future__ import annotations

import gc
import os
import sqlite3
import weakref
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.cli.groves import add_sample
from loomapp.mcp import served_grove
from loomapp.mcp.served_grove import ServedGrove
from loomapp.store.grove.open import create_grove
from loomapp.store.rows.tree_rows import no_collections
from tests.kit.damage import leaves_of, wreck
from tests.kit.groves import planted
from tests.kit.mcp_clients import Tools, talk
from tests.kit.trees import Hand


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove with the sample tree."""
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        add_sample(made)
    return path


def test_a_newer_grove_is_told_by_its_program(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        with closing(sqlite3.connect(grove)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute("PRAGMA user_version=999")
        message = await tools.refused("list_trees")
        assert "a.loom" in message
        assert "newer" in message
        with closing(sqlite3.connect(grove)) as connection:
            connection.execute(f"PRAGMA user_version={version}")
        assert len(await tools.list("list_trees")) == 1

    talk(grove, speak)


def test_what_is_no_grove_and_what_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.loom").write_text("not a grove" * 100, encoding="utf-8")

    async def speak(tools: Tools) -> None:
        for name, arguments in (("list_trees", {}), ("show", {"node_id": "x"}), ("prune", {"node_id": "x"})):
            assert "no.loom" in await tools.refused(name, **arguments)

    talk(tmp_path / "no.loom", speak)
    talk(tmp_path / "none" / "no.loom", speak)


def test_a_damaged_grove_is_told_as_damaged(grove: Path) -> None:
    wreck(grove, leaves_of(grove, "nodes"))

    async def speak(tools: Tools) -> None:
        messages = [await tools.refused("list_nodes"), await tools.refused("search", query="sea")]
        assert all("damaged" in message for message in messages)
        assert await tools.refused("list_nodes") == messages[0]

    talk(grove, speak)


@pytest.mark.slow
def test_a_grove_that_another_program_writes_to_for_long_is_told_as_busy(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        with closing(sqlite3.connect(grove, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            message = await tools.refused("annotate", node_id=at, text="x")
            assert "a.loom" in message
            assert len(await tools.list("list_trees")) == 1
            connection.execute("ROLLBACK")
        assert (await tools.call("annotate", node_id=at, text="x"))["action"] == "annotated"

    talk(grove, speak)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system has no such rights")
def test_a_grove_that_is_protected_is_read_and_not_written(grove: Path) -> None:
    grove.chmod(0o444)
    grove.parent.chmod(0o555)
    try:

        async def speak(tools: Tools) -> None:
            at = str((await tools.call("context"))["at"])
            message = await tools.refused("annotate", node_id=at, text="x")
            assert "reading only" in message

        talk(grove, speak)
    finally:
        grove.parent.chmod(0o755)


def test_a_grove_that_was_moved_is_opened_anew(grove: Path) -> None:
    other = grove.with_name("b.loom")
    with create_grove(other) as made:
        add_sample(made)
        add_sample(made)

    async def speak(tools: Tools) -> None:
        assert len(await tools.list("list_trees")) == 1
        grove.rename(grove.with_name("moved.loom"))
        assert "a.loom" in await tools.refused("list_trees")
        other.rename(grove)
        assert await tools.list("list_trees")

    talk(grove, speak)


def test_a_large_tree_is_no_work_for_collections_and_goes_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        tree_id = planted(made, Hand())[0].loom.id
    served, frozen = ServedGrove(path), gc.get_freeze_count()
    served.tree(tree_id)
    assert gc.get_freeze_count() <= frozen, "of a small one nothing is kept from them"
    served.let_go()

    monkeypatch.setattr(served_grove, "MANY", 3)
    tree = weakref.ref(served.tree(tree_id))
    assert gc.get_freeze_count() > frozen
    with no_collections():
        served.let_go()
        assert tree() is None
