"""What is said above the composer, and when it is not said any more."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.errors import LoomError
from loomapp.ui.frame.notices import Announcer, NextSteps
from loomapp.ui.widgets.error_strip import StripPile
from tests.kit.trees import Hand


def test_what_is_about_a_tree_goes_with_it(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    strip = StripPile(window)
    steps = NextSteps(strip, Announcer(window), lambda: None, lambda step: None, window)
    birds, ships = (tree_edits.new_tree("dialogue", title, Hand().pen()) for title in ("Birds", "Ships"))
    steps.on_tree_opened(birds)
    strip.say("Exported to a.md.", tone="success")
    steps.tell("The model said nothing.")
    steps.show_failed(LoomError("The connection was lost."))
    steps.show_error(LoomError("The key ring is locked."))

    steps.on_tree_opened(birds)
    assert len(strip.sentences) == 4, "it is read anew"
    steps.on_tree_opened(ships)
    assert list(strip.sentences) == ["The key ring is locked."]


def test_why_an_answer_failed_goes_with_the_answer(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    strip = StripPile(window)
    steps = NextSteps(strip, Announcer(window), lambda: None, lambda step: None, window)
    tree = tree_edits.new_tree("dialogue", "Birds", Hand().pen())
    written = node_edits.add_node(tree, tree.root_id, "Wren.", Hand().pen())
    steps.show_failed(LoomError("The connection was lost."))

    steps.on_tree_changed(written)
    assert strip.text == "The connection was lost."
    steps.on_tree_changed(written.inverse())
    assert strip.isHidden()

    steps.note_failed(LoomError("The answer ended early."))  # who says it adds the server's words
    strip.say("The answer ended early.\n“no upstream”", tone="warning")
    steps.on_tree_changed(written.inverse())
    assert strip.isHidden()
