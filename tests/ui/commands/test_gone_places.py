"""Texts that were put away unfinished: where what they were for is gone, their words can be copied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from loomapp.core.edits import agent_memory, documents, node_edits, node_marks
from loomapp.core.edits.agent_memory import text_key
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ContextSummary
from loomapp.session.document import Document
from loomapp.session.recovery import BegunKind, BegunText
from loomapp.store.files import drafts
from loomapp.store.identity import now
from loomapp.ui.unsaved.open_edits import COPY, GO_ON
from loomapp.ui.window.main_window import MainWindow
from tests.kit.groves import written
from tests.kit.windows import unseen_window

GONE = "What it was for is gone or deleted."


def message(document: Document) -> str:
    document.commit(node_edits.add_node(document.tree, document.path_ids[-1], "And a fish?", document.pen()))
    return document.path_ids[-1]


def plan(document: Document) -> str:
    change = documents.new_document(document.tree, "Plan", document.pen(), "Birds.")
    document.commit(change)
    return change.added_nodes()[0].id


def stashed(document: Document) -> str:
    owner = document.grove.owner.id
    document.commit(agent_memory.stash(document.tree, owner, "birds", "wren", document.pen()))
    return text_key(document.tree.loom.id, owner, "birds")


def summary(document: Document) -> str:
    row = ContextSummary(document.path_ids[-1], "ab" * 32, {"text": "On birds."})
    document.commit(Change(document.tree.loom.id, "Summarise", now(), (RowChange(None, row),)))
    return row.key


MADE: dict[BegunKind, Callable[[Document], str]] = {
    "edit": message,
    "note": message,
    "summary": message,
    "document": plan,
    "memory": stashed,
    "card": summary,
}


def put_away(window: MainWindow, kind: BegunKind, key: str) -> str:
    words = f"Words of a {kind}."
    tree_id = window.document.tree.loom.id
    window.writings.keep(BegunText(kind, tree_id, key, words, now(), is_closed=True))
    return words


def test_words_whose_place_is_gone_are_there_to_be_copied(tmp_path: Path, qtbot: QtBot) -> None:
    path = written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))
    with unseen_window(path) as window:
        document, strip = window.document, window.text_pane.closed_texts
        for kind, make in MADE.items():
            words = put_away(window, kind, make(document))
            assert GONE not in strip.text

            document.history.undo(lambda _: None)
            assert strip.text.endswith(f"“{words}” {GONE}"), kind
            document.history.redo()
            assert GONE not in strip.text, "it is there again"
            document.history.undo(lambda _: None)
            strip.act_clicked.emit(COPY)

            assert QGuiApplication.clipboard().text() == words
            assert window.writings.closed() == ()

        # in an open field, which goes with its message
        key = message(document)
        window.writings.on_edit_typed(key, "And a newt?")
        assert window.writings.closed() == ()
        document.history.undo(lambda _: None)
        assert strip.text.endswith(f"“And a newt?” {GONE}")
        document.history.redo()
        assert window.writings.closed() == ()
        window.writings.discard("edit", key)

        # deleted, and not gone
        words = put_away(window, "note", message(document))
        document.commit(node_marks.prune_all(document.tree, [document.path_ids[-1]], document.pen()))
        assert strip.text.endswith(GONE)
        document.history.undo(lambda _: None)
        strip.act_clicked.emit(GO_ON)
        assert window.text_pane.note_box.editor.field.toPlainText() == words
        window.writings.discard("note", document.path_ids[-1])

        # the edit of a note, while another tree is read
        birds = document.tree.loom.id
        change = node_edits.annotate(document.tree, key, "A note.", document.pen())
        document.commit(change)
        window.writings.open_note(change.added_nodes()[0].id)
        window.text_pane.note_box.editor.field.setPlainText("Half another.")
        document.new_tree("dialogue")
        assert window.text_pane.note_box.isHidden()
        document.open_tree(birds)
        assert not window.text_pane.note_box.isHidden()
        assert window.text_pane.note_box.editor.text == "Half another."
        window.text_pane.note_box.on_discarded()
    assert not drafts.read(drafts.drafts_folder(path))
