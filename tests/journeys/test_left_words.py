"""Words typed in a line or a field that is left with Esc are there when it opens again.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.commands.inspector import history as history_commands
from loomapp.ui.commands.inspector import what_if
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window

WORDS = "The keeper of the northern light"


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    grove = written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))
    with open_window(grove, qtbot) as window:
        yield window


def open_title(window: MainWindow) -> None:
    window.bench.views.tree_list.rename(window.document.tree.loom.id)


def open_bookmark_name(window: MainWindow) -> None:
    window.actions_set.by_name["bookmarkAs"].trigger()


def open_point_name(window: MainWindow) -> None:
    history_commands.show(window.bench)
    window.inspector.history.list.naming_asked.emit(window.inspector.history.list.table.present)


LINES: dict[str, Callable[[MainWindow], None]] = {
    "treeTitleField": open_title,
    "commandPaletteField": open_bookmark_name,
    "pointName": open_point_name,
}


def opened(window: MainWindow, qtbot: QtBot, name: str) -> QLineEdit:
    if name == "pointName":
        history_commands.show(window.bench)
        qtbot.waitUntil(lambda: len(window.inspector.history.list.table.steps) > 1)
    LINES[name](window)
    qtbot.waitUntil(lambda: is_open(window, name))
    return find(window, QLineEdit, name)


def is_open(window: MainWindow, name: str) -> bool:
    field = window.findChild(QLineEdit, name)
    return field is not None and field.isVisible() and field.hasFocus()


@pytest.mark.parametrize("name", one_in(3, LINES))
def test_a_line_left_with_esc_opens_once_more_with_its_words(
    name: str, window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    saved = opened(window, qtbot, name).text()
    pointer.type_ascii(WORDS)
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not is_open(window, name))

    field = opened(window, qtbot, name)

    assert field.text() == WORDS
    assert field.selectedText() == WORDS
    field.undo()
    assert field.text() == saved
    field.redo()
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not is_open(window, name))
    assert opened(window, qtbot, name).text() == saved
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not is_open(window, name))


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(3, LINES, first=2))
def test_words_that_were_taken_after_all_are_not_offered_again(
    name: str, window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    opened(window, qtbot, name)
    pointer.type_ascii(WORDS)
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not is_open(window, name))
    opened(window, qtbot, name)
    pointer.key("Return")
    qtbot.waitUntil(lambda: not is_open(window, name))

    field = opened(window, qtbot, name)

    assert field.text() in (WORDS, "")
    assert not field.isUndoAvailable()
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not is_open(window, name))


def show_agents(window: MainWindow) -> None:
    window.actions_set.by_name["agents"].trigger()


def show_tree_settings(window: MainWindow) -> None:
    window.pages.show_settings()


def show_trial(window: MainWindow) -> None:
    what_if.begin(window.bench)


PAGES: dict[str, Callable[[MainWindow], None]] = {
    "agentPrompt": show_agents,
    "agentName": show_agents,
    "treeSystemContext": show_tree_settings,
    "trialSystem": show_trial,
    "trialPrompt": show_trial,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(5, PAGES, first=1))
def test_words_on_a_page_that_is_left_with_esc_are_there_when_it_comes_back(
    name: str, window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    PAGES[name](window)
    field = found(window, name)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    pointer.key("ctrl+a")
    pointer.type_ascii(WORDS)
    pointer.key("Escape")

    PAGES[name](window)

    assert text_of(found(window, name)) == WORDS


def found(window: MainWindow, name: str) -> QLineEdit | QPlainTextEdit | QTextEdit:
    field = window.findChild(QWidget, name)
    assert isinstance(field, QLineEdit | QPlainTextEdit | QTextEdit)
    return field


def text_of(field: QLineEdit | QPlainTextEdit | QTextEdit) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()
