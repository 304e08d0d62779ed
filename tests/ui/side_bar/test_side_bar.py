"""The side bar: lists are as high as they need, empty ones little more than their title."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from loomapp.store.grove.open import create_grove
from loomapp.ui.side_bar.outline.painter import ROW_PX
from loomapp.ui.window.main_window import MainWindow
from tests.kit.conversations import AGENTS, letter
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.windows import open_window

ROWS = 5  # of the outline that a low window must show


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        grove.add_tree(letter(), [grove.owner, *AGENTS.values()])
    return path


def head(window: MainWindow, name: str) -> QToolButton:
    return find(window, QToolButton, f"{name}Head")


def below(window: MainWindow, upper: str, lower: str) -> int:
    """How many px lie between two heads."""
    bar = window.side_parts
    first, second = head(window, upper), head(window, lower)
    return second.mapTo(bar, QPoint()).y() - first.mapTo(bar, first.rect().bottomLeft()).y()


def test_in_a_low_window_empty_sections_are_their_titles_and_the_outline_has_their_room(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(640, 440)
        qtbot.waitUntil(lambda: window.height() == 440)
        outline = window.side_parts.outline
        qtbot.waitUntil(lambda: outline.viewport().height() >= ROWS * ROW_PX)
        assert below(window, "bookmarks", "tags") < ROW_PX

        pointer.click(head(window, "bookmarks"))  # what it hides is wanted
        qtbot.waitUntil(lambda: below(window, "bookmarks", "tags") > ROW_PX)


def test_a_list_is_as_high_as_what_it_holds_until_heights_are_dragged(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        bookmarks = window.side_parts.bookmarks
        window.document.place.set_current("ask")
        window.actions_set.by_name["bookmark"].trigger()
        qtbot.waitUntil(lambda: bookmarks.isVisible() and bookmarks.height() < 2 * ROW_PX)
        window.document.place.set_current("first")
        window.actions_set.by_name["bookmark"].trigger()
        qtbot.waitUntil(lambda: 2 * ROW_PX <= bookmarks.height() < 3 * ROW_PX)

        bar = window.side_parts
        seam = head(window, "bookmarks").parentWidget()
        assert seam is not None
        at = seam.mapTo(bar, QPoint(60, -1))
        pointer.drag_until(lambda: bookmarks.height() > 4 * ROW_PX, bar, at, at - QPoint(0, 90))
        dragged = bookmarks.height()
        window.document.place.set_current("second")
        window.actions_set.by_name["bookmark"].trigger()
        qtbot.waitUntil(lambda: bookmarks.model().rowCount() == 3)
        assert bookmarks.height() == dragged


def test_a_fold_of_the_trees_leaves_their_title(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        pointer.click(head(window, "trees"))
        qtbot.waitUntil(lambda: window.tree_list.height() < 2 * ROW_PX)
        assert find(window, QToolButton, "newTreeButton").isVisible()
        pointer.click(head(window, "trees"))
        qtbot.waitUntil(lambda: not window.tree_list.row_rect("tree").isEmpty())
        qtbot.waitUntil(lambda: window.tree_list.height() > 2 * ROW_PX)
