"""The row of places above the graph: it follows, leads back, and its words are only words.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.content import Text
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.graph.branches import show_crumbs
from loomapp.ui.commands.save import save
from loomapp.ui.inspector.context.rows import ContextRow
from loomapp.ui.inspector.context.table import spoken
from loomapp.ui.side_bar.outline.row_words import title
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.window.main_window import MainWindow
from tests.kit.call_counts import calls_of
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.windows import open_window

TURNED = "\u202e\u2067"  # all that follows would read from right to left


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("dialogue", f"{TURNED}Birds & <b>beasts</b>", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for text in ("Name a bird.", "Wren.", "Where\ndoes it live? " + "Far away. " * 60):
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        yield window


def words(window: MainWindow) -> list[str]:
    return [crumb.words[:12] for crumb in window.crumbs.crumbs]


def test_it_says_the_tree_what_is_above_and_where_one_is(window: MainWindow) -> None:
    assert words(window) == ["Birds & <b>b", "Wren.", "Where does i"]

    window.document.place.set_current(window.document.path_ids[1])
    assert words(window) == ["Birds & <b>b", "Name a bird."]
    window.document.place.set_current(window.document.tree.root_id)
    assert words(window) == ["Birds & <b>b"]

    window.writings.on_edit_typed(window.document.path_ids[1], "Name a fish.")  # an edit is open
    window.document.place.set_current(window.document.path_ids[1])
    assert words(window) == ["Birds & <b>b", "Name a bird."]
    document = window.document
    document.commit(node_edits.add_node(document.tree, document.path_ids[1], "\n\n", document.pen()))
    assert words(window)[-1] == "blank line"
    assert spoken(ContextRow("sent", "You", text="\n\n")) == "You · blank line"


def test_who_walks_on_finds_the_same_buttons_with_other_words(window: MainWindow, pointer: Pointer) -> None:
    before = window.crumbs.buttons()
    first, second = window.document.path_ids[1:3]
    window.document.place.set_current(second)

    assert words(window) == ["Birds & <b>b", "Name a bird.", "Wren."]
    assert window.crumbs.buttons() == before
    assert [button.accessibleName() for button in before][1:] == ["Name a bird.", "Wren."]
    pointer.click(before[1])
    assert window.document.current_id == first


@pytest.mark.slow
def test_marks_that_turn_a_line_around_stay_in_the_title_and_turn_nothing_else(window: MainWindow) -> None:
    assert window.document.tree.loom.title.startswith(TURNED)
    assert window.windowTitle() == "Birds & <b>beasts</b> — Loomapp"
    trees = find(window, TreeList, "treeList")._model
    row = trees.index(0, 0)
    assert str(row.data(Qt.ItemDataRole.AccessibleTextRole)).startswith("Birds")
    assert str(row.data(Qt.ItemDataRole.EditRole)).startswith(TURNED)
    node = replace(window.document.tree.nodes[window.document.current_id], content=Text(f"{TURNED}Wren."))
    assert title(node) == "Wren."


@pytest.mark.slow
def test_a_crumb_leads_back_and_that_of_the_tree_shows_the_whole_again(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    wren, last = window.document.path_ids[2:]
    window.document.place.set_current(wren)
    window.actions_set.by_name["hoist"].trigger()
    window.document.place.set_current(last)
    qtbot.waitUntil(lambda: words(window) == ["Birds & <b>b", "Wren.", "Where does i"])

    pointer.click(window.crumbs.buttons()[1])
    qtbot.waitUntil(lambda: window.document.current_id == wren)
    assert window.graph.hoisted == wren
    pointer.click(window.crumbs.buttons()[0])
    qtbot.waitUntil(lambda: window.document.current_id == window.document.tree.root_id)

    assert window.graph.hoisted == ""


@pytest.mark.slow
def test_it_says_for_as_long_as_one_branch_stands_alone_and_a_button_shows_the_whole_again(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    whole = find(window, QToolButton, "showWholeTree")
    assert not whole.isVisible()
    window.document.place.set_current(window.document.path_ids[2])
    window.actions_set.by_name["hoist"].trigger()
    window.note("")
    assert whole.isVisible()
    assert "Only this branch is shown" in [w.text() for w in shown_labels(window)]

    window.resize(920, 700)
    qtbot.waitUntil(lambda: window.crumbs.width() == window.graph.width())
    assert whole.isVisible()
    assert whole.geometry().right() <= window.crumbs.width()
    assert all(b.geometry().right() < whole.geometry().left() for b in shown_buttons(window))
    pointer.click(whole)

    qtbot.waitUntil(lambda: window.graph.hoisted == "")
    assert not whole.isVisible()
    assert "Only this branch is shown" not in [w.text() for w in shown_labels(window)]


def shown_buttons(window: MainWindow) -> list[QToolButton]:
    return [button for button in window.crumbs.buttons() if button.isVisible()]


def shown_labels(window: MainWindow) -> list[QLabel]:
    return [words for words in window.crumbs.findChildren(QLabel) if words.isVisible()]


@pytest.mark.slow
@pytest.mark.desktop
def test_long_words_are_shortened_and_never_read_as_keys_or_markup(window: MainWindow, qtbot: QtBot) -> None:
    title, _, last = window.crumbs.buttons()

    assert title.text() == "Birds && <b>beasts</b>"
    assert last.text().endswith("…")
    assert "<b>" not in title.toolTip()
    window.resize(920, 700)
    qtbot.waitUntil(lambda: window.crumbs.width() == window.graph.width())
    assert all(button.geometry().right() <= window.crumbs.width() for button in shown_buttons(window))


@pytest.mark.slow
def test_another_title_is_taken_over(window: MainWindow) -> None:
    window.document.trees.rename(window.document.tree.loom.id, "Birds")

    assert words(window)[0] == "Birds"


def test_where_one_is_stands_last_also_where_that_branch_stands_alone(window: MainWindow) -> None:
    window.document.place.set_current(window.document.path_ids[2])
    window.actions_set.by_name["hoist"].trigger()

    assert words(window) == ["Birds & <b>b", "Name a bird.", "Wren."]


def test_a_named_branch_stands_above_what_is_in_it_never_below_and_is_not_walked_to(
    window: MainWindow,
) -> None:
    document = window.document
    document.commit(node_edits.add_node(document.tree, document.path_ids[-1], "In woods.", document.pen()))
    bird, wren, _, woods = document.path_ids[1:]
    save.name_branch(window.bench, bird, "Birds")
    document.place.set_current(woods)
    assert words(window) == ["Birds & <b>b", "Birds", "Where does i", "In woods."]

    document.place.set_current(wren)
    window.actions_set.by_name["hoist"].trigger()
    document.place.set_current(woods)

    assert words(window) == ["Birds & <b>b", "Wren.", "Where does i", "In woods."]
    window.actions_set.by_name["unhoist"].trigger()
    assert calls_of(partial(show_crumbs, window.bench), "parent") == 1


@pytest.mark.slow
def test_the_status_bar_forgets_what_is_no_longer_so(window: MainWindow) -> None:
    note = find(window.status, QLabel, "statusNote")
    length = find(window.status, QLabel, "statusWords")
    window.document.place.set_current(window.document.path_ids[2])
    window.actions_set.by_name["hoist"].trigger()
    assert note.text().startswith("Only this branch")
    window.actions_set.by_name["unhoist"].trigger()
    assert note.text() == "The whole tree is shown."

    window.note("Redo Write")
    window.actions_set.by_name["newBuffer"].trigger()
    assert note.text() == ""
    window.buffer.show_words()
    assert length.text() == "0 words"
    window.actions_set.by_name["newDialogue"].trigger()
    assert length.text() == ""


@pytest.mark.slow
def test_beside_a_buffer_what_is_shown_can_be_read_and_the_rest_stands_in_a_menu(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    window.graph.setFixedWidth(380)
    qtbot.waitUntil(lambda: window.crumbs.width() == 380)
    tree, wren, last = window.crumbs.buttons()

    more = find(window, QToolButton, "moreCrumbs")
    assert more.isVisible()
    assert not tree.isVisible()
    assert (wren.text(), last.isVisible()) == ("Wren.", True)
    assert last.text().startswith("Where does")
    arrows = [label for label in shown_labels(window) if label.text() == "›"]
    assert len(arrows) == 2

    pointer.click(more)
    menu = find(window.crumbs, QMenu, "moreCrumbsMenu")
    qtbot.waitUntil(menu.isVisible)
    [row] = menu.actions()
    assert row.text() == "Birds && <b>beasts</b>"
    pointer.click(menu, menu.actionGeometry(row).center())
    qtbot.waitUntil(lambda: window.document.current_id == window.document.tree.root_id)

    qtbot.waitUntil(lambda: not more.isVisible())
    assert window.crumbs.buttons()[0].isVisible()
