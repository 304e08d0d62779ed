"""Forgeries beside what the chain seals: an index that leads elsewhere, words for a search, lost authors."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.core.edits.node_edits import add_content
from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed, Text
from loomapp.store.checks.grove_verification import Verified, verify_grove
from loomapp.store.grove.open import open_grove, read_grove
from tests.kit.trees import Hand
from tests.store.checks.resealing import append, run
from tests.store.rich_groves import rich_grove

UNIQUE = re.compile(r",\s*CONSTRAINT uq_nodes_tree_node_id UNIQUE \(tree, node_id\)")
AUTO = "sqlite_autoindex_nodes_1"


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    return rich_grove(tmp_path / "grove.loom")


def verified_by(path: Path) -> Verified:
    with read_grove(path) as grove:
        return verify_grove(grove)


def exchange(database: sqlite3.Connection, one: int, other: int) -> None:
    """Let two rows of nodes have each other's names."""
    [(name, second)] = database.execute(
        "SELECT a.node_id, b.node_id FROM nodes a, nodes b WHERE a.id = ? AND b.id = ?", (one, other)
    )
    for row, new in ((one, "aside"), (other, name), (one, second)):
        database.execute("UPDATE nodes SET node_id = ? WHERE id = ?", (new, row))


def mislead(path: Path) -> None:
    """Let the index of names lead from each of two nodes to the other, the rows themselves as they were."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        [(one, other)] = database.execute("SELECT min(id), max(id) FROM nodes WHERE tree = 2 AND present")
        exchange(database, one, other)
        [(sql,)] = database.execute("SELECT sql FROM sqlite_schema WHERE name = 'nodes'")
        [entry] = database.execute("SELECT * FROM sqlite_schema WHERE name = ?", (AUTO,))
        [(version,)] = database.execute("PRAGMA schema_version")
        database.execute("PRAGMA writable_schema=ON")
        database.execute("DELETE FROM sqlite_schema WHERE name = ?", (AUTO,))
        assert UNIQUE.search(sql)
        database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'nodes'", (UNIQUE.sub("", sql),))
        database.execute(f"PRAGMA schema_version={version + 1}")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        exchange(database, one, other)  # the index does not hear of it
        database.execute("PRAGMA writable_schema=ON")
        database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'nodes'", (sql,))
        rows = database.execute("SELECT * FROM sqlite_schema").fetchall()
        database.execute("DELETE FROM sqlite_schema")
        for row in rows:
            for put in (row, entry) if row[1] == "nodes" else (row,):
                database.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", put)
        database.execute(f"PRAGMA schema_version={version + 2}")


def test_an_index_that_leads_from_a_name_to_another_node_is_named(rich: Path) -> None:
    assert not verified_by(rich).failed
    mislead(rich)

    faults = verified_by(rich).faults

    assert len([fault for fault in faults if "missing from index" in fault]) == 2


def test_the_words_that_a_search_finds_of_an_undone_node_are_compared_too(rich: Path) -> None:
    [(number,)] = rows(rich, "SELECT id FROM nodes WHERE text = 'Undone.' AND NOT present")
    content = json.dumps({"type": "text", "text": "Undone."})
    run(rich, f"UPDATE nodes SET content = '{content}' WHERE id = {number}")
    assert not verified_by(rich).failed

    run(rich, f"UPDATE nodes SET text = 'Never said.' WHERE id = {number}")

    [tree] = [tree for tree in verified_by(rich).trees if tree.failed]
    assert any("the text that a search finds is not" in str(finding.reason) for finding in tree.findings)


def test_an_author_who_is_taken_away_by_an_entry_is_missed(rich: Path) -> None:
    [state] = [row for row in agent_rows(rich) if row["id"] == "model"]
    append(rich, None, "Agent", ["agent", state, None])
    run(rich, "DELETE FROM agents WHERE agent_id = 'model'")

    taken, missed = verified_by(rich).faults
    assert taken.endswith("takes an agent away, which no change does")
    assert missed == "the agent model, of whom nodes are said to be, is not there"


def rows(path: Path, sql: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def agent_rows(path: Path) -> list[dict[str, str]]:
    bodies = [json.loads(body) for (body,) in rows(path, "SELECT body FROM change_log WHERE tree IS NULL")]
    return [row[2] for body in bodies for row in body["rows"] if row[0] == "agent"]


def test_words_for_a_search_in_the_order_in_which_they_were_kept_at_first_are_right(rich: Path) -> None:
    content = Mixed((AttachedDocument("a.txt", PLAIN_TEXT, "Of a file."), Text("Said.")))
    with open_grove(rich) as grove:
        tree = grove.load_tree(grove.trees()[0].id)
        added = add_content(tree, tree.root_id, content, Hand().pen(grove.owner.id))
        grove.commit(tree, added)
    assert rows(rich, "SELECT text FROM nodes WHERE text LIKE '%Said.%'") == [("Said.\nOf a file.",)]

    run(rich, "UPDATE nodes SET text = 'Of a file.' || char(10) || 'Said.' WHERE text LIKE '%Said.%'")

    assert not verified_by(rich).failed
