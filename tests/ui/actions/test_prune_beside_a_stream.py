"""Pruning while an answer is written: not what it hangs on, for nobody would look where it comes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from pytestqt.qtbot import QtBot

from loomapp.ui.graph.input.pointer import Target
from loomapp.ui.window.main_window import MainWindow
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
