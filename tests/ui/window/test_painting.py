"""A window on a large tree is painted in a turn of its own, after the one that changed it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.window import paint_schedule
from tests.kit.windows import open_window


class Painted(QObject):
    """How often a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


@pytest.mark.parametrize("many", [0, paint_schedule.MANY])
def test_who_changes_a_large_tree_is_back_in_the_event_loop_before_the_window_is_painted(
    many: int, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paint_schedule, "MANY", many)
    with open_window(tmp_path / "g.loom", qtbot) as window:
        port = window.dialogue.viewport()
        painted = Painted(port)

        port.update()
        QCoreApplication.sendPostedEvents()  # what the change itself asked for
        at_once = painted.times

        qtbot.waitUntil(lambda: painted.times > 0)
        assert at_once == (1 if many else 0)
        before = painted.times
        port.update()
        port.update()
        qtbot.waitUntil(lambda: painted.times > before)
        assert painted.times == before + 1, "and it goes on"
