"""Words that wait for an answer: in order after a look at another one, saved in time, never glued to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.session import writing_desk
from loomapp.session.backups import Backups
from loomapp.ui.window.main_window import MainWindow
from tests.ui.test_draft_state import in_file, status
from tests.ui.test_words_behind_an_answer import (
    Choir,
    asked,
    choir,
    go_behind,
    shown,
    wait_for_end,
)

__all__ = ["choir"]

FORTY = [f"kw{number:02d} " for number in range(1, 41)]


def all_begin(window: MainWindow, qtbot: QtBot, choir: Choir) -> int:
    """All three answers have begun; which is shown."""
    choir.begin(0, 1, 2)
    qtbot.waitUntil(lambda: all(offer.text for offer in window.buffer.tail.offers))
    return shown(window)


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
