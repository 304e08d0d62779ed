"""The dialogue by keyboard alone: every message is reached, and the keyboard is never lost."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.dialogue.view import DialogueView
from tests.kit.conversations import AGENTS, long_talk
from tests.kit.desktop import Pointer
from tests.kit.dialogue_views import Heard, message, read, shown_view


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    view = shown_view(qtbot, qapp)
    tree, path = long_talk(80)
    view.show_path(tree, path, AGENTS, {})
    return view


def focused() -> str:
    widget = QApplication.focusWidget()
    assert isinstance(widget, MessageView), f"{widget} has the keyboard"
    return widget.key


def test_up_and_down_meet_every_message_once(view: DialogueView, pointer: Pointer) -> None:
    message(view, "n79").setFocus()

    met = [focused()]
    for _ in range(15):
        pointer.key("Up")
        met.append(focused())

    assert met == [f"n{i}" for i in range(79, 63, -1)]
    assert message(view, "n64").isVisible()


def test_home_and_end_and_pages_take_the_keyboard_along(view: DialogueView, pointer: Pointer) -> None:
    message(view, "n79").setFocus()

    pointer.key("Home")
    assert focused() == "n0"
    pointer.key("Next")
    paged = focused()
    assert paged != "n0"
    assert message(view, paged).isVisible()
    pointer.key("End")

    assert focused() == "n79"


def test_scrolling_away_with_the_wheel_leaves_the_keyboard_with_the_dialogue(
    view: DialogueView, pointer: Pointer
) -> None:
    message(view, "n79").setFocus()

    pointer.wheel(view.viewport(), notches=30)

    assert view.hasFocus()


def test_a_message_taller_than_the_view_is_read_line_by_line(view: DialogueView, pointer: Pointer) -> None:
    read(view, "One.", "A line.\n\n" * 30, "Three.")
    view.reveal("b")
    view.toggle_fold("b")
    view.verticalScrollBar().setValue(0)
    message(view, "b").setFocus()

    pointer.key("Down")

    assert focused() == "b"
    assert view.verticalScrollBar().value() > 0


def test_the_tools_of_a_message_are_reached_with_tab(view: DialogueView, pointer: Pointer) -> None:
    asked = Heard(view.retry_asked)
    message(view, "n78").setFocus()

    pointer.key("Tab", "space")

    focus = QApplication.focusWidget()
    assert isinstance(focus, QToolButton)
    assert asked.values == ["n78"]
