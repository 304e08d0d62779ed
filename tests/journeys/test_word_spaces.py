"""A space typed after a click beside the text, or after a note or an edit, stands between words.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QSpinBox
from pytestqt.qtbot import QtBot

from loomapp.ui.composer.context_bar import ContextBar
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question and its answer, which is read."""
    path = written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        window.bring_inspector()
        yield window


def meter(window: MainWindow) -> QAbstractButton:
    return find(window.text_pane, ContextBar, "contextBar")


@pytest.mark.slow
def test_a_space_after_a_click_on_the_ghost_box_of_a_buffer_is_a_space(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    window.document.new_tree("buffer")
    qtbot.waitUntil(window.text_pane.buffer.isVisible)
    window.text_pane.focus_text()
    pointer.type_ascii("one")
    ghost = find(window, QAbstractButton, "ghostSwitch")
    was = ghost.isChecked()

    pointer.click(ghost, QPoint(10, ghost.height() // 2))
    qtbot.waitUntil(lambda: ghost.isChecked() != was)
    pointer.type_ascii(" qq")

    qtbot.waitUntil(lambda: window.buffer.text == "one qq")
    assert ghost.isChecked() != was


def test_a_space_after_a_click_on_the_meter_is_a_space(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    pointer.click(window.composer.field)
    pointer.type_ascii("one")

    pointer.click(meter(window))
    pointer.type_ascii(" more words")

    qtbot.waitUntil(lambda: window.composer.text == "one more words")


@pytest.mark.slow
def test_who_came_by_tab_presses_with_space(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    heard: list[bool] = []
    meter(window).clicked.connect(lambda: heard.append(True))
    meter(window).setFocus(Qt.FocusReason.TabFocusReason)

    pointer.key("space")

    qtbot.waitUntil(lambda: heard == [True])
    assert window.composer.text == ""


@pytest.mark.slow
@pytest.mark.parametrize("end", one_in(2, ["ctrl+Return", "Escape"]))
@pytest.mark.parametrize("action", one_in(2, ["annotate", "edit"]))
def test_what_is_typed_after_a_note_or_an_edit_goes_on_in_the_composer(
    action: str, end: str, window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    pointer.click(window.composer.field)
    pointer.type_ascii("one")
    window.actions_set.by_name[action].trigger()
    box = window.text_pane.note_box
    qtbot.waitUntil(lambda: box.isVisible() or window.dialogue.is_editing)
    pointer.type_ascii(" is small")

    pointer.key(end)
    qtbot.waitUntil(lambda: box.isHidden() and not window.dialogue.is_editing)
    pointer.type_ascii(" more words")

    qtbot.waitUntil(lambda: window.composer.text == "one more words")


@pytest.mark.slow
def test_a_note_that_was_come_to_from_a_button_is_left_for_the_composer(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    pointer.click(window.composer.field)
    pointer.type_ascii("one")
    meter(window).setFocus(Qt.FocusReason.TabFocusReason)
    window.actions_set.by_name["annotate"].trigger()
    qtbot.waitUntil(window.text_pane.note_box.editor.field.hasFocus)

    pointer.key("Escape")
    pointer.type_ascii(" more words")

    qtbot.waitUntil(lambda: window.composer.text == "one more words")


@pytest.mark.slow
def test_words_typed_at_the_number_of_answers_are_written_in_the_composer(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    count = find(window, QSpinBox, "continuationCount")
    pointer.click(count, QPoint(16, count.height() // 2))

    pointer.type_ascii("five 5 words ")

    qtbot.waitUntil(lambda: window.composer.text == "five 5 words ")
    assert count.value() == 3


@pytest.mark.slow
def test_words_typed_on_a_page_that_takes_none_are_written_in_the_composer(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    for page in ("agents", "endpoints", "usage", "otherPrograms", "restoreBackup", "showLog"):
        window.composer.field.clear()
        pointer.click(window.composer.field)
        pointer.type_ascii("one")
        window.actions_set.by_name[page].trigger()
        qtbot.waitUntil(lambda: not window.composer.field.hasFocus())

        pointer.type_ascii("s more words")

        qtbot.waitUntil(lambda: window.composer.text == "ones more words")
