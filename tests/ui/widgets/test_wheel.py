"""Who scrolls a page passes over its fields, and none of them turns."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

import loomapp.ui
from loomapp.core.model.agent import Agent
from loomapp.ui.inspector.context.agent_choice import AgentChoice
from loomapp.ui.widgets.form import ChoiceField, FractionField, NumberField, SlideField

FIELDS = r"Q(?:ComboBox|FontComboBox|SpinBox|DoubleSpinBox|Slider|Dial|DateTimeEdit)"
MEANT_TO_TURN = {"CountBox"}  # beside the text, in no page that scrolls


def turned(field: QWidget) -> bool:
    """Turn the wheel over a field that has no keyboard; whether the field takes it."""
    here, down = QPointF(5, 5), QPoint(0, -120)
    no_button, no_key = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(here, field.mapToGlobal(here), QPoint(), down, no_button, no_key, phase, False)
    QApplication.sendEvent(field, event)
    return event.isAccepted()


def choice() -> ChoiceField:
    return ChoiceField((("a", "A"), ("b", "B")))


@pytest.mark.parametrize("made", [choice, lambda: NumberField(0, 9), FractionField, SlideField])
def test_a_field_without_the_keyboard_leaves_the_wheel_to_the_page(
    qtbot: QtBot, made: Callable[[], QWidget]
) -> None:
    field = made()
    qtbot.addWidget(field)

    assert not turned(field)
    assert field.focusPolicy() is Qt.FocusPolicy.StrongFocus


def test_so_does_the_choice_of_the_agent_whose_context_is_shown(qtbot: QtBot) -> None:
    line = AgentChoice()
    qtbot.addWidget(line)
    line.show_agents([Agent("a", "One", "model"), Agent("b", "Two", "model")], "a")
    names = line.findChildren(ChoiceField)[0]

    assert not turned(names)
    assert names.currentData() == "a"


def test_every_field_of_the_program_is_one_of_these() -> None:
    bare = []
    for path in Path(loomapp.ui.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        bare += re.findall(rf"(?<!\w){FIELDS}\(", text)
        classes = re.split(r"^(?=class )", text, flags=re.MULTILINE)
        kinds = [one for one in classes if re.match(rf"class \w+\({FIELDS}\)", one)]
        bare += [re.findall(r"\w+", one)[1] for one in kinds if "def wheelEvent" not in one]

    assert set(bare) == MEANT_TO_TURN
