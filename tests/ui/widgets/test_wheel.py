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
from loomapp.ui.inspector.context.summary import AgentChoice
from loomapp.ui.widgets.form import ChoiceField, FractionField, NumberField, SlideField
from loomapp.ui.widgets.keyboard import TextSteps

FIELDS = r"Q(?:ComboBox|FontComboBox|SpinBox|DoubleSpinBox|Slider|Dial|DateTimeEdit)"
PASSES = re.compile(r"(?:pass_wheel_on|_begin)\(self\)")
MEANT_TO_TURN = {"CountBox"}  # beside the text, in no page that scrolls


def turn(by: int, at: QPointF, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> QWheelEvent:
    phase, no_button = Qt.ScrollPhase.NoScrollPhase, Qt.MouseButton.NoButton
    return QWheelEvent(QPointF(5, 5), at, QPoint(), QPoint(0, by), no_button, held, phase, False)


def turned(field: QWidget) -> bool:
    """Turn the wheel over a field that has no keyboard; whether the field takes it."""
    event = turn(-120, field.mapToGlobal(QPointF(5, 5)))
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


def test_a_touchpad_that_tells_of_notches_in_parts_makes_a_text_larger_too() -> None:
    steps, at = TextSteps(), QPointF(5, 5)
    control = Qt.KeyboardModifier.ControlModifier

    assert [steps.count(turn(by, at, control)) for by in (50, 50, 50, 240, -150, -30)] == [0, 0, 1, 2, -1, 0]
    assert steps.count(turn(50, at)) is None
    assert steps.count(turn(100, at, control)) == 0, "what was scrolled counts for nothing"


def test_every_field_of_the_program_is_one_of_these() -> None:
    bare = []
    for path in Path(loomapp.ui.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        bare += re.findall(rf"(?<!\w){FIELDS}\(", text)
        classes = re.split(r"^(?=class )", text, flags=re.MULTILINE)
        kinds = [one for one in classes if re.match(rf"class \w+\({FIELDS}\)", one)]
        bare += [re.findall(r"\w+", one)[1] for one in kinds if not PASSES.search(one)]

    assert set(bare) == MEANT_TO_TURN
