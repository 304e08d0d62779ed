"""Memory of agents in the inspector: shown, changed and undone like any edit, while runs write it too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits.agent_memory import Memory, memory_of, remember_actions, stash
from loomapp.ui.unsaved.open_edits import GO_ON
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.find import find
from tests.kit.run_desk import imported_talk
from tests.kit.windows import open_window

WAIT_S = 20


def memory(window: MainWindow) -> Memory:
    return memory_of(window.document.tree, "claude")


def press(window: MainWindow, name: str, qtbot: QtBot, about: str = "") -> None:
    """Click a button once it is there, by its name and what it is about."""
    panel = window.inspector.node.memory

    def there() -> list[QWidget]:
        found = panel.findChildren(QWidget, name)
        return [one for one in found if one.isVisible() and about in one.accessibleName()]

    qtbot.waitUntil(lambda: bool(there()))
    QTest.mouseClick(there()[0], Qt.MouseButton.LeftButton)


def texts(window: MainWindow, name: str) -> list[str]:
    panel = window.inspector.node.memory
    return [one.text() for one in panel.findChildren(QLabel, name) if one.isVisible()]


def test_the_memory_of_an_agent_is_changed_in_the_window_and_undone(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "groves").mkdir()
    path, killed = imported_talk(tmp_path / "groves"), tmp_path / "killed"
    with open_window(path, qtbot) as window:
        document, panel = window.document, window.inspector.node.memory
        document.agents.ask_only("claude")
        window.bring_inspector()
        window.inspector.show_node_tab()
        qtbot.waitUntil(lambda: texts(window, "memoryTitle") == ["Memory of Claude"])

        # pinned, and taken back by undo
        press(window, "memory_pin", qtbot)
        assert memory(window).pinned == ("b3k9mm",)
        qtbot.waitUntil(lambda: texts(window, "memoryWords") == ["What does she hide?"])
        document.history.undo(lambda _: None)
        qtbot.waitUntil(lambda: texts(window, "memoryWords") == [])

        # a text is added, while a run writes actions
        press(window, "memory_add", qtbot)
        name, field = find(panel, QLineEdit, "memoryName"), find(panel, SummaryField, "memoryText")
        QTest.keyClicks(name, "sea words")
        pen = replace(document.pen(), agent_id="claude")
        document.commit(remember_actions(document.tree, "claude", ["→ view A7X2KQ ✓"], pen))
        qtbot.waitUntil(lambda: texts(window, "memoryRecent") == ["→ view A7X2KQ ✓"])
        QTest.keyClicks(field, "foam, brine")
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert [(one.name, one.text) for one in memory(window).stashed] == [("sea words", "foam, brine")]
        assert not panel.editor.is_open

        # recalled, edited under another name, and dropped
        press(window, "memory_recall", qtbot, "sea words")
        assert memory(window).recalled == ("sea words",)
        press(window, "memory_edit", qtbot, "sea words")
        assert field.toPlainText() == "foam, brine"
        name.setText("words to avoid")
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert memory(window).recalled == ("words to avoid",)

        # a name that another text has is asked about before that is replaced
        press(window, "memory_add", qtbot)
        QTest.keyClicks(name, "Words to avoid")
        QTest.keyClick(name, Qt.Key.Key_Tab)
        assert field.hasFocus()
        QTest.keyClicks(field, "gulls")
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        asked = "There is a text “words to avoid” already. Save again to replace it."
        assert texts(window, "memoryEditorHint") == [asked]
        assert [one.text for one in memory(window).stashed] == ["foam, brine"]
        QTest.keyClicks(field, "!")
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert [one.text for one in memory(window).stashed] == ["foam, brine"]
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert [one.text for one in memory(window).stashed] == ["gulls!"]
        document.history.undo(lambda _: None)
        press(window, "memory_drop", qtbot, "words to avoid")
        assert memory(window).stashed == ()
        document.history.undo(lambda _: None)
        assert memory(window).recalled == ("words to avoid",)
        assert document.history.redo_label == "Drop"

        # what was typed and left with Esc comes back
        press(window, "memory_add", qtbot)
        QTest.keyClicks(name, "begun")
        QTest.keyClick(field, Qt.Key.Key_Escape)
        assert not panel.editor.is_open
        press(window, "memory_add", qtbot)
        assert name.text() == "begun"
        QTest.keyClicks(field, "dune")
        assert window.draft_state.has_draft
        journal = window.journal
        assert journal is not None
        assert journal.settle(WAIT_S)
        copy_as_killed(path.parent, killed)

        # and nowhere but in its tree
        field.clear()
        document.new_tree("dialogue")
        panel.editor.open("claude", "Claude", "", "")
        assert (name.text(), field.toPlainText()) == ("", "")

    # also after a crash, where it is asked for or is opened by itself
    with open_window(killed / path.name, qtbot) as window:
        panel, strip = window.inspector.node.memory, window.text_pane.closed_texts
        name, field = find(panel, QLineEdit, "memoryName"), find(panel, SummaryField, "memoryText")
        qtbot.waitUntil(lambda: strip.text == "Unfinished memory: “begun dune”")
        strip.act_clicked.emit(GO_ON)
        assert panel.isVisible()
        assert (name.text(), field.toPlainText()) == ("begun", "dune")
        assert strip.isHidden()
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert [(one.name, one.text) for one in memory(window).stashed][-1] == ("begun", "dune")
        assert not window.draft_state.has_draft


def test_memory_of_an_agent_that_is_not_asked_stands_there_and_empty_ones_do_not(
    tmp_path: Path, qtbot: QtBot
) -> None:
    with open_window(imported_talk(tmp_path), qtbot) as window:
        document = window.document
        document.agents.ask_only("marie")
        window.bring_inspector()
        window.inspector.show_node_tab()
        assert texts(window, "memoryTitle") == []

        document.commit(stash(document.tree, "ada", "plan", "to read all", document.pen()))

        qtbot.waitUntil(lambda: texts(window, "memoryTitle") == ["Memory of Ada"])
