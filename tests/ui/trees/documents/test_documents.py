"""Documents in the window: their list, the page of one, and words that are in no version yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits.documents import documents_of, text_of, write_document
from loomapp.core.edits.edit_context import EditContext
from loomapp.store.connections import connect
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import dialogue, documents
from loomapp.ui.commands.trees import tree_files
from loomapp.ui.trees.documents.page import DocumentPage
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.conversations import AGENTS, letter
from tests.kit.copies import copy_as_killed
from tests.kit.drag import drop
from tests.kit.find import find
from tests.kit.groves import agree
from tests.kit.windows import open_window

WAIT_MS = 20_000


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove in which an agent wrote a document twice."""
    path = tmp_path / "groves" / "g.loom"
    path.parent.mkdir()
    with create_grove(path) as grove:
        grove.add_tree(letter(), [grove.owner, *AGENTS.values()])
        for text in ("Oil.", "Oil and glass."):
            agent_writes(path, text)
    return path


def agent_writes(path: Path, text: str, name: str = "Drafts") -> None:
    with open_grove(path) as grove:
        tree = grove.load_tree("tree")
        change = write_document(tree, name, text, EditContext("claude", now(), new_id, "model"))
        assert change is not None
        grove.commit(tree, change)


def field(window: MainWindow) -> QPlainTextEdit:
    return find(page(window), QPlainTextEdit, "documentField")


def page(window: MainWindow) -> DocumentPage:
    found = documents.shown_page(window.bench)
    assert found is not None, "a document is shown"
    return found


def listed(window: MainWindow) -> list[tuple[str, int, str]]:
    entries = window.side_parts.documents.entries
    return [(entry.name, entry.number, entry.agent.name if entry.agent else "") for entry in entries]


def newest(window: MainWindow, name: str = "Drafts") -> str:
    return next(d.newest.id for d in documents_of(window.document.tree) if d.name == name)


def text(window: MainWindow, name: str = "Drafts") -> str:
    return text_of(window.document.tree.nodes[newest(window, name)])


def choose_version(window: MainWindow, number: int) -> None:
    menu = find(page(window), QMenu, "versionMenu")
    menu.aboutToShow.emit()
    found = next(action for action in menu.actions() if action.text().startswith(f"Version {number} "))
    found.trigger()


def open_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(window.side_parts.documents.entries))
    window.actions_set.by_name["focusDocuments"].trigger()
    QTest.keyClick(window.side_parts.documents, Qt.Key.Key_Return)


