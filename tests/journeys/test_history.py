"""The history in the whole window: a click goes back, a name stays after a restart.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.undo import BEGINNING
from loomapp.ui.commands.inspector import history as history_commands
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.groves import agree, written
from tests.kit.windows import open_window


def test_going_back_by_a_click_and_a_name_that_stays(tmp_path: Path, qtbot: QtBot, pointer: Pointer) -> None:
    path = tmp_path / "g.loom"
    with open_window(path, qtbot) as window:
        document, history = window.document, window.inspector.history
        steps = history.list.table
        for text in ("one", "two", "three"):
            document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
        history_commands.show(window.bench)
        qtbot.waitUntil(lambda: len(steps.steps) == 4)

        second = steps.steps[1].sequence
        pointer.click(history.list.viewport(), history.list.row_rect(second).center())
        qtbot.waitUntil(lambda: steps.present == second)
        assert [document.tree.nodes[i].text for i in window.dialogue.shown_keys()] == ["one", "two"]
        assert window.graph.node_ids() == list(document.path_ids)

        pointer.key("F2")
        qtbot.waitUntil(find(history, QLineEdit, "pointName").hasFocus)
        pointer.type_ascii("Good so far")
        pointer.key("Return")
        qtbot.waitUntil(lambda: steps.steps[1].name == "Good so far")

    with open_window(path, qtbot) as window:
        steps = window.inspector.history.list.table
        history_commands.show(window.bench)
        qtbot.waitUntil(lambda: len(steps.steps) == 4)
        assert (steps.steps[1].name, steps.present) == ("Good so far", second)


@pytest.mark.slow
def test_a_long_way_back_is_stopped_by_its_button_and_gone_to_its_end_and_back(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    path, texts = tmp_path / "g.loom", [f"message {number}" for number in range(400)]
    written(path, *((text, texts[i - 1] if i else "") for i, text in enumerate(texts)))
    with open_window(path, qtbot) as window:
        document, history = window.document, window.inspector.history
        history_commands.show(window.bench)
        end = document.history.steps().present

        def is_seen() -> bool:
            """Every view shows what there is, as the file does."""
            ids = list(document.path_ids)
            shown = list(window.dialogue.shown_keys())
            return (
                agree(document.grove, document.tree)
                and shown == ids[1:]
                and set(document.tree.nodes) == {*ids}
            )

        history.list.go_asked.emit(BEGINNING)
        pointer.click(find(history, QPushButton, "stopWalkButton"))
        qtbot.waitUntil(lambda: not document.walk.is_under_way)
        assert 1 < len(document.path_ids) < len(texts)
        assert document.history.steps().present != BEGINNING
        assert is_seen()

        for point, count in ((BEGINNING, 0), (end, len(texts))):
            history.list.go_asked.emit(point)
            qtbot.waitUntil(lambda: not document.walk.is_under_way)
            assert len(document.path_ids) == count + 1
            assert is_seen()
            assert window.text_pane.errors.text == ""


@pytest.mark.slow
def test_a_message_that_was_undone_and_passed_over_is_read_copied_and_brought_back(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(tmp_path / "g.loom", qtbot) as window:
        document, history = window.document, window.inspector.history
        steps = history.list.table
        for text in ("one", "two, with care"):
            document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
        pointer.key("ctrl+z")
        qtbot.waitUntil(lambda: len(document.path_ids) == 2)
        document.commit(node_edits.add_node(document.tree, document.current_id, "another", document.pen()))
        history_commands.show(window.bench)
        qtbot.waitUntil(lambda: [s.state for s in steps.steps] == ["done", "abandoned", "done", "done"])
        lost = steps.steps[1].sequence

        pointer.click(history.list.viewport(), history.list.row_rect(lost).center())
        view = find(history, QPlainTextEdit, "stepText")
        qtbot.waitUntil(view.hasFocus)
        assert view.toPlainText() == "two, with care"
        pointer.click(find(history, QPushButton, "copyStepText"))
        assert QApplication.clipboard().text() == "two, with care"

        pointer.click(view)
        pointer.key("Escape")
        qtbot.waitUntil(history.list.hasFocus)
        pointer.key("Return")
        qtbot.waitUntil(view.hasFocus)
        pointer.click(find(history, QPushButton, "bringStepBack"))
        qtbot.waitUntil(lambda: steps.steps[0].label == "Bring back what was undone")
        assert [document.tree.nodes[i].text for i in window.dialogue.shown_keys()] == [
            "one",
            "two, with care",
        ]
        assert agree(document.grove, document.tree)

        pointer.click(history.list.viewport(), history.list.row_rect(lost).center())
        qtbot.waitUntil(view.hasFocus)
        assert not find(history, QPushButton, "bringStepBack").isEnabled()  # it is in the tree
        pointer.key("Escape", "ctrl+z")
        qtbot.waitUntil(lambda: steps.steps[0].state == "undone")
        assert [document.tree.nodes[i].text for i in window.dialogue.shown_keys()] == ["one", "another"]
