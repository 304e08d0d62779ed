"""What the graph asks for, in the window: one step of undo each, errors in one line.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.ui.commands import panes
from loomapp.ui.graph.minimap import Minimap
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.dialogue_views import message
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.tree_queries import asked_of_trees
from tests.kit.windows import card, open_window


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with three answers, and a reply to the first."""
    path = written(
        tmp_path / "g.loom",
        ("Name a bird.", ""),
        ("Wren.", "Name a bird."),
        ("Lark.", "Name a bird."),
        ("Rook.", "Name a bird."),
        ("Where?", "Rook."),
    )
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        panes.focus_graph(window.bench)
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

    assert window.document.history.undo_label == "Bookmark 3 messages"
    graph = window.graph
    graph._look(graph._camera.moved(4000, 0))
    assert graph.node_rect(said(window, "Lark.")).isEmpty()
    window.actions_set.by_name["undo"].trigger()
    assert not graph.node_rect(said(window, "Lark.")).isEmpty(), "undo shows what it changes"
    graph._look(graph._camera.moved(4000, 0))
    assert window.document.history.undo_label == "Exclude 3 messages"
    window.actions_set.by_name["undo"].trigger()
    assert not graph.node_rect(window.document.current_id).isEmpty()
    assert marked(window, "excluded") == marked(window, "bookmarked") == set()
    window.composer.field.setFocus()
    pointer.key("Escape")
    qtbot.waitUntil(lambda: graph.chosen_ids == [])


