"""What the graph asks for, in the window: one step of undo each, errors in one line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from loomapp.core import edits
from loomapp.store.grove import create_grove
from loomapp.ui.main_window import MainWindow
from tests.desktop import Pointer
from tests.journeys.windows import card, open_window


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with three answers, and a reply to the first."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        numbers = iter(range(1, 1000))
        pen = edits.Pen(grove.owner.id, 1_790_000_000_000, lambda: f"id{next(numbers)}")
        tree = edits.new_tree("dialogue", "Birds", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        ask = edits.add_node(tree, tree.root_id, "Name a bird.", pen)
        grove.commit(tree, ask)
        for text in ("Wren.", "Lark.", "Rook."):
            grove.commit(tree, edits.add_node(tree, ask.added_nodes()[0].id, text, pen))
        grove.commit(tree, edits.add_node(tree, tree.path.leaf_id, "Where?", pen))
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        window.graph.setFocus()
        yield window


def said(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def select(window: MainWindow, *texts: str) -> None:
    window.graph.choose(said(window, text) for text in texts)


def marked(window: MainWindow, name: str) -> set[str]:
    nodes = window.document.tree.nodes.values()
    return {node.text for node in nodes if getattr(node.metadata, name)}


def test_a_selection_is_acted_on_as_one_step(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    for key, mark in (("x", "excluded"), ("b", "bookmarked")):
        select(window, "Wren.", "Lark.", "Where?")
        pointer.key(key)
        qtbot.waitUntil(lambda mark=mark: marked(window, mark) == {"Wren.", "Lark.", "Where?"})  # type: ignore[misc]

    assert window.document.undo_label == "Bookmark 3 messages"
    window.actions_set.by_name["undo"].trigger()
    assert window.document.undo_label == "Exclude 3 messages"
    window.actions_set.by_name["undo"].trigger()
    assert marked(window, "excluded") == marked(window, "bookmarked") == set()


def test_a_selection_is_pruned_as_one_step(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    select(window, "Wren.", "Rook.")

    pointer.key("Delete")
    qtbot.waitUntil(lambda: marked(window, "pruned") == {"Wren.", "Rook.", "Where?"})

    assert window.graph.chosen_ids == []
    assert window.document.tree.nodes[window.document.tree.path.leaf_id].text == "Name a bird."
    window.actions_set.by_name["undo"].trigger()
    assert marked(window, "pruned") == set()


def test_a_branch_dropped_with_control_hangs_there_and_undo_brings_it_back(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    where, wren = said(window, "Where?"), said(window, "Wren.")
    port = window.graph.viewport()

    pointer.drag((port, card(window, where)), (port, card(window, wren)), modifiers=["ctrl"])

    qtbot.waitUntil(lambda: window.document.tree.children(wren) == (where,))
    window.actions_set.by_name["undo"].trigger()
    assert window.document.tree.children(wren) == ()


def test_a_branch_cannot_hang_on_itself_and_that_is_said(window: MainWindow) -> None:
    window.graph.reparent_asked.emit(said(window, "Name a bird."), said(window, "Where?"))

    assert "cannot hang on itself" in window.text_pane.errors.text


def test_branches_fold_and_stand_alone_by_key(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    rook = said(window, "Rook.")
    window.document.set_current(rook)

    pointer.key("c")
    qtbot.waitUntil(lambda: said(window, "Where?") not in window.graph.node_ids())
    pointer.key("c")
    qtbot.waitUntil(lambda: said(window, "Where?") in window.graph.node_ids())
    pointer.key("h")
    qtbot.waitUntil(lambda: window.graph.node_ids() == [rook, said(window, "Where?")])
    pointer.key("shift+h")
    qtbot.waitUntil(lambda: len(window.graph.node_ids()) == 6)


def way(window: MainWindow) -> str:
    return window.graph.direction


def test_the_way_the_tree_grows_is_remembered(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.actions_set.by_name["graphDirection"].trigger()

    assert way(window) == "down"
    assert window.actions_set.by_name["graphDirection"].isChecked()
    with open_window(tmp_path / "other.loom", qtbot) as other:
        assert way(other) == "down"
        other.actions_set.by_name["graphDirection"].trigger()
    window.actions_set.by_name["graphDirection"].trigger()
    assert way(window) == "right"


def test_the_pointer_over_the_text_lights_the_card_and_the_other_way_round(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    rook = said(window, "Rook.")

    window.dialogue.hovered.emit(rook)
    assert window.graph._linked == rook

    with qtbot.waitSignal(window.graph.hovered) as hovered:
        pointer.move(window.graph.viewport(), card(window, rook))
    assert hovered.args == [rook]


def test_a_selection_is_what_is_meant_whichever_card_is_current(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    window.document.set_current(window.document.tree.root_id)
    select(window, "Wren.", "Lark.")
    for name in ("prune", "bookmark", "exclude"):
        assert window.actions_set.by_name[name].isEnabled()

    pointer.key("b")
    qtbot.waitUntil(lambda: marked(window, "bookmarked") == {"Wren.", "Lark."})
    assert window.actions_set.by_name["bookmark"].isChecked()
    assert not window.actions_set.by_name["exclude"].isChecked()
    pointer.key("Delete")
    qtbot.waitUntil(lambda: marked(window, "pruned") == {"Wren.", "Lark."})
    assert not window.actions_set.by_name["prune"].isEnabled(), "the root alone is current again"


def test_fitting_a_selection_shows_all_of_it(window: MainWindow, pointer: Pointer, qtbot: QtBot) -> None:
    window.graph.pan(QPointF(-9_000, -9_000))
    select(window, "Name a bird.", "Where?", "Wren.")

    pointer.key("ctrl+9")

    cards = [said(window, text) for text in ("Name a bird.", "Where?", "Wren.")]
    whole = window.graph.viewport().rect()
    qtbot.waitUntil(lambda: all(whole.contains(window.graph.node_rect(card)) for card in cards))
    assert all(not window.graph.node_rect(card).isEmpty() for card in cards)
