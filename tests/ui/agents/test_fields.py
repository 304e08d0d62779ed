"""Fields of the agents page by themselves."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.ui.agents.fields import OptionalNumber, temperature
from loomapp.ui.widgets.form import NumberField


def test_a_number_that_cannot_be_is_announced_once_and_described_until_it_is_sound(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    def hear(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            heard.append(event.message())

    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    number = OptionalNumber("warmth", "Temperature", temperature, "A number from 0 to 2.")
    qtbot.addWidget(number)

    for typed in ("3", "30"):
        number.line.setText(typed)
        assert number.line.accessibleDescription() == "A number from 0 to 2."
    number.line.setText("1")

    assert heard == ["A number from 0 to 2."]
    assert number.line.accessibleDescription() == ""


def test_a_space_leaves_a_number_as_it_is(qtbot: QtBot) -> None:
    field = NumberField(1, 100)
    qtbot.addWidget(field)
    field.setValue(8)
    field.selectAll()

    QTest.keyClick(field, Qt.Key.Key_Space)
    field.interpretText()

    assert field.value() == 8
