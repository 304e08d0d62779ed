"""Pruning while an answer is written: not what it hangs on, for nobody would look where it comes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from loomapp.ui.graph.input.pointer import Target
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.find import find
from tests.ui.actions.test_ghost_and_actions import Speaker, speaker, story, window

__all__ = ["speaker", "window"]


def test_what_an_answer_is_written_under_is_pruned_once_it_is_there(
    window: MainWindow, qtbot: QtBot, speaker: Speaker
) -> None:
    window.preferences.put("ghost_preview", False)
    document, actions = window.document, window.actions_set.by_name
    document.add_tree(story(window))
    first, last = document.path_ids[-2:]
    beside = next(i for i in document.tree.children(first) if i not in document.path)
    speaker.may_end.clear()
    actions["generate"].trigger()
    qtbot.waitUntil(lambda: not actions["prune"].isEnabled())  # what is asked shows a turn later

    for above in (last, first):
        document.place.set_current(above)
        assert not actions["prune"].isEnabled()
        assert "is being written" in actions["prune"].toolTip()
    document.place.set_current(beside)
    assert actions["prune"].isEnabled()
    window.graph.choose([beside, last])
    assert not actions["prune"].isEnabled()
    window.graph.choose([])

    live = window.generator.drafts(document.tree.loom.id)[0]
    letter = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_X, Qt.KeyboardModifier.NoModifier, "x")
    window.graph.letters.click()
    assert not window.graph.letters.are_words(letter)
    window.graph.on_pressed(Target(window.graph._scene.row_of(live.key), "card"), shift=False)
    assert window.graph.letters.are_words(letter)  # it would be done to the message above

    speaker.may_end.set()
    document.place.set_current(last)
    qtbot.waitUntil(actions["prune"].isEnabled)


F2, DELETE = Qt.Key.Key_F2, Qt.Key.Key_Delete
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ON_NODES = ((F2, None), (DELETE, None), (Qt.Key.Key_D, CONTROL), (Qt.Key.Key_X, CONTROL | SHIFT))


@pytest.mark.parametrize(("key", "held"), one_in(4, ON_NODES))
def test_a_key_on_an_answer_that_is_being_written_does_nothing_to_the_message_above_it(
    window: MainWindow, qtbot: QtBot, speaker: Speaker, key: Qt.Key, held: Qt.KeyboardModifier | None
) -> None:
    window.preferences.put("ghost_preview", False)
    document, graph = window.document, window.graph
    document.add_tree(story(window))
    speaker.may_end.clear()
    window.actions_set.by_name["generate"].trigger()
    qtbot.waitUntil(lambda: bool(window.generator.drafts(document.tree.loom.id)))
    live = window.generator.drafts(document.tree.loom.id)[0]
    qtbot.waitUntil(lambda: graph._scene.row_of(live.key) is not None)
    graph.setFocus()
    before, calls = dict(document.tree.nodes), len(window.generator.drafts(document.tree.loom.id))
    graph.on_pressed(Target(graph._scene.row_of(live.key), "card"), shift=False)

    def press() -> bool:
        """Press the key; whether the graph has it before it is one of the window."""
        modifiers = held or Qt.KeyboardModifier.NoModifier
        override = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
        override.ignore()
        QApplication.sendEvent(graph, override)
        QTest.keyClick(graph, key, modifiers)
        return override.isAccepted()

    assert press()
    assert "is no message yet" in find(window, QLabel, "statusNote").text()
    assert document.tree.nodes == before
    assert window.focusWidget() is graph
    assert len(window.generator.drafts(document.tree.loom.id)) == calls

    graph.on_pressed(Target(graph._scene.row_of(document.path_ids[-1]), "card"), shift=False)
    assert not press()  # the card of a message takes it again
    speaker.may_end.set()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
