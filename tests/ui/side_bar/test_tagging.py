"""Tags in the window: by keys, in the side bar, in the inspector and in the palette; all of it undone.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits.node_marks import tags_of
from loomapp.ui.commands import panes
from loomapp.ui.side_bar.outline.marks import TagButton
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.groves import written
from tests.kit.windows import open_window

Found = TypeVar("Found", bound=QWidget)


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return written(tmp_path / "g.loom", ("The wren & the lark.", ""), ("The albatross.", ""))


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with open_window(grove, qtbot) as window:
        window.graph.set_reduced_motion(True)
        yield window


def names(window: MainWindow) -> list[str]:
    return [tag.name for tag in tags_of(window.document.tree, window.document.current_id)]


def chips(window: MainWindow) -> list[tuple[str, int]]:
    return [button.tag for button in window.side_parts.tags.buttons]


def child(of: QWidget, kind: type[Found], name: str) -> Found:
    found = of.findChild(kind, name)
    assert found is not None
    return found


def open_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def tag_by_keys(window: MainWindow, qtbot: QtBot, pointer: Pointer, typed: str) -> None:
    panes.focus_graph(window.bench)
    pointer.key("t")
    field = child(window.palette_box, QLineEdit, "commandPaletteField")
    qtbot.waitUntil(field.hasFocus)
    pointer.type_ascii(typed)
    qtbot.waitUntil(lambda: field.text() == typed)
    pointer.key("Return")
    qtbot.waitUntil(window.palette_box.isHidden)


def test_a_tag_is_given_and_taken_by_keys_and_undone(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    tag_by_keys(window, qtbot, pointer, "to check")
    assert names(window) == ["to check"]
    assert chips(window) == [("to check", 1)]
    tag_by_keys(window, qtbot, pointer, "check")  # the one that is there, taken off again
    assert names(window) == []

    window.actions_set.by_name["undo"].trigger()

    assert chips(window) == [("to check", 1)]
    kept = window.document.grove.load_tree(window.document.tree.loom.id)
    assert list(kept.tags) == ["to check"]
    window.actions_set.by_name["undo"].trigger()
    assert chips(window) == []


def test_a_selection_is_tagged_as_one_step_and_its_menu_leads_to_each(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    first, second = (i for i, node in window.document.tree.nodes.items() if node.text)
    window.graph.choose([first, second])
    tag_by_keys(window, qtbot, pointer, "birds")
    assert chips(window) == [("birds", 2)]
    window.graph.choose([])
    window.document.place.set_current(second)

    button = window.side_parts.tags.findChild(TagButton)
    pointer.click(button)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    listed = [action.text() for action in open_menu().actions()[:2]]
    assert listed == [
        "The wren && the lark.",
        "The albatross.",
    ]
    pointer.key("Return")

    qtbot.waitUntil(lambda: window.document.current_id == first)
    assert window.document.path_ids[-1] == first
    window.palette_box.tag_chosen.emit("birds")
    assert sorted(window.graph.chosen_ids) == sorted([first, second])
    window.graph.choose([])
    window.actions_set.by_name["undo"].trigger()
    assert chips(window) == []


@pytest.mark.slow
def test_the_inspector_takes_tags_off(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.inspector.show_node_tab()
    node = window.inspector.node
    qtbot.waitUntil(node.isVisible)
    child(node, QPushButton, "tagNodeButton").click()
    qtbot.waitUntil(window.palette_box.isVisible)
    pointer.type_ascii("voice")
    pointer.key("Return")
    qtbot.waitUntil(lambda: names(window) == ["voice"])

    cross = child(node, QToolButton, "removeChipButton")
    assert cross.focusPolicy() & Qt.FocusPolicy.TabFocus
    cross.click()

    assert names(window) == []


@pytest.mark.slow
def test_a_tag_is_renamed_from_its_menu(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    tag_by_keys(window, qtbot, pointer, "voice")
    pointer.click(window.side_parts.tags.findChild(TagButton))
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    rename = next(a for a in open_menu().actions() if a.text().startswith("Rename"))
    open_menu().close()
    rename.trigger()
    qtbot.waitUntil(window.palette_box.isVisible)

    pointer.type_ascii("tone")
    pointer.key("Return")

    qtbot.waitUntil(lambda: chips(window) == [("tone", 1)])
    assert names(window) == ["tone"]


def test_a_bookmark_is_called_what_is_typed(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.actions_set.by_name["bookmarkAs"].trigger()
    qtbot.waitUntil(window.palette_box.isVisible)
    pointer.type_ascii("cold version")
    pointer.key("Return")

    qtbot.waitUntil(window.palette_box.isHidden)
    node = window.document.tree.nodes[window.document.current_id]
    assert (node.metadata.bookmarked, node.metadata.bookmark_label) == (True, "cold version")
    assert window.side_parts.bookmarks.model().index(0, 0).data() == "cold version"
