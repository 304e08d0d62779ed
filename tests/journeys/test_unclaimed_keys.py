"""Letters typed where nothing takes them are written where one writes; a key of what is off says why.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QListView, QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.commands.save import save
from loomapp.ui.inspector.context.context_list import ContextList
from loomapp.ui.side_bar.outline.view import OutlineView
from loomapp.ui.trees.tree_rows import ID_ROLE
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import card, fit_all, open_window

Place = Callable[[MainWindow, QtBot, Pointer], None]


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with two answers, with the inspector open."""
    path = written(
        tmp_path / "g.loom",
        ("Name a bird.", ""),
        ("Wren.", "Name a bird."),
        ("Lark.", "Name a bird."),
    )
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        window.bring_inspector()
        yield window


def click_tree(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    rows = find(window.tree_list, QListView, "treeRows")
    ids = [str(rows.model().index(row, 0).data(ID_ROLE)) for row in range(rows.model().rowCount())]
    open_one = rows.model().index(ids.index(window.document.tree.loom.id), 0)
    pointer.click(rows.viewport(), rows.visualRect(open_one).center())


def click_outline(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    outline = find(window, OutlineView, "outlineView")
    qtbot.waitUntil(lambda: outline.model().rowCount() > 0)
    pointer.click(outline.viewport(), outline.visualRect(outline.model().index(0, 0)).center())


def click_card(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    fit_all(window, qtbot)
    pointer.click(window.graph.viewport(), card(window, window.document.current_id))


def click_message(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    message = window.dialogue.message(window.document.current_id)
    assert message is not None
    pointer.click(message.body)


def click_context_row(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.actions_set.by_name["contextInspector"].trigger()
    rows = find(window.inspector.context, ContextList, "inspectorRows")
    qtbot.waitUntil(lambda: rows.isVisible() and rows.model().rowCount() > 0)
    pointer.click(rows.viewport(), rows.visualRect(rows.model().index(0, 0)).center())


def click_history_row(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.actions_set.by_name["history"].trigger()
    rows = find(window.inspector, QListView, "historyList")
    qtbot.waitUntil(lambda: rows.isVisible() and rows.model().rowCount() > 0)
    pointer.click(rows.viewport(), rows.visualRect(rows.model().index(0, 0)).center())


def tab_to_a_button(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    find(window, QWidget, "attachButton").setFocus()


PLACES = {
    "tree": click_tree,
    "outline": click_outline,
    "card": click_card,
    "message": click_message,
    "context": click_context_row,
    "history": click_history_row,
}


def test_a_space_after_a_click_is_written_in_the_composer(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    for name in PLACES:
        if name == "card":  # space holds the canvas there
            continue
        window.composer.field.clear()
        pointer.click(window.composer.field)
        pointer.type_ascii("a")

        PLACES[name](window, qtbot, pointer)
        qtbot.waitUntil(lambda: not window.composer.field.hasFocus())
        if name in ("tree", "context", "history"):  # the end of the text, not of the list
            pointer.key("ctrl+End")
        pointer.type_ascii(" few words")

        qtbot.waitUntil(lambda: window.composer.text == "a few words")


@pytest.mark.parametrize("names", one_in(2, [[*PLACES][:3], [*PLACES, "button"][3:]]))
def test_letters_that_nothing_takes_are_written_in_the_composer(
    names: list[str], window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    nodes = set(window.document.tree.nodes)
    for name in names:
        window.composer.field.clear()
        pointer.click(window.composer.field)
        pointer.type_ascii("a ")
        qtbot.waitUntil(lambda: window.composer.text == "a ")

        (tab_to_a_button if name == "button" else PLACES[name])(window, qtbot, pointer)
        qtbot.waitUntil(lambda: not window.composer.field.hasFocus())
        pointer.type_ascii("Few words")

        qtbot.waitUntil(lambda: window.composer.text == "a Few words")
    assert set(window.document.tree.nodes) == nodes


@pytest.mark.slow
def test_letters_after_a_click_on_a_buffer_in_the_side_bar_are_written_in_it(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    window.document.new_tree("buffer")
    qtbot.waitUntil(window.text_pane.buffer.isVisible)

    click_tree(window, qtbot, pointer)
    qtbot.waitUntil(lambda: not window.text_pane.buffer.editor.hasFocus())
    pointer.type_ascii("Few words")

    qtbot.waitUntil(lambda: window.buffer.text == "Few words")


@pytest.mark.slow
def test_a_key_of_an_action_that_is_off_says_why(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    pointer.click(window.composer.field)

    pointer.key("ctrl+alt+Return")
    qtbot.waitUntil(lambda: _said(window) == "Only one agent is ticked at the top; Generate asks it.")
    pointer.key("ctrl+shift+k")
    qtbot.waitUntil(lambda: "buffer" in _said(window))
    pointer.key("Escape", "w")
    qtbot.waitUntil(lambda: window.composer.text == "w")
    assert "being written" not in _said(window), "Escape is pressed out of habit"


@pytest.mark.slow
def test_asking_again_for_a_note_says_why_not(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    document = window.document
    save.add_note(window.bench, document.current_id, "A note.")
    note = next(i for i, n in document.tree.nodes.items() if n.text == "A note.")
    document.place.set_current(note)
    pointer.click(window.composer.field)

    pointer.key("ctrl+shift+Return")

    qtbot.waitUntil(lambda: "A note is not answered" in _said(window))


@pytest.mark.slow
def test_a_key_of_the_graph_that_is_off_says_why_there(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    document.place.set_current(document.tree.root_id)
    window.actions_set.by_name["focusGraph"].trigger()
    qtbot.waitUntil(window.graph.hasFocus)

    pointer.key("Delete")

    qtbot.waitUntil(lambda: "The first message of a tree cannot be deleted" in _said(window))


def _said(window: MainWindow) -> str:
    return find(window.status, QLabel, "statusNote").text()
