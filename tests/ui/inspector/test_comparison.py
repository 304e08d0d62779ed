"""Selected messages side by side: by click and key, the words that differ marked, Esc back to the graph.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.inspector import comparison
from loomapp.ui.inspector.comparison import ComparePage, Side
from loomapp.ui.look import theme
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.windows import card, open_window

TEXTS = ("The wren is small.", "The lark is small.", "The wren is small and <b>brown</b>.")


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with three answers."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("dialogue", "Birds", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        ask = node_edits.add_node(tree, tree.root_id, "Name a bird.", pen)
        grove.commit(tree, ask)
        for text in TEXTS:
            grove.commit(tree, node_edits.add_node(tree, ask.added_nodes()[0].id, text, pen))
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        yield window


def said(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def page(window: MainWindow) -> ComparePage:
    return find(window, ComparePage, "comparePage")


def marked(window: MainWindow) -> list[list[str]]:
    return [column.marked() for column in page(window).columns]


def compare(window: MainWindow, qtbot: QtBot, *texts: str) -> None:
    window.graph.choose(said(window, text) for text in texts)
    window.actions_set.by_name["compare"].trigger()
    qtbot.waitUntil(lambda: all(column._compared for column in page(window).columns))


def test_two_texts_stand_side_by_side_in_the_page_of_a_small_window(qtbot: QtBot) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    page = ComparePage(ground)
    page.resize(442, 600)  # what a window 1,024 px wide leaves it
    page.show_sides([Side(name, name, None, "Claude Sonnet", "14:24", "A bird.") for name in ("a", "b")])

    show_active(qtbot, ground)

    assert find(page, QScrollArea, "compareColumns").horizontalScrollBar().maximum() == 0


def test_two_cards_are_compared_by_mouse_and_key_and_escape_goes_back(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    port = window.graph.viewport()
    assert not window.actions_set.by_name["compare"].isEnabled()
    pointer.click(port, card(window, said(window, TEXTS[0])))
    pointer.click(port, card(window, said(window, TEXTS[1])), modifiers=["ctrl"])
    qtbot.waitUntil(window.actions_set.by_name["compare"].isEnabled)

    pointer.key("ctrl+shift+d")

    qtbot.waitUntil(lambda: marked(window) == [["wren"], ["lark"]])
    assert window.pages.currentWidget() is page(window)
    assert "Name a bird." in find(window, QLabel, "compareAncestor").accessibleName()
    pointer.key("Escape")
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.graph)
    assert len(window.graph.chosen_ids) == 2, "the selection is as it was"


@pytest.mark.slow
def test_of_several_each_is_compared_with_the_first_and_markup_stays_text(
    window: MainWindow, qtbot: QtBot
) -> None:
    compare(window, qtbot, *TEXTS)

    assert marked(window) == [[], ["lark"], ["and <b>brown</b>"]]
    assert page(window).columns[2].field.toPlainText() == TEXTS[2]


@pytest.mark.slow
def test_a_selection_of_which_too_few_are_left_is_refused_in_words(window: MainWindow) -> None:
    window.graph.choose([said(window, TEXTS[0]), said(window, TEXTS[1])])
    for _ in range(3):
        window.document.history.undo(lambda _: None)

    window.run_command(comparison.compare_chosen)

    assert window.text_pane.errors.text == "Of what was selected less than two messages are left."
    window.run_command(lambda bench: comparison.desk_of(bench).show_texts([]))
    assert window.text_pane.errors.text == "There are no two contexts to compare."


def test_equal_messages_are_said_to_be_equal_and_another_theme_keeps_the_marks(
    window: MainWindow, qtbot: QtBot
) -> None:
    document = window.document
    for _ in range(2):
        document.commit(
            node_edits.add_node(document.tree, said(window, "Name a bird."), "Owl.", document.pen())
        )
    owls = [i for i, node in document.tree.nodes.items() if node.text == "Owl."]
    window.graph.choose(owls)
    window.actions_set.by_name["compare"].trigger()
    qtbot.waitUntil(lambda: "the same" in page(window).said)

    compare(window, qtbot, TEXTS[0], TEXTS[1])
    for name in ("dark", "light"):
        window.preferences.put("theme", name)
        qtbot.waitUntil(lambda name=name: theme.current_name() == name)  # type: ignore[misc]
        qtbot.waitUntil(lambda: mark(window, "wren").background().color() == theme.colour("accent.soft"))
        assert mark(window, "wren").fontUnderline()


def mark(window: MainWindow, word: str) -> QTextCharFormat:
    return page(window).columns[0].field.document().find(word).charFormat()


@pytest.mark.slow
def test_what_is_compared_can_be_gone_to(window: MainWindow, qtbot: QtBot) -> None:
    compare(window, qtbot, TEXTS[0], TEXTS[1])
    find(page(window).columns[1], QPushButton, "compareGo").click()

    assert window.pages.currentWidget() is window.graph
    assert window.document.current_id == said(window, TEXTS[1])
    compare(window, qtbot, TEXTS[0], TEXTS[1])
    find(page(window), QPushButton, "compareAncestorGo").click()
    assert window.document.current_id == said(window, "Name a bird.")


@pytest.mark.slow
def test_more_than_fit_are_counted_and_another_tree_closes_the_page(window: MainWindow, qtbot: QtBot) -> None:
    document = window.document
    for i in range(comparison.MOST + 2):
        document.commit(
            node_edits.add_node(document.tree, said(window, "Name a bird."), f"B{i}", document.pen())
        )
    window.graph.choose(i for i, node in document.tree.nodes.items() if node.text.startswith("B"))
    window.actions_set.by_name["compare"].trigger()
    qtbot.waitUntil(lambda: "2 more are selected" in page(window).said)
    assert len(page(window).columns) == comparison.MOST

    document.new_tree("dialogue")

    assert window.pages.currentWidget() is window.graph
