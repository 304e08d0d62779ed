"""Saved or draft: words in a buffer are saved in time, and of all others it is said that they are drafts.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.model.content import AttachedDocument
from loomapp.session.writing import open_buffer
from loomapp.ui.commands import node_actions
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.export_panel import export_panel
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.processes.outside import loomapp
from tests.kit.processes.warm import run
from tests.kit.servers.fake_server import FakeServer
from tests.kit.windows import open_window
from tests.ui.buffer.test_view import server, writing

__all__ = ["server"]

FIRST = "The lamp was lit."


def status(window: MainWindow) -> str:
    return find(window, QLabel, "statusSaved").text().split()[0]


def in_file(path: Path) -> str:
    """What another program is told would be sent."""
    tree_id = loomapp("trees", "--grove", path).split()[0]
    return loomapp("context", "--grove", path, "--tree", tree_id)


@pytest.fixture
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_buffer, "SAVE_AFTER_MS", 300)


@pytest.mark.usefixtures("short_pause")
def test_after_a_pause_another_program_reads_what_is_on_the_screen(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    path = tmp_path / "g.loom"
    with writing(path, qtbot, server, FIRST) as window:
        window.writing.settle()
        editor = window.buffer.view.editor
        assert status(window) == "Saved"
        for words in (" One", " two"):
            QTest.keyClicks(editor, words)
            assert status(window) == "Draft"
            qtbot.waitUntil(lambda: status(window) == "Saved")
        editor.set_caret(3)
        top = editor.verticalScrollBar().value()
        QTest.keyClicks(editor, " old")
        qtbot.waitUntil(lambda: status(window) == "Saved")

        assert (editor.caret, editor.verticalScrollBar().value()) == (7, top)
        assert editor.text == "The old lamp was lit. One two"
        assert editor.text in in_file(path)
        assert len(window.document.tree.nodes) == 4
        tree_id = window.document.tree.loom.id
        assert "The old lamp was lit." in loomapp("export", "--grove", path, "--tree", tree_id)
        window.writing.input.end_step()
        QTest.keyClicks(editor, "er")
        for text in ("The old lamp was lit. One two", "The lamp was lit. One two"):
            window.actions_set.by_name["undo"].trigger()
            assert editor.text == text


@pytest.mark.slow
def test_after_five_seconds_without_a_key_a_backup_has_the_words(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_buffer, "SAVE_AFTER_MS", 5_000)
    path, copy = tmp_path / "g.loom", tmp_path / "copy.loom"
    with writing(path, qtbot, server, FIRST) as window:
        window.writing.settle()
        QTest.keyClicks(window.buffer.view.editor, " More")
        qtbot.waitUntil(lambda: status(window) == "Saved")
        loomapp("backup", "--grove", path, copy)
    assert FIRST + " More" in in_file(copy)


def test_words_are_saved_when_the_caret_goes_to_another_passage(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    path = tmp_path / "g.loom"
    with writing(path, qtbot, server, FIRST) as window:
        window.writing.settle()
        editor = window.buffer.view.editor
        QTest.keyClicks(editor, " More")
        QTest.keyClick(editor, Qt.Key.Key_Left)
        assert status(window) == "Draft"
        QTest.keyClick(editor, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        assert status(window) == "Saved"
        assert editor.caret == 0
        assert FIRST + " More" in in_file(path)

        document, box = window.document, window.text_pane.note_box
        note = node_edits.annotate(document.tree, document.path_ids[1], "A note.", document.pen())
        document.commit(note)
        QTest.keyClicks(editor, "Once ")
        box.written.emit(note.added_nodes()[0].id, "Another note.")
        nodes = [document.tree.nodes[i] for i in document.tree.notes(document.path_ids[1])]
        assert editor.text == f"Once {FIRST} More"
        assert [one.text for one in nodes if not one.metadata.pruned] == ["Another note."]


@pytest.mark.slow
def test_words_are_saved_when_the_window_is_left(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> None:
    path = tmp_path / "g.loom"
    with writing(path, qtbot, server, FIRST) as window:
        QTest.keyClicks(window.buffer.view.editor, " More")
        assert status(window) == "Draft"
        other = QWidget()
        show_active(qtbot, other)
        qtbot.waitUntil(lambda: status(window) == "Saved")
        other.close()
        other.deleteLater()
        assert FIRST + " More" in in_file(path)


@pytest.mark.slow
@pytest.mark.usefixtures("short_pause")
def test_nothing_is_saved_while_an_input_method_composes(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, FIRST) as window:
        editor = window.buffer.view.editor
        QTest.keyClicks(editor, " More")
        QCoreApplication.sendEvent(editor, QInputMethodEvent("に", []))
        qtbot.wait(900)
        assert status(window) == "Draft"
        event = QInputMethodEvent()
        event.setCommitString("日")
        QCoreApplication.sendEvent(editor, event)
        qtbot.waitUntil(lambda: status(window) == "Saved")
        assert editor.text == FIRST + " More日"


@pytest.mark.slow
def test_an_export_has_what_was_just_typed(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> None:
    path = tmp_path / "g.loom"
    with writing(path, qtbot, server, FIRST) as window:
        QTest.keyClicks(window.buffer.view.editor, " More")
        export_panel(window)
        assert status(window) == "Saved"
        assert FIRST + " More" in in_file(path)


@pytest.mark.slow
@pytest.mark.parametrize("place", one_in(2, ["edit", "note"]))
def test_an_edit_and_a_note_are_drafts_until_they_are_kept(tmp_path: Path, qtbot: QtBot, place: str) -> None:
    path = written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))
    with open_window(path, qtbot) as window:
        (node_actions.edit if place == "edit" else node_actions.annotate)(window.bench)
        found = find(window.dialogue, QPlainTextEdit, "messageEditorField") if place == "edit" else None
        field = found or window.text_pane.note_box.editor.field
        assert status(window) == "Saved"
        QTest.keyClicks(field, "Why")
        assert status(window) == "Draft"
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert status(window) == "Saved"
        assert any("Why" in node.text for node in window.document.tree.nodes.values())


@pytest.mark.slow
def test_what_is_attached_to_no_words_yet_is_a_draft(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "g.loom"
    with open_window(path, qtbot) as window:
        window.preview.attachments.add((AttachedDocument("letter.txt", "text/plain", "Dear Marie"),))
        assert status(window) == "Draft"
        assert window.journal is not None
        assert window.journal.settle(5)
        assert "draft" in run(["trees", "--grove", str(path)]).stderr
        window.preview.attachments.remove(0)
        assert status(window) == "Saved"


def test_what_stands_in_the_composer_is_a_draft_and_the_command_line_says_so(
    tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "g.loom"
    with open_window(path, qtbot) as window:
        assert status(window) == "Saved"
        window.composer.set_text("Not sent")
        assert status(window) == "Draft"
        assert window.journal is not None
        assert window.journal.settle(5)
        title = window.document.tree.loom.title
        tree, node_id = ("--tree", window.document.tree.loom.id), window.document.current_id
        for command in (
            ("trees",),
            ("export", *tree),
            ("show", *tree, node_id),
            ("backup", str(tmp_path / "b.loom")),
        ):
            told = run([command[0], "--grove", str(path), *command[1:]]).stderr
            assert title in told
            assert "draft" in told
        window.composer.set_text("")
        assert status(window) == "Saved"
        assert window.journal.settle(5)
        assert "draft" not in run(["trees", "--grove", str(path)]).stderr
