"""What is attached for the next answer: attaching and detaching are steps of undo until the tree moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, tree_edits
from loomapp.session.context.pending_sources import PendingSources
from loomapp.session.document import Document
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.trees import Hand


@pytest.fixture
def document(tmp_path: Path, qtbot: QtBot) -> Iterator[Document]:
    with create_grove(tmp_path / "g.loom") as grove:
        grove.add_tree(tree_edits.new_tree("dialogue", "Birds", Hand().pen(grove.owner.id)), [grove.owner])
    document = Document(open_grove(tmp_path / "g.loom"))
    yield document
    document.deleteLater()
    document.grove.close()


def written(document: Document, text: str) -> str:
    document.commit(node_edits.add_node(document.tree, document.path_ids[-1], text, document.pen()))
    return document.path_ids[-1]


def test_attaching_and_detaching_are_steps_of_undo_until_the_tree_moves(document: Document) -> None:
    first, second, last = (written(document, text) for text in ("Wren.", "Lark.", "Rook."))
    pending = PendingSources(document, document)
    assert not pending.undo()

    pending.attach([first], "context")
    pending.attach([second], "instruction")
    assert pending.undo()
    assert pending.roles == {first: "context"}
    assert pending.undo()
    assert (pending.roles, pending.can_undo) == ({}, False)
    assert [pending.redo(), pending.redo(), pending.redo()] == [True, True, False]
    pending.detach(first)
    assert pending.undo()
    assert pending.roles == {first: "context", second: "instruction"}

    written(document, "And the wind?")
    assert (pending.can_undo, pending.can_redo) == (False, False), "what was done since comes first"
    assert pending.roles == {first: "context", second: "instruction"}
    sources = pending.sources(last)
    pending.sent(sources)
    assert pending.roles == {}
    pending.came_to_nothing(document.tree.loom.id, sources)
    assert pending.roles == {first: "context", second: "instruction"}
    assert not pending.undo(), "that they came back is no step"


def test_what_came_with_a_step_of_the_tree_is_none_by_itself(document: Document) -> None:
    first = written(document, "Wren.")
    pending = PendingSources(document, document)

    pending.attach([first], "context", is_step=False)

    assert not pending.can_undo
    assert pending.roles == {first: "context"}


def test_steps_of_the_tree_and_what_is_attached_go_back_and_forth_in_the_order_in_which_they_were_done(
    document: Document,
) -> None:
    written(document, "Wren.")
    lark = written(document, "Lark.")
    history, pending = document.history, PendingSources(document, document)
    pending.attach([lark], "context")

    assert pending.undo()
    history.undo(lambda _: None)
    assert lark not in document.tree.nodes
    assert not pending.redo(), "its message comes first"
    history.redo()
    assert pending.redo()
    assert pending.roles == {lark: "context"}

    pending.detach(lark)
    assert pending.undo()
    history.undo(lambda _: None)
    pending.attach([document.path_ids[-1]], "instruction")
    history.redo()
    assert not pending.undo(), "what was done again since comes first"
    history.undo(lambda _: None)
    assert pending.undo()


def test_answers_and_what_went_along_with_them_are_one_step(document: Document) -> None:
    first, last = written(document, "Wren."), written(document, "Rook.")
    pending = PendingSources(document, document)
    pending.attach([first], "context")
    sources = pending.sources(last)
    pending.sent(sources)
    beside = sources.as_edge_sources()
    document.commit(node_edits.add_node(document.tree, last, "Yes.", document.pen(), sources=beside))

    document.history.undo(lambda _: None)
    assert (pending.roles, pending.can_undo) == ({first: "context"}, False)
    document.history.redo()
    assert pending.roles == {}
