"""The status bar: when the grove was saved."""

from __future__ import annotations

from PySide6.QtCore import QDateTime
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui import figures
from loomapp.ui.window.status import Status
from tests.ui.finding import find


def test_what_was_saved_on_another_day_has_its_date(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    status = Status(window)
    saved = find(status, QLabel, "statusSaved")
    now = QDateTime.currentDateTime()
    yesterday = now.addDays(-1)

    status.show_saved(yesterday.toMSecsSinceEpoch())

    assert figures.locale().toString(yesterday.date(), "d MMM") in saved.text()
    assert ":" not in saved.text()

    status.show_saved(now.toMSecsSinceEpoch())

    assert ":" in saved.text()
