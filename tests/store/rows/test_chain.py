"""One chain a grove: whoever writes, however often it is undone, and where texts are deleted for good."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.model import log_chain
from loomapp.core.model.log_chain import LogFacts
from loomapp.store.checks.grove_verification import Verified, verify_grove
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from tests.kit.groves import MODEL, generated, planted
from tests.kit.trees import Hand
from tests.store.programs import program
from tests.store.rows.emptied_rows import empty


def verified_by(path: Path, witness: str = "") -> Verified:
    with read_grove(path) as grove:
        return verify_grove(grove, witness=witness)


def test_a_worked_chain_is_what_it_always_was() -> None:
    body = log_chain.body_of([["node", None, {}, "n1", "ab"], ["tag", None, {"name": "t"}]], {"action": "x"})
    facts = LogFacts(1, 7, "Write", "you", 1_790_000_000_000, True)

    assert body.text == '{"rows":[["node",null,{},"n1","ab"],["tag",null,{"name":"t"}]],"action":"x"}'
    assert log_chain.read_body(body.text) == body
    # As the README of the formats has it, computed by hand from what stands there.
    assert log_chain.link_of(log_chain.START, facts, body) == (
        "bb6091e0bee9b7bebbbd857695ca1aa03e1a864f5b244b649b5ee3140be72338"
    )


@pytest.mark.parametrize("text", ["{", '{"rows":[1 2]}', '{"rows":[[]', '{"rows":[["a"]["b"]]}', "[]", ""])
def test_a_body_that_is_none_is_sealed_as_the_text_that_it_is(text: str) -> None:
    body = log_chain.body_as_found(text)

    assert (body.rows, body.digest) == ((), log_chain.digest(text))


def test_a_row_that_is_emptied_leaves_every_digest_as_it_was() -> None:
    rows: list[object] = [["node", None, {"summary": "secret"}, "n1", "ab"], ["tag", None, {"name": "t"}]]
    body = log_chain.body_of(rows, {})

    left = log_chain.body_of([log_chain.emptied(rows[0]), rows[1]], {})

    assert "secret" not in left.text
    assert (left.digest, log_chain.read_body(left.text).digest) == (body.digest, body.digest)


def test_two_programs_that_write_at_once_keep_one_chain(grove: Grove, path: Path) -> None:
    tree, _ = planted(grove, Hand())

    with (
        program("write_many", str(path), tree.loom.id, "40") as one,
        program("write_many", str(path), tree.loom.id, "40") as other,
    ):
        assert (one.wait(), other.wait()) == (0, 0)

    verified = verify_grove(grove)
    assert not verified.failed
    assert verified.head is not None
    assert verified.head.links >= 80


def test_undo_and_redo_of_many_steps_keep_the_chain(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand, length=20)
    grove.commit(tree, generated(tree, ids[-1], ["one", "two"], hand))
    kept = verify_grove(grove).head
    assert kept is not None

    while grove.undo(tree):
        pass
    assert not verify_grove(grove).failed
    for _ in range(9):
        grove.redo(tree)
    grove.commit(tree, node_edits.add_node(tree, tree.root_id, "elsewhere", hand.pen()))

    verified = verify_grove(grove, witness=kept.link)
    assert not verified.failed
    assert verified.since == 21 + 9 + 1


def test_an_import_and_what_comes_in_again_keep_the_chain(grove: Grove, tmp_path: Path) -> None:
    hand = Hand()
    with create_grove(tmp_path / "other.loom") as other:
        tree, ids = planted(other, hand)
        first = other.load_tree(tree.loom.id)
        other.commit(tree, generated(tree, ids[-1], ["one"], hand))
        grove.add_tree(first, [MODEL])
        grove.add_tree(tree, [MODEL, replace(MODEL, id="second")], other.all_evidence(tree.loom.id))
        grove.add_tree(tree, [MODEL])

    assert not verify_grove(grove).failed


def test_agents_and_settings_are_sealed_as_they_change(grove: Grove) -> None:
    before = verify_grove(grove).head
    assert before is not None

    grove.put_agent(MODEL)
    grove.put_agent(MODEL)  # nothing new
    grove.put_agent(replace(MODEL, name="Renamed"))
    grove.put_setting("a", [1])
    grove.put_setting("a", [1])

    verified = verify_grove(grove, witness=before.link)
    assert (verified.failed, verified.since) == (False, 3)


def test_what_was_deleted_for_good_is_no_longer_in_the_log_and_the_chain_holds(path: Path) -> None:
    node_id = _with_a_secret(path)
    kept = verified_by(path).head
    assert kept is not None

    with open_grove(path) as grove, grove._file.writing() as connection:
        empty(connection, grove.trees()[0].id, [node_id], by="you")
    _delete(path, node_id)

    verified = verified_by(path, kept.link)
    assert (verified.failed, verified.since) == (False, 1)
    assert b"secret" not in path.read_bytes()


def test_rows_that_are_emptied_without_a_deletion_are_named(path: Path) -> None:
    _with_a_secret(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for sequence, text in database.execute("SELECT sequence, body FROM change_log").fetchall():
            if "secret" in text:
                body = log_chain.read_body(text)
                left = log_chain.with_rows(body, [log_chain.emptied(row) for row in body.rows])
                database.execute("UPDATE change_log SET body = ? WHERE sequence = ?", (left, sequence))

    faults = verified_by(path).faults

    assert any("emptied" in fault for fault in faults)
    assert not any("sealed" in fault for fault in faults)


def _with_a_secret(path: Path) -> str:
    """A grove whose last node was bookmarked and deleted again; its id."""
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        for change in (
            node_marks.bookmark(tree, ids[-1], "secret", hand.pen()),
            node_edits.choose_path(tree, ids[0], hand.pen()),
        ):
            assert change is not None
            grove.commit(tree, change)
        pruned = node_marks.prune(tree, ids[-1], hand.pen())
        assert pruned is not None
        grove.commit(tree, pruned)
    return ids[-1]


def _delete(path: Path, node_id: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        number = database.execute("SELECT id FROM nodes WHERE node_id = ?", (node_id,)).fetchone()[0]
        edge = database.execute("SELECT id FROM edges WHERE target = ?", (number,)).fetchone()[0]
        database.execute("DELETE FROM edge_sources WHERE edge = ?", (edge,))
        database.execute("DELETE FROM edges WHERE id = ?", (edge,))
        database.execute("DELETE FROM nodes WHERE id = ?", (number,))
        database.execute("VACUUM")
