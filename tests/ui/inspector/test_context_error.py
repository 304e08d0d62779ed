"""Why nothing can be sent: what helps stays under the hand while the reason is told again."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.errors import AssemblyError
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Inputs, Model
from loomapp.core.sent.trial import Remedy
from loomapp.ui.inspector.context.error import ContextError
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.ui.inspector.test_inspector import talk


def test_a_button_that_helps_keeps_the_keyboard_and_asks_for_what_helps_now(
    qtbot: QtBot, pointer: Pointer
) -> None:
    shown = shown_error(qtbot)
    say_empty(shown, "then")
    button = find(shown, QPushButton, "remedy_include")
    qtbot.waitUntil(button.isVisible)
    button.setFocus()

    say_empty(shown, "now")  # another program said something, and all is looked at again

    assert shown.focusWidget() is button
    with qtbot.waitSignal(shown.remedy_asked) as asked:
        pointer.key("space")
    assert asked.args[0].inputs.text == "now"


def test_a_box_of_a_large_message_keeps_the_keyboard(qtbot: QtBot, pointer: Pointer) -> None:
    tree, ids = talk("x" * 400, "y" * 4000)
    shown = shown_error(qtbot)
    say_too_long(shown, tree, ids, 601)
    box = find(shown, QCheckBox, f"exclude_{ids[1]}")
    qtbot.waitUntil(box.isVisible)
    box.setFocus()
    pointer.key("space")
    qtbot.waitUntil(box.isChecked)

    say_too_long(shown, tree, ids, 610)

    assert shown.focusWidget() is box
    assert box.isChecked()


def shown_error(qtbot: QtBot) -> ContextError:
    shown = ContextError()
    qtbot.addWidget(shown)
    show_active(qtbot, shown)
    return shown


def say_empty(shown: ContextError, text: str) -> None:
    inputs = Inputs(path=("root",), model=Model(), text=text)
    error = AssemblyError("EMPTY_CONTEXT", "Nothing is left to send.")
    shown.show_error(error, None, [Remedy("include", inputs, 7, 1)], can_act=True)


def say_too_long(shown: ContextError, tree: Tree, ids: list[str], over: int) -> None:
    largest = [{"nodeId": node_id, "tokens": 100} for node_id in ids]
    error = AssemblyError("CONTEXT_TOO_LONG", "Too long.", over_by=over, largest=largest)
    shown.show_error(error, tree, can_act=True)
