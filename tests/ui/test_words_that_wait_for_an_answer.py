"""Words that wait for an answer: in order after a look at another one, saved in time, never glued to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.session import writing_desk
from loomapp.session.backups import Backups
from loomapp.ui.window.main_window import MainWindow
from tests.copies import copy_as_killed
from tests.desktop import Pointer
from tests.journeys.windows import open_window
from tests.ui.test_buffer_beside_a_stream import seen
from tests.ui.test_buffer_streaming import verdicts
from tests.ui.test_draft_state import in_file, status
from tests.ui.test_words_behind_an_answer import (
    ALT,
    BEGINNING,
    Choir,
    asked,
    begun,
    choir,
    go_behind,
    shown,
    texts,
    wait_for_end,
    whole,
)

__all__ = ["choir"]

FORTY = [f"kw{number:02d} " for number in range(1, 41)]


def turn(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> int:
    """Look at the answer before or after; which that is."""
    before = shown(window)
    QTest.keyClick(window.buffer.view.editor, key, ALT)
    qtbot.waitUntil(lambda: shown(window) != before)
    return shown(window)


def all_begin(window: MainWindow, qtbot: QtBot, choir: Choir) -> int:
    """All three answers have begun; which is shown."""
    choir.begin(0, 1, 2)
    qtbot.waitUntil(lambda: all(offer.text for offer in window.buffer.tail.offers))
    return shown(window)


def test_words_go_on_in_order_after_a_look_at_another_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir, pointer: Pointer
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        qtbot.waitUntil(editor.hasFocus)
        pointer.key("ctrl+End")
        qtbot.waitUntil(lambda: editor.behind_by == 0)
        QTest.keyClicks(editor, " one two three ")
        pointer.key("alt+Down")
        qtbot.waitUntil(lambda: shown(window) != first)
        assert seen(window) == BEGINNING + begun(shown(window))
        pointer.key("alt+Up")
        qtbot.waitUntil(lambda: shown(window) == first)

        QTest.keyClicks(editor, "four five six ")

        words = " one two three four five six "
        assert seen(window) == BEGINNING + begun(first) + words
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        assert (seen(window), editor.caret) == (BEGINNING + whole(first) + words, len(editor.text))


@pytest.mark.parametrize("is_killed", [False, True])
def test_forty_words_with_looks_at_other_answers_stand_in_order_behind_the_first(
    tmp_path: Path, qtbot: QtBot, choir: Choir, is_killed: bool
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    words = " " + "".join(FORTY)
    with asked(path, qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(editor, " " + "".join(FORTY[:15]))
        turn(window, qtbot, Qt.Key.Key_Down)
        QTest.keyClicks(editor, FORTY[15])
        assert seen(window) == BEGINNING + begun(first) + " " + "".join(FORTY[:16])
        QTest.keyClicks(editor, "".join(FORTY[16:30]))
        turn(window, qtbot, Qt.Key.Key_Down)
        turn(window, qtbot, Qt.Key.Key_Down)
        turn(window, qtbot, Qt.Key.Key_Up)
        QGuiApplication.clipboard().setText("".join(FORTY[30:35]))
        editor.paste()
        QTest.keyClicks(editor, "".join(FORTY[35:]))
        assert seen(window) == BEGINNING + begun(first) + words
        if is_killed:
            assert window.journal is not None
            assert window.journal.settle(5)
            copy_as_killed(path.parent, copy.parent)
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        window.writing.settle()
        assert texts(window)[-2:] == [whole(first), words]
        assert verdicts(window) == {"ok"}
    if is_killed:
        with open_window(copy, qtbot) as window:
            assert seen(window) == BEGINNING + begun(first) + words
            window.writing.settle()
            assert texts(window)[-2:] == [begun(first), words]


def test_words_before_the_answer_stay_there_while_others_wait_behind_another(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(editor, " behind")
        second = turn(window, qtbot, Qt.Key.Key_Down)
        editor.set_caret(len(BEGINNING))

        QTest.keyClicks(editor, " before")

        assert seen(window) == BEGINNING + " before" + begun(second)
        turn(window, qtbot, Qt.Key.Key_Up)
        assert seen(window) == BEGINNING + " before" + begun(first) + " behind"


def test_generate_after_a_look_at_another_answer_continues_all_that_is_shown(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(editor, " kw01 kw02 kw03")
        turn(window, qtbot, Qt.Key.Key_Down)
        turn(window, qtbot, Qt.Key.Key_Up)
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        whole_text = BEGINNING + whole(first) + " kw01 kw02 kw03"
        assert seen(window) == whole_text

        window.composer.set_count(1)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: len(choir.server.received) == 4)

        body = choir.server.received[-1].body.decode()
        assert "kw01 kw02 kw03" in body
        choir.end(3)
        wait_for_end(window, qtbot)
        assert seen(window) == whole_text + whole(3)


def test_words_behind_an_answer_are_saved_as_soon_as_it_has_ended(
    tmp_path: Path, qtbot: QtBot, choir: Choir, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.loom"
    monkeypatch.setattr(writing_desk, "SAVE_AFTER_MS", 50)
    with asked(path, qtbot, choir, count=3) as window:
        [backups] = [keeper for keeper in window.keepers if isinstance(keeper, Backups)]
        backups.beginning.disconnect(window.writing.save)
        all_begin(window, qtbot, choir)
        go_behind(window)
        with qtbot.waitSignal(window.writing._pause.timeout):
            QTest.keyClicks(window.buffer.view.editor, " kw01 kw02 kw03")
        assert status(window) == "Draft"

        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)

        qtbot.waitUntil(lambda: status(window) == "Saved")
        assert " kw01 kw02 kw03" in in_file(path)
