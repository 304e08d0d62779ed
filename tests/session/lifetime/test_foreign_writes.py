"""Nodes that other programs wrote wait until somebody looked at them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from loomapp.core.edits import agent_memory, node_edits, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.session.document import Document
from loomapp.session.lifetime.foreign_writes import COMMAND_LINE, ForeignWrites
from loomapp.session.open_tree import Initiator
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now

CLIENT = "Claude Desktop"


def written(document: Document, *texts: str, action: str = "") -> list[str]:
    """The ids of nodes that a client wrote one below the other, each in a step."""
    ids: list[str] = []
    with open_grove(document.grove.path) as other:
        tree = other.load_tree(document.tree.loom.id)
        pen = EditContext(other.owner.id, now(), new_id, by=CLIENT)
        for text in texts:
            change = node_edits.add_node(tree, tree.path.leaf_id, text, pen)
            other.commit(tree, replace(change, action=action))
            ids += [node.id for node in change.added_nodes()]
    document.catch_up()
    return ids


def test_they_wait_with_the_name_of_who_wrote_them_until_they_are_read(document: Document) -> None:
    writes = ForeignWrites(document)
    first, second = written(document, "one", "two")

    assert (writes.node_ids, writes.writers) == ((first, second), (CLIENT,))
    assert writes.newest_steps == 2
    document.place.read_through(first, keeps_place=True)
    document.place.set_current(first)
    assert first not in writes.node_ids


def test_undo_takes_them_back_and_nothing_waits(document: Document) -> None:
    writes = ForeignWrites(document)
    written(document, "one", "two")

    for _ in range(writes.newest_steps):
        document.history.undo(lambda _: None)

    assert (writes.node_ids, writes.newest_steps) == ((), 0)
    assert len(document.tree.nodes) == 1


def test_steps_of_one_action_are_one(document: Document) -> None:
    writes = ForeignWrites(document)

    written(document, "one", "two", action="run")

    assert writes.newest_steps == 1


def test_what_is_done_here_since_is_not_taken_back_as_theirs(document: Document) -> None:
    writes = ForeignWrites(document)
    written(document, "one")

    document.commit(node_edits.add_node(document.tree, document.tree.root_id, "mine", document.pen()))

    assert writes.newest_steps == 0
    assert len(writes.node_ids) == 1


def test_what_is_no_step_leaves_theirs_the_newest(document: Document) -> None:
    writes = ForeignWrites(document)
    written(document, "one")

    change = agent_memory.remember_actions(document.tree, "claude", ["→ view A"], document.pen())
    assert change is not None
    document.commit_to(document.tree, replace(change, undoable=False), Initiator("agent"))

    assert writes.newest_steps == 1


def test_what_they_took_back_themselves_is_not_taken_back_again(document: Document) -> None:
    document.commit(node_edits.add_node(document.tree, document.tree.root_id, "mine", document.pen()))
    writes = ForeignWrites(document)
    written(document, "one", "two")

    with open_grove(document.grove.path) as other:
        other.undo(other.load_tree(document.tree.loom.id))
    document.catch_up()

    assert writes.newest_steps == 0


def test_a_damaged_row_of_another_tree_hides_nothing_of_what_was_written_meanwhile(
    document: Document, tmp_path: Path
) -> None:
    seen = document.grove.sequence()
    elsewhere = tree_edits.new_tree("dialogue", "Elsewhere", document.pen(), text="Hello")
    with open_grove(document.grove.path) as other:
        other.add_tree(elsewhere)
        pen = EditContext(other.owner.id, now(), new_id, by=COMMAND_LINE)
        change = node_edits.add_node(elsewhere, elsewhere.root_id, "lost", pen)
        other.commit(elsewhere, change)
    here = written(document, "found")
    with closing(sqlite3.connect(document.grove.path)) as file, file:
        file.execute("UPDATE nodes SET node_id = 'damaged' WHERE text = 'lost'")
        file.execute("UPDATE change_log SET body = '' WHERE label = 'Write' AND made_by = ?", (CLIENT,))
        file.execute("UPDATE change_log SET made_at = 'noon' WHERE made_by = ?", (COMMAND_LINE,))

    writes = ForeignWrites(document)
    writes.take_left(seen, holds_own=True)

    (lost,) = change.added_nodes()
    assert writes.elsewhere == {elsewhere.loom.id: {lost.id: COMMAND_LINE}}
    assert here[0] not in writes.node_ids  # its entry says nothing that could be read
    assert writes.newest_at == 0
