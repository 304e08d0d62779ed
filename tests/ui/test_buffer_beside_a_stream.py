"""Words written at the end of a buffer while an answer streams there: they stay where they are seen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from loomapp.ui.buffer.tail import GROWING
from loomapp.ui.window.main_window import MainWindow
from tests.fake_server import fails
from tests.journeys.windows import open_window
from tests.ui.finding import find
from tests.ui.test_buffer_streaming import BEGUN, REST, Held, held, let_end, streaming, verdicts, write_over
from tests.ui.test_buffer_view import writing

__all__ = ["held"]

BEGINNING = "The lamp was lit."


def seen(window: MainWindow) -> str:
    """What the screen says, but for the sign that more comes."""
    editor = window.buffer.view.editor
    assert window.buffer.text == editor.text
    return editor.text + editor.tail_text.replace(GROWING, "")


@pytest.mark.parametrize("count", [1, 4])
def test_words_before_an_answer_that_streams_stay_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held, count: int
) -> None:
    path = tmp_path / "g.loom"
    with streaming(path, qtbot, held, BEGINNING, count=count) as window:
        editor, document = window.buffer.view.editor, window.document
        for number, letter in enumerate(" He", start=1):
            QTest.keyClicks(editor, letter)
            assert seen(window) == BEGINNING + " He"[:number] + BEGUN

        let_end(window, qtbot, held)

        text = BEGINNING + " He" + BEGUN + REST
        assert (seen(window), editor.caret) == (text, len(BEGINNING + " He"))
        assert document.current_id == window.writing.manuscript.passage_at(editor.caret).node_id
        QTest.keyClicks(editor, " sat")
        text = text.replace(" He", " He sat")
        assert seen(window) == text
        window.writing.settle()
        assert seen(window) == text
        assert len(document.tree.children(document.path_ids[-2])) == count
        assert verdicts(window) == {"ok"}
        for _ in range(9):
            window.actions_set.by_name["undo"].trigger()
        assert seen(window) == ""
        for _ in range(9):
            window.actions_set.by_name["redo"].trigger()
        assert seen(window) == text
    with open_window(path, qtbot) as window:
        assert seen(window) == text


def test_who_corrects_the_passage_that_is_continued_stays_there(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, BEGINNING) as window:
        editor, document = window.buffer.view.editor, window.document
        write_over(window, "lamp", "fire")

        let_end(window, qtbot, held)

        text = BEGINNING.replace("lamp", "fire") + BEGUN + REST
        assert (seen(window), editor.caret) == (text, len("The fire"))
        assert document.current_id == document.path_ids[-2]
        QTest.keyClicks(editor, "place")
        assert seen(window) == text.replace("fire", "fireplace")


def test_words_typed_or_pasted_behind_an_answer_wait_until_it_is_done(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, BEGINNING) as window:
        editor = window.buffer.view.editor
        QTest.keyClicks(editor, "!")
        before = seen(window)
        for place in (Qt.Key.Key_End, Qt.Key.Key_Left):
            QTest.keyClick(editor, place, Qt.KeyboardModifier.ControlModifier)
            QGuiApplication.clipboard().setText("pasted")
            QTest.keyClicks(editor, "x")
            QTest.keyClick(editor, Qt.Key.Key_Return)
            QTest.keyClick(editor, Qt.Key.Key_Backspace)
            editor.paste()
            QCoreApplication.sendEvent(editor, composed("é"))
            assert seen(window) == before
        assert "Esc" in find(window, QLabel, "statusNote").text()

        let_end(window, qtbot, held)

        QTest.keyClicks(editor, "x")
        assert seen(window) == before + REST + "x"


def composed(words: str) -> QInputMethodEvent:
    event = QInputMethodEvent()
    event.setCommitString(words)
    return event


def test_words_before_an_answer_that_is_stopped_stay_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, BEGINNING) as window:
        editor = window.buffer.view.editor
        QTest.keyClicks(editor, " Dim")
        QTest.keyClick(editor, Qt.Key.Key_Escape)
        assert not window.generator.is_streaming()
        assert seen(window) == BEGINNING + " Dim" + BEGUN
        window.actions_set.by_name["undo"].trigger()
        assert seen(window) == BEGINNING + BEGUN


def test_words_typed_before_an_answer_that_is_asked_again_stand_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    held.server.scripts.insert(0, fails(400))
    path = tmp_path / "g.loom"
    with writing(path, qtbot, held.server, BEGINNING) as window:
        editor, generator = window.buffer.view.editor, window.generator
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: not generator.is_streaming())
        [failed] = generator.drafts(window.document.tree.loom.id)
        QTest.keyClicks(editor, " Dim")
        window.buffer.undo_typing()
        window.buffer.redo_typing()
        generator.retry(failed.key)
        qtbot.waitUntil(lambda: BEGUN in editor.tail_text)
        window.buffer.undo_typing()
        assert seen(window) == BEGINNING + BEGUN
        window.buffer.redo_typing()
        assert seen(window) == BEGINNING + " Dim" + BEGUN

        let_end(window, qtbot, held)

        assert seen(window) == BEGINNING + " Dim" + BEGUN + REST
        window.writing.settle()
    with open_window(path, qtbot) as window:
        assert seen(window) == BEGINNING + " Dim" + BEGUN + REST


def test_an_answer_follows_after_a_crash_what_was_corrected_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    with streaming(path, qtbot, held, "First. ", BEGINNING) as window:
        editor = window.buffer.view.editor
        QTest.keyClicks(editor, " Dim")
        write_over(window, "First", "1st")  # that makes a version of what the answer follows
        QTest.keyClicks(editor, "!")
        whole = seen(window)
        assert window.journal is not None
        assert window.journal.settle(5)
        shutil.copytree(path.parent, copy.parent)
    with open_window(copy, qtbot) as window:
        assert seen(window) == whole
