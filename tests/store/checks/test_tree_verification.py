"""Verification names the node after any change of the file by another hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.edits import edit_context, node_edits, node_marks
from loomapp.core.errors import GroveError
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import EdgeSource
from loomapp.core.model.hashes import Finding
from loomapp.core.model.raw_response import compress
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.open import create_grove, read_grove
from tests.kit.families import one_in
from tests.kit.groves import generated, planted
from tests.kit.trees import Hand


@pytest.fixture
def written(path: Path) -> Path:
    """A grove with a root, messages a, b, c below it, and two answers d, e to c from one response."""
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        answers = generated(tree, ids[-1], ["one", "two"], hand)
        grove.commit(tree, answers)
        bookmark = node_marks.bookmark(tree, ids[0], "first", hand.pen())
        assert bookmark is not None
        grove.commit(tree, bookmark)
        grove.commit(tree, node_edits.annotate(tree, ids[0], "undone", hand.pen()))
        grove.undo(tree)
        names = {tree.root_id: "root", **dict(zip(ids, "abc", strict=True))}
        names |= {node.id: name for node, name in zip(answers.added_nodes(), "de", strict=True)}
    run(path, *(("UPDATE nodes SET node_id = ? WHERE node_id = ?", name, old) for old, name in names.items()))
    rename_in_log(path, names)
    return path


def rename_in_log(path: Path, names: dict[str, str]) -> None:
    """Ids are no part of any hash; short ones make these tests readable."""
    with closing(sqlite3.connect(path)) as database:
        for old, name in names.items():
            quoted = f'"{old}"', f'"{name}"'
            database.execute("UPDATE change_log SET body = replace(body, ?, ?)", quoted)
        database.execute("UPDATE trees SET root_id = 'root', leaf_id = 'd'")
        database.commit()


def run(path: Path, *statements: tuple[object, ...]) -> None:
    with closing(sqlite3.connect(path)) as database:
        for sql, *values in statements:
            database.execute(str(sql), values)
        database.commit()


def findings(path: Path) -> list[Finding]:
    with read_grove(path) as grove:
        return verify_tree(grove, grove.trees()[0].id)


def failed(path: Path) -> dict[str, str]:
    return {f.node_id: f.reason for f in findings(path) if f.verdict == "failed"}


def test_an_untouched_tree_verifies(written: Path) -> None:
    assert [(f.node_id, f.verdict) for f in findings(written)] == [
        (name, "ok") for name in ("root", "a", "b", "c", "d", "e")
    ]


def node(sql: str) -> str:
    """A statement on node b."""
    return f"UPDATE nodes SET {sql} WHERE node_id = 'b'"


EDGE_TO_B = "(SELECT id FROM edges WHERE target = (SELECT id FROM nodes WHERE node_id = 'b'))"
SOURCE = "UPDATE edge_sources SET node = (SELECT id FROM nodes WHERE node_id = 'root') WHERE edge ="

TAMPERED = {
    "a byte of text": (node("text = replace(text, '1', '2')"), {"b"}, "not what was hashed"),
    "bytes that are no text": (node("text = CAST(x'ff6d' AS TEXT)"), {"b"}, "not what was hashed"),
    "a text turned into bytes": (node("text = CAST(text || 'x' AS BLOB)"), {"b"}, "not what was hashed"),
    "a content that is no content": (node('content = \'{"type":"?"}\''), {"b"}, "not what was hashed"),
    "a content that is no JSON": (node("content = '{'"), {"b"}, "not what was hashed"),
    "a hash": (node("content_hash = printf('%064d', 0)"), {"b", "c"}, "not what was hashed"),
    "the hashes of its parents": (node("parent_hashes = NULL"), {"b"}, "not what was hashed"),
    "the time": (node("created_at = created_at + 1"), {"b"}, "not what was hashed"),
    "a time past the calendar": (node("created_at = 9000000000000000000"), {"b"}, "not what was hashed"),
    "a time that is no number": (node("created_at = 'noon'"), {"b"}, "not what was hashed"),
    "parent hashes that are no list": (node("parent_hashes = '5'"), {"b"}, "hashes are not hashes"),
    "a foreign key that is no object": (node("extra = '[1]'"), {"b"}, "not what the change log says"),
    "an interruption that is no object": (node("interrupted = '[1]'"), {"b"}, "not what the change log says"),
    "a response's headers": ("UPDATE responses SET headers = '[1]'", {"d", "e"}, "not as it was received"),
    "the author": (node("author_agent_id = 'x'"), {"b"}, "not what was hashed"),
    "human for model": (
        "UPDATE nodes SET author_type = 'human' WHERE node_id = 'd'",
        {"d"},
        "not what was hashed",
    ),
    "the short id": (node("local_id = 'X'"), {"b"}, "not what the change log says"),
    "where it was edited from": (node("edited_from = 'a'"), {"b"}, "not what the change log says"),
    "that it was cut short": (node('interrupted = \'{"reason":"crash"}\''), {"b"}, "change log"),
    "a foreign key": (node("extra = '{\"x\":1}'"), {"b"}, "not what the change log says"),
    "a flag": (node("excluded = 1"), {"b"}, "its flags or its summary"),
    "a label": ("UPDATE nodes SET bookmark_label = 'x' WHERE node_id = 'a'", {"a"}, "its flags"),
    "a summary": (node("summary = 'x'"), {"b"}, "its flags or its summary"),
    "a node hidden": (node("present = 0"), {"b", "c"}, "no longer holds it"),
    "a node shown": ("UPDATE nodes SET present = 1", {""}, "taken back"),
    "a source": (f"{SOURCE} {EDGE_TO_B}", {"b"}, "the edge that leads to it"),
    "a role": (f"UPDATE edge_sources SET role = 'context' WHERE edge = {EDGE_TO_B}", {"b"}, "the edge"),
    "an edge's type": (
        f"UPDATE edges SET type = 'annotation' WHERE id = {EDGE_TO_B}",
        {"b"},
        "the edge that leads to it",
    ),
    "an edge hidden": (f"UPDATE edges SET present = 0 WHERE id = {EDGE_TO_B}", {"b"}, "no longer holds"),
    "a response's model": ("UPDATE responses SET model = 'better'", {"d", "e"}, "not as it was received"),
    "a response's request": (
        "UPDATE responses SET request_gzip = x'00'",
        {"d", "e"},
        "not as it was received",
    ),
    "a response that is no gzip": (
        "UPDATE responses SET body_gzip = x'1f8b08'",
        {"d", "e"},
        "cannot be read",
    ),
    "a response turned into text": (
        "UPDATE responses SET body_gzip = 'Hello'",
        {"d", "e"},
        "cannot be read",
    ),
    "a response taken away": ("DELETE FROM node_responses", {"d", "e"}, "its response is gone"),
    "a choice": (
        "UPDATE node_responses SET choice_index = 1 - choice_index",
        {"d", "e"},
        "not what was hashed",
    ),
    "the system context": ("UPDATE trees SET system_context = 'x'", {"root"}, "title or settings"),
}


@pytest.mark.parametrize("name", one_in(3, TAMPERED))
def test_verification_names_the_node_after_a_change_by_another_hand(written: Path, name: str) -> None:
    sql, named, words = TAMPERED[name]

    run(written, (sql,))

    found = failed(written)
    if named == {""}:  # the note that was undone has an id of its own
        assert len(found) == 1
    else:
        assert found.keys() == named
    assert any(words in reason for reason in found.values())


def test_a_change_log_that_cannot_be_read_is_damage_and_no_fault_of_ours(written: Path) -> None:
    run(written, ("UPDATE change_log SET body = '{'",))

    with pytest.raises(GroveError) as error:
        findings(written)

    assert error.value.code == "damaged"


def test_another_body_of_the_same_length_is_found(written: Path) -> None:
    run(written, ("UPDATE responses SET body_gzip = ?", compress(b"one\ntwO")))

    assert failed(written).keys() == {"d", "e"}


def test_a_byte_of_the_gzip_header_is_found_though_the_body_is_the_same(written: Path) -> None:
    [(gzipped,)] = rows(written, "SELECT body_gzip FROM responses")
    run(written, ("UPDATE responses SET body_gzip = ?", gzipped[:9] + b"\x07" + gzipped[10:]))

    assert failed(written).keys() == {"d", "e"}


def test_nodes_in_another_order_are_named(written: Path) -> None:
    """Two nodes that change places: every number that points at them follows."""
    numbers = dict(rows(written, "SELECT node_id, id FROM nodes WHERE node_id IN ('b', 'c')"))
    swap_numbers(
        written, "nodes", numbers["b"], numbers["c"], (("edges", "target"), ("edge_sources", "node"))
    )

    found = failed(written)

    assert len(found) == 1
    assert found.keys() <= {"b", "c"}
    assert all("order of creation" in reason for reason in found.values())


def test_siblings_in_another_order_are_named(written: Path) -> None:
    numbers = dict(
        rows(
            written,
            "SELECT node_id, edges.id FROM edges JOIN nodes ON target = nodes.id WHERE node_id IN ('d','e')",
        )
    )
    swap_numbers(written, "edges", numbers["d"], numbers["e"], (("edge_sources", "edge"),))

    found = failed(written)

    assert len(found) == 1
    assert found.keys() <= {"d", "e"}
    assert all("among its siblings" in reason for reason in found.values())


def swap_numbers(path: Path, table: str, a: int, b: int, pointers: tuple[tuple[str, str], ...]) -> None:
    for old, new in ((a, -1), (b, a), (-1, b)):
        run(path, (f"UPDATE {table} SET id = ? WHERE id = ?", new, old))
        for pointing, column in pointers:
            run(path, (f"UPDATE {pointing} SET {column} = ? WHERE {column} = ?", new, old))


def rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def test_a_node_whose_row_is_gone_is_named_and_the_rest_can_be_read(written: Path) -> None:
    run(written, ("DELETE FROM nodes WHERE node_id = 'b'",))

    found = failed(written)

    assert found.keys() == {"b", "c"}
    assert "no longer holds it" in found["b"]


def test_a_node_slipped_in_is_named(written: Path) -> None:
    columns = (
        "tree, present, local_id, text, author_type, created_at, content_hash, bookmarked, pruned, excluded"
    )
    run(
        written,
        (f"INSERT INTO nodes (node_id, {columns}) SELECT 'z', {columns} FROM nodes WHERE node_id = 'root'",),
    )

    assert "the change log does not know it" in failed(written)["z"]


def test_a_branch_that_was_moved_is_said_to_be_moved_and_what_hangs_on_it_is_fine(path: Path) -> None:
    with create_grove(path) as grove:
        tree, ids = planted(grove, Hand())
        edge = tree.incoming(ids[1])[0]
        elsewhere = RowChange(None, type(edge)("new", (EdgeSource(tree.root_id),), ids[1], created_at=9))
        grove.commit(tree, Change(tree.loom.id, "Move", 9, (RowChange(edge, None), elsewhere)))

        found = {f.node_id: f.verdict for f in verify_tree(grove, tree.loom.id)}

        assert found == {tree.root_id: "ok", ids[0]: "ok", ids[1]: "moved", ids[2]: "ok"}
        grove.undo(tree)
        assert {f.verdict for f in verify_tree(grove, tree.loom.id)} == {"ok"}


def test_a_model_node_without_a_response_is_no_evidence(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        example = edit_context.EditContext("model", 5, hand.new_id, author_type="model")
        grove.commit(tree, node_edits.add_node(tree, ids[0], "written by hand", example))

        assert [f.verdict for f in verify_tree(grove, tree.loom.id)] == ["ok"] * 4 + ["no evidence"]