@pytest.mark.slow
def test_what_can_be_done_with_a_selection_is_found_once(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asked_of_trees(monkeypatch, "children", "annotation_edges_into")

    def asked_of(*texts: str) -> int:
        select(window, *texts)
        asked.clear()
        window.actions_set.refresh()
        return len(asked)

    every = asked_of("Name a bird.", "Wren.", "Lark.", "Rook.", "Where?")
    assert every == asked_of("Wren.", "Rook.")
    select(window, "Wren.", "Lark.")  # nothing is below these, whatever is current
    window.document.place.set_current(said(window, "Rook."))
    assert not window.actions_set.by_name["fold"].isEnabled()


@pytest.mark.slow
def test_a_selection_says_what_is_so_of_all_as_the_tree_moves(window: MainWindow) -> None:
    actions = window.actions_set.by_name
    select(window, "Wren.", "Lark.", "Rook.")

    actions["bookmark"].trigger()
    assert actions["bookmark"].isChecked()
    assert not actions["exclude"].isChecked()

    window.document.commit(
        node_marks.remove_bookmarks(window.document.tree, [said(window, "Lark.")], window.document.pen())
    )
    assert not actions["bookmark"].isChecked()
    actions["undo"].trigger()
    assert actions["bookmark"].isChecked()


@pytest.mark.slow
def test_while_very_many_are_changed_the_pointer_waits_and_it_is_said_why(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.session.document.MANY_NODES", 3)
    note = find(window, QLabel, "statusNote")
    seen: list[tuple[str, bool]] = []
    window.document.tree_changed.connect(
        lambda _: seen.append((note.text(), QApplication.overrideCursor() is not None))
    )

    select(window, "Wren.", "Lark.", "Rook.")
    for name in ("exclude", "undo", "redo"):
        window.actions_set.by_name[name].trigger()
    qtbot.waitUntil(lambda: QApplication.overrideCursor() is None)
    assert seen == [("3 nodes are changed. This takes a moment…", True)] * 3
    assert "takes a moment" not in note.text()

    select(window, "Wren.", "Lark.")
    window.actions_set.by_name["bookmark"].trigger()
    assert not seen[-1][1]


def test_a_selection_is_pruned_as_one_step(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    select(window, "Wren.", "Rook.")

    pointer.key("Delete")
    qtbot.waitUntil(lambda: marked(window, "pruned") == {"Wren.", "Rook.", "Where?"})

    assert window.graph.chosen_ids == []
    assert window.document.tree.nodes[window.document.tree.path.leaf_id].text == "Name a bird."
    window.actions_set.by_name["undo"].trigger()
    assert marked(window, "pruned") == set()


@pytest.mark.slow
def test_a_selection_is_restored_as_one_step(window: MainWindow, qtbot: QtBot) -> None:
    window.display.set_show_pruned(True)
    select(window, "Wren.", "Rook.")
    window.actions_set.by_name["prune"].trigger()
    window.document.place.set_current(said(window, "Name a bird."))
    select(window, "Wren.", "Lark.", "Rook.")
    assert window.actions_set.by_name["restore"].isEnabled()

    window.actions_set.by_name["restore"].trigger()

    assert marked(window, "pruned") == set()
    assert window.document.history.undo_label == "Restore 3 messages"
    window.actions_set.by_name["undo"].trigger()
    assert marked(window, "pruned") == {"Wren.", "Rook.", "Where?"}


def test_a_pruned_card_offers_to_be_restored(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.display.set_show_pruned(True)
    window.document.place.set_current(said(window, "Rook."))
    window.actions_set.by_name["prune"].trigger()
    rook, port = said(window, "Rook."), window.graph.viewport()
    pointer.move(port, card(window, rook))
    assert window.graph.tool_rect(rook, "edit").isEmpty()

    pointer.click(port, window.graph.tool_rect(rook, "restore").center())

    qtbot.waitUntil(lambda: marked(window, "pruned") == set())


@pytest.mark.slow
def test_a_selection_is_folded_and_copied_together(window: MainWindow) -> None:
    rook, wren = said(window, "Rook."), said(window, "Wren.")
    window.document.commit(node_edits.add_node(window.document.tree, wren, "Why?", window.document.pen()))
    window.document.place.set_current(said(window, "Name a bird."))
    select(window, "Rook.", "Wren.", "Lark.")

    window.actions_set.by_name["copyText"].trigger()
    assert QGuiApplication.clipboard().text() == "Wren.\n\nLark.\n\nRook."
    window.actions_set.by_name["fold"].trigger()
    assert window.graph.is_folded(rook)
    assert window.graph.is_folded(wren)
    assert window.actions_set.by_name["fold"].isChecked()
    window.actions_set.by_name["fold"].trigger()
    assert not window.graph.is_folded(rook)
    assert not window.graph.is_folded(wren)


@pytest.mark.slow
def test_what_is_asked_of_one_card_or_message_is_not_done_to_a_selection_elsewhere(
    window: MainWindow, qtbot: QtBot
) -> None:
    select(window, "Wren.", "Lark.")

    window.graph.tool_clicked.emit(said(window, "Rook."), "exclude")
    assert marked(window, "excluded") == {"Rook."}
    assert window.graph.chosen_ids == []
    select(window, "Wren.", "Lark.")
    window.dialogue.bookmark_asked.emit(said(window, "Rook."))
    assert marked(window, "bookmarked") == {"Rook."}
    window.graph.menu_asked.emit(said(window, "Rook."), window.graph.mapToGlobal(QPoint(5, 5)))
    window.actions_set.by_name["prune"].trigger()
    assert marked(window, "pruned") == {"Rook.", "Where?"}
    for menu in window.findChildren(QMenu, "nodeMenu"):
        menu.close()
    select(window, "Wren.", "Lark.")
    window.graph.tool_clicked.emit(said(window, "Lark."), "bookmark")
    assert marked(window, "bookmarked") == {"Rook.", "Wren.", "Lark."}, "a card of it stands for all"


@pytest.mark.slow
def test_messages_that_go_out_as_one_say_so_in_text_and_graph(window: MainWindow, qtbot: QtBot) -> None:
    where, wren = said(window, "Where?"), said(window, "Rook.")
    row = window.dialogue._script

    def marks() -> tuple[list[bool], list[bool]]:
        script, scene = window.dialogue._script, window.graph._scene
        assert script is not None
        entries = [script.entry(i).merged for i in range(len(script))]
        rows = [scene.row_of(node_id) for node_id in window.document.path_ids[1:]]
        return entries, [any(b.icon == "merge" for b in scene.face(r).badges) for r in rows if r is not None]

    assert row is not None
    everything = [window.document.tree.nodes[i].author_type for i in window.document.path_ids[1:]]
    assert everything == ["human", "human", "human"]
    window.preview.refresh_now()
    qtbot.waitUntil(lambda: marks() == ([False, True, True], [False, True, True]))
    assert "Sent as one with the message above" in shown_words(window, where)

    window.document.commit(node_marks.exclude(window.document.tree, (wren,), window.document.pen()))
    window.preview.refresh_now()
    qtbot.waitUntil(lambda: marks() == ([False, False, True], [False, False, True]))


def shown_words(window: MainWindow, key: str) -> tuple[str, ...]:
    window.dialogue.reveal(key)
    return message(window.dialogue, key).foot.words


def test_a_branch_dropped_with_control_hangs_there_and_undo_brings_it_back(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    where, wren = said(window, "Where?"), said(window, "Wren.")
    port = window.graph.viewport()

    pointer.drag((port, card(window, where)), (port, card(window, wren)), modifiers=["ctrl"])

    qtbot.waitUntil(lambda: window.document.tree.children(wren) == (where,))
    window.actions_set.by_name["undo"].trigger()
    assert window.document.tree.children(wren) == ()


@pytest.mark.slow
def test_a_branch_cannot_hang_on_itself_and_that_is_said(window: MainWindow) -> None:
    window.graph.reparent_asked.emit(said(window, "Name a bird."), said(window, "Where?"))

    assert "cannot move there" in window.text_pane.errors.text


def test_the_graph_follows_the_current_card_out_of_sight_unless_it_was_led_away_by_hand(
    window: MainWindow,
) -> None:
    graph, place, bird = window.graph, window.document.place, said(window, "Name a bird.")
    seen = graph.camera
    graph._look(seen.moved(4000, 0))
    place.set_current(bird)
    assert not graph.node_rect(bird).isEmpty()

    graph._look(seen)
    place.set_current(said(window, "Rook."))
    assert graph.camera == seen, "it was in view"
    window.composer.field.setFocus()
    graph._look(seen.moved(-graph.node_rect(bird).center().x(), 0))
    place.set_current(bird)
    assert graph.viewport().rect().contains(graph.node_rect(bird)), "half of it was"
    place.set_current(said(window, "Rook."))
    graph.pan(QPointF(4000, 0))
    place.set_current(bird)
    assert graph.node_rect(bird).isEmpty(), "whoever pans away looks at something else"


def test_branches_fold_and_stand_alone_by_key(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    rook = said(window, "Rook.")
    window.document.place.set_current(rook)

    pointer.key("c")
    qtbot.waitUntil(lambda: said(window, "Where?") not in window.graph.node_ids())
    pointer.key("c")
    qtbot.waitUntil(lambda: said(window, "Where?") in window.graph.node_ids())
    pointer.key("h")
    qtbot.waitUntil(lambda: window.graph.node_ids() == [rook, said(window, "Where?")])
    pointer.key("shift+h")
    qtbot.waitUntil(lambda: len(window.graph.node_ids()) == 6)


@pytest.mark.desktop
@pytest.mark.parametrize("action", ["fold", "hoist"])
def test_a_card_at_the_edge_stays_there_when_its_menu_folds_or_hoists_it(
    window: MainWindow, qtbot: QtBot, action: str
) -> None:
    graph, bird = window.graph, said(window, "Name a bird.")
    window.document.place.set_current(said(window, "Where?"))
    graph.pan(QPointF(20 - graph.node_rect(bird).right(), 0))
    before = graph.node_rect(bird).topLeft()
    graph.menu_asked.emit(bird, QPoint())
    menu = window.findChild(QMenu, "nodeMenu")
    assert menu is not None
    menu.close()

    window.actions_set.by_name[action].trigger()

    assert len(graph.node_ids()) < 6
    moved = graph.node_rect(bird).topLeft() - before
    assert max(abs(moved.x()), abs(moved.y())) <= 1


def way(window: MainWindow) -> str:
    return window.graph.direction


@pytest.mark.slow
def test_the_way_the_tree_grows_is_remembered(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.actions_set.by_name["graphDirection"].trigger()

    assert way(window) == "down"
    assert window.actions_set.by_name["graphDirection"].isChecked()
    with open_window(tmp_path / "other.loom", qtbot) as other:
        assert way(other) == "down"
        other.actions_set.by_name["graphDirection"].trigger()
    window.actions_set.by_name["graphDirection"].trigger()
    assert way(window) == "right"


def test_the_overview_goes_from_corner_to_corner_and_is_hidden_at_last(window: MainWindow) -> None:
    graph = window.graph
    graph.resize(900, 600)
    overview = find(graph, Minimap, "graphMinimap")
    move = window.actions_set.by_name["moveOverview"].trigger
    places = []

    for _ in range(3):
        graph.zoom_to_full_size()
        graph.pan(QPointF(-2000, 0))
        places.append((overview.x() < 100, overview.y() < 100, overview.isHidden()))
        move()

    assert places == [(False, False, False), (False, True, False), (True, True, False)]
    assert (graph.overview_corner, overview.isHidden()) == ("hidden", True)
    move()
    assert graph.overview_corner == "lower right"


@pytest.mark.slow
def test_the_pointer_over_the_text_lights_the_card_and_the_other_way_round(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    rook = said(window, "Rook.")

    window.dialogue.hovered.emit(rook)
    assert window.graph._linked == rook

    with qtbot.waitSignal(window.graph.hovered) as hovered:
        pointer.move(window.graph.viewport(), card(window, rook))
    assert hovered.args == [rook]


@pytest.mark.slow
def test_a_selection_is_what_is_meant_whichever_card_is_current(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    window.document.place.set_current(window.document.tree.root_id)
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


@pytest.mark.slow
def test_fitting_a_selection_shows_all_of_it(window: MainWindow, pointer: Pointer, qtbot: QtBot) -> None:
    window.graph.pan(QPointF(-9_000, -9_000))
    select(window, "Name a bird.", "Where?", "Wren.")

    pointer.key("ctrl+9")

    cards = [said(window, text) for text in ("Name a bird.", "Where?", "Wren.")]
    whole = window.graph.viewport().rect()
    qtbot.waitUntil(lambda: all(whole.contains(window.graph.node_rect(card)) for card in cards))
    assert all(not window.graph.node_rect(card).isEmpty() for card in cards)