def test_a_document_is_read_written_and_left_by_keys_and_each_saving_is_a_version(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        open_by_keys(window, qtbot)
        assert listed(window) == [("Drafts", 2, "Claude Sonnet")]
        assert field(window).toPlainText() == "Oil and glass."
        assert field(window).hasFocus()

        field(window).selectAll()
        QTest.keyClicks(field(window), "Glass.")
        assert text(window) == "Oil and glass."
        assert window.document.place.has_words() is False  # they are about nothing that is read
        QTest.keyClick(field(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert (text(window), listed(window)) == ("Glass.", [("Drafts", 3, "You")])
        assert not find(page(window), QPushButton, "saveDocument").isEnabled()

        QTest.keyClicks(field(window), " Clear.")
        QTest.keyClick(field(window), Qt.Key.Key_Escape)
        assert window.pages.is_showing_graph
        assert (text(window), listed(window)[0][1]) == ("Glass. Clear.", 4)
        assert window.side_parts.documents.hasFocus()

        open_by_keys(window, qtbot)
        window.actions_set.by_name["undo"].trigger()
        assert (text(window), field(window).toPlainText()) == ("Glass.", "Glass.")
        QTest.keyClicks(field(window), " No")
        window.actions_set.by_name["undo"].trigger()  # what is typed is what was done last
        assert (text(window), field(window).toPlainText()) == ("Glass.", "Glass.")
        window.actions_set.by_name["redo"].trigger()
        assert text(window) == "Glass. No"

        choose_version(window, 1)
        assert (field(window).toPlainText(), field(window).isReadOnly()) == ("Oil.", True)
        strip = find(page(window), ErrorStrip, "documentStrip")
        strip.act_clicked.emit("bringBack")
        assert (text(window), listed(window)[0][1], strip.isHidden()) == ("Oil.", 5, True)
        assert not field(window).isReadOnly()
        assert agree(window.document.grove, window.document.tree)


def test_what_an_agent_writes_is_shown_at_once_and_takes_no_words_from_a_page(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        open_by_keys(window, qtbot)
        window.preview.pending.attach([newest(window)], "context")
        agent_writes(grove, "Wick.")
        window.document.catch_up()
        assert (field(window).toPlainText(), listed(window)[0][1]) == ("Wick.", 3)
        assert window.preview.pending.roles == {newest(window): "context"}

        QTest.keyClicks(field(window), "My ")
        agent_writes(grove, "Oil again.")
        agent_writes(grove, "", "Another")
        window.document.catch_up()
        assert field(window).toPlainText() == "My Wick."
        assert "newer version" in find(page(window), ErrorStrip, "documentStrip").text
        assert [name for name, _, _ in listed(window)] == ["Another", "Drafts"]
        QTest.keyClick(field(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert (text(window), listed(window)[1][1:]) == ("My Wick.", (5, "You"))
        assert find(page(window), ErrorStrip, "documentStrip").isHidden()

        documents.delete(window.bench, newest(window))
        assert window.pages.is_showing_graph
        assert [name for name, _, _ in listed(window)] == ["Another"]
        window.actions_set.by_name["undo"].trigger()
        dialogue.follow_link(window.bench, f"node:{newest(window)}")
        assert field(window).toPlainText() == "My Wick."
        find(page(window), QToolButton, "closeDocument").click()
        assert window.pages.is_showing_graph


@pytest.fixture
def busy(grove: Path) -> Iterator[sqlite3.Connection]:
    """Another program that begins to write when it is told."""
    with closing(connect(grove)) as other:
        yield other


def test_words_of_a_page_outlive_a_kill_and_a_file_that_takes_nothing(
    grove: Path, busy: sqlite3.Connection, qtbot: QtBot, tmp_path: Path
) -> None:
    copy = tmp_path / "killed"
    with open_window(grove, qtbot) as window:
        window.document.new_tree("dialogue")
        other = window.document.tree.loom.id
        window.document.open_tree("tree")
        open_by_keys(window, qtbot)
        QTest.keyClicks(field(window), "Lamp. ")
        journal = window.journal
        assert journal is not None
        assert journal.settle(WAIT_MS / 1e3)
        copy_as_killed(grove.parent, copy)

        busy.execute("BEGIN IMMEDIATE")
        window.document.open_tree(other)
        assert window.pages.is_showing_graph
        assert "a document" in window.banner.unsaved.text
        assert window.text_pane.errors.text == ""  # it is in another tree, and not gone
        busy.execute("ROLLBACK")
        qtbot.waitUntil(lambda: window.document.tree.loom.id == "tree", timeout=WAIT_MS)
        qtbot.waitUntil(lambda: text(window) == "Lamp. Oil and glass.", timeout=WAIT_MS)
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)

    with open_window(copy / grove.name, qtbot) as window:
        qtbot.waitUntil(lambda: "Unfinished document" in window.text_pane.closed_texts.text)
        assert text(window) == "Oil and glass."
        window.text_pane.closed_texts.act_clicked.emit("goOn")
        assert field(window).toPlainText() == "Lamp. Oil and glass."
        QTest.keyClick(field(window), Qt.Key.Key_Escape)
        assert text(window) == "Lamp. Oil and glass."
        assert window.text_pane.closed_texts.isHidden()


def test_a_document_is_begun_named_anew_and_listed_by_its_name(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        find(window, QToolButton, "newDocumentButton").click()
        palette = window.palette_box
        QTest.keyClicks(palette.focusWidget() or palette, "Marie")
        QTest.keyClick(palette.focusWidget() or palette, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: documents.shown_page(window.bench) is not None)
        QTest.keyClicks(field(window), "Nineteen.")
        QTest.keyClick(field(window), Qt.Key.Key_Escape)
        assert listed(window) == [("Drafts", 2, "Claude Sonnet"), ("Marie", 1, "You")]

        window.side_parts.documents.rename_asked.emit(newest(window, "Marie"))
        QTest.keyClicks(palette.focusWidget() or palette, "About her")
        QTest.keyClick(palette.focusWidget() or palette, Qt.Key.Key_Return)
        assert [name for name, _, _ in listed(window)] == ["About her", "Drafts"]
        assert text(window, "About her") == "Nineteen."

        # dragged onto a card or the text it goes along, with what is written on the page
        rows = window.side_parts.documents.model()
        texts = ((window.dialogue.viewport(), "context"), (window.graph.viewport(), "instruction"))
        for target, role in texts:
            assert drop(target, rows.mimeData([rows.index(0, 0)]))
            menu = find(window, QMenu, "attachMenu")
            next(act for act in menu.actions() if act.text() == f"Attach as {role}").trigger()
            menu.close()
            QCoreApplication.sendPostedEvents(menu, QEvent.Type.DeferredDelete)
            assert window.preview.pending.roles == {newest(window, "About her"): role}
        assert not drop(window.dialogue.viewport(), QMimeData())

        # who reads one after the other has typed in neither
        for name in ("Drafts", "About her", "Drafts"):
            documents.open_document(window.bench, newest(window, name))
        assert (text(window), text(window, "About her")) == ("Oil and glass.", "Nineteen.")
        assert field(window).toPlainText() == "Oil and glass."
        assert not window.writings.has_words

        # what is emptied is empty
        field(window).selectAll()
        QTest.keyClick(field(window), Qt.Key.Key_Delete)
        QTest.keyClick(field(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert (text(window), field(window).toPlainText()) == ("", "")
        assert find(page(window), QToolButton, "documentVersions").accessibleName() == "Version 3 of 3"

        # and what is written is in what goes out
        QTest.keyClicks(field(window), "Wick.")
        tree_files.commit_all(window.bench)
        assert text(window) == "Wick."

        # words outlive the version that they were written on
        QTest.keyClicks(field(window), " Oil.")
        window.document.history.undo(lambda _: None)
        assert (text(window), field(window).toPlainText()) == ("", "Wick. Oil.")
        QTest.keyClick(field(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert text(window) == "Wick. Oil."
