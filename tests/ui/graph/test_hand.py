"""Selecting several cards, carrying one elsewhere, folding, edges, previews: with real pointer and keys.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.model.change import apply
from loomapp.core.model.tree import Tree
from loomapp.ui.graph.input.gestures import CardPreview
from loomapp.ui.graph.input.pointer import Target
from loomapp.ui.graph.painting import edges
from loomapp.ui.graph.painting.edges import continuation
from loomapp.ui.graph.scene import card_places
from loomapp.ui.graph.scene.spatial_index import Direction
from loomapp.ui.graph.view import GraphView
from tests.kit import graph_trees as trees
from tests.kit.desktop import Pointer, show_active
from tests.kit.families import one_in


@pytest.fixture
def tree() -> Tree:
    return trees.rich_tree()


@pytest.fixture
def view(qtbot: QtBot, tree: Tree) -> GraphView:
    """The rich tree, whole in view, no motion."""
    view = GraphView()
    qtbot.addWidget(view)
    view.set_reduced_motion(True)
    view.resize(1120, 760)
    view.show_tree(tree, trees.AGENTS)
    view.set_path(trees.RICH_PATH)
    view.set_current("logbook")
    show_active(qtbot, view)
    view.setFocus()
    return view


def surface(view: GraphView) -> QWidget:
    return view.viewport()


def preview_of(view: GraphView) -> CardPreview:
    found = surface(view).findChild(CardPreview)
    assert found is not None
    return found


def test_control_clicks_select_several_and_a_plain_click_one(view: GraphView, pointer: Pointer) -> None:
    for node_id in ("keeper", "once", "keeper", "boat"):
        pointer.click(surface(view), view.node_rect(node_id).center(), modifiers=["ctrl"])

    assert view.chosen_ids == ["boat", "logbook", "once"]
    assert view.current_node_id == "logbook"
    pointer.click(surface(view), view.node_rect("father").center())
    assert view.chosen_ids == []


def test_a_lasso_takes_the_cards_it_touches_and_escape_lets_them_go(
    view: GraphView, pointer: Pointer, qtbot: QtBot
) -> None:
    around = view.node_rect("keeper").united(view.node_rect("boat"))
    start = around.topLeft() - QPoint(8, 8)
    touched = {
        node_id
        for node_id in view.node_ids()
        if view.node_rect(node_id).intersects(QRect(start, around.bottomRight()))
    }

    pointer.drag((surface(view), start), (surface(view), around.bottomRight()), modifiers=["shift"])

    assert set(view.chosen_ids) == touched
    assert len(touched) > 2
    pointer.key("Escape")
    qtbot.waitUntil(lambda: view.chosen_ids == [])


def test_a_card_dropped_with_control_asks_to_hang_there(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    with qtbot.waitSignal(view.reparent_asked) as asked:
        pointer.drag(
            (surface(view), view.node_rect("once").center()),
            (surface(view), view.node_rect("weather").center()),
            modifiers=["ctrl"],
        )

    assert asked.args == ["once", "weather"]
    assert view.chosen_ids == []


def test_the_ringed_card_counts_whatever_comes_under_the_pointer_and_the_camera_waits(
    view: GraphView, qtbot: QtBot
) -> None:
    start, end = view.node_rect("once").center(), view.node_rect("weather").center()
    middle = QPoint((start.x() + end.x()) // 2, (start.y() + end.y()) // 2)
    area = surface(view)
    send(area, QEvent.Type.MouseButtonPress, start)
    send(area, QEvent.Type.MouseMove, middle)
    send(area, QEvent.Type.MouseMove, end)
    leash = view._hand.leash
    assert leash is not None
    assert leash.target_id == "weather"
    before = view.camera
    view.fit_cards(["boat"])
    view.ensure_visible("boat")
    assert view.camera == before
    view.pan(QPointF(0, -400))  # by the wheel, say
    assert not view.node_rect("weather").contains(end)

    with qtbot.waitSignal(view.reparent_asked) as asked:
        send(area, QEvent.Type.MouseButtonRelease, end)

    assert asked.args == ["once", "weather"]


def send(surface: QWidget, kind: QEvent.Type, at: QPoint) -> None:
    """A mouse event with Ctrl, at once."""
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    where = QPointF(surface.mapToGlobal(at))
    event = QMouseEvent(kind, QPointF(at), where, button, held, Qt.KeyboardModifier.ControlModifier)
    QApplication.sendEvent(surface, event)


def test_a_card_dropped_on_the_desk_stays_where_it_is(view: GraphView, pointer: Pointer) -> None:
    heard: list[tuple[str, str]] = []
    view.reparent_asked.connect(lambda *args: heard.append(args))

    pointer.drag(
        (surface(view), view.node_rect("once").center()), (surface(view), QPoint(30, 30)), modifiers=["ctrl"]
    )

    assert heard == []
    assert view._hand.leash is None


def test_an_edge_lights_up_and_a_click_goes_to_its_far_end(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    row = view._scene.row_of("once")
    assert row is not None
    near_child = continuation(view._scene, view.camera, row).pointAtPercent(0.7).toPoint()

    pointer.move(surface(view), near_child)
    assert view._hand.hover == Target(row, "edge")
    with qtbot.waitSignal(view.node_clicked) as clicked:
        pointer.click(surface(view), near_child)

    assert clicked.args == ["keeper"]
    middle = QPointF(surface(view).rect().center())
    assert (QPointF(view.node_rect("keeper").center()) - middle).manhattanLength() < 4


def test_a_badge_says_how_much_is_folded_and_opens_it(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    before = view.node_rect("pasted")
    view.fold("pasted")
    assert "keeper" not in view.node_ids()
    assert view._scene.places.folded == {"pasted": 10}
    assert (view.node_rect("logbook").isEmpty(), view.is_folded("pasted")) == (True, True)
    row = view._scene.row_of("pasted")
    assert row is not None

    pointer.click(surface(view), view._hand.controls(row).fold.center().toPoint())

    qtbot.waitUntil(lambda: "keeper" in view.node_ids())
    assert not view.node_rect("pasted").isEmpty()
    assert before.size() == view.node_rect("pasted").size()


@pytest.mark.slow
def test_a_draft_opens_the_fold_it_is_written_under(view: GraphView) -> None:
    view.fold("pasted")
    view.fold("logbook")

    view.set_drafts(trees.rich_drafts())

    assert not view.is_folded("logbook")


def test_a_hoisted_branch_stands_alone_until_all_is_shown_again(view: GraphView) -> None:
    view.hoist("keeper")
    assert view.node_ids() == ["keeper", "once"]

    view.hoist("")

    assert "root" in view.node_ids()


def test_what_is_folded_and_unread_can_be_kept(view: GraphView, tree: Tree, qtbot: QtBot) -> None:
    view.fold("keeper")
    change = trees.added(tree, "father", "new")
    apply(tree, change)
    view.patch(change)
    kept = view.fold_state()
    other = GraphView()
    qtbot.addWidget(other)
    other.resize(view.size())

    other.show_tree(tree, trees.AGENTS)
    other.set_fold_state(kept | {"folded": [*kept["folded"], "gone"]})
    other.set_path(trees.RICH_PATH)

    assert other.fold_state() == kept
    assert other.node_ids() == view.node_ids()


@pytest.mark.slow
def test_what_is_kept_never_hides_the_active_path(view: GraphView, tree: Tree) -> None:
    view.show_tree(tree, trees.AGENTS)
    view.set_fold_state({"folded": ["pasted", "keeper"], "hoisted": ["father"]})
    view.set_path(trees.RICH_PATH)

    assert set(trees.RICH_PATH) <= set(view.node_ids())
    assert view.is_folded("keeper")


def test_answers_that_came_unseen_are_marked_until_they_are_looked_at(
    view: GraphView, tree: Tree, pointer: Pointer
) -> None:
    view.fold("keeper")
    for parent, node_id in (("father", "a"), ("once", "b")):
        change = trees.added(tree, parent, node_id)
        apply(tree, change)
        view.patch(change)
    assert "a" in view.node_ids()
    row = view._scene.row_of("a")
    assert row is not None
    assert view._scene.face(row).unread

    assert view.next_unread() == "a"
    pointer.click(surface(view), view.node_rect("a").center())
    assert view.next_unread() == "b"
    assert "b" in view.node_ids(), "the fold that hid it is open"
    view.set_current("b")

    assert not view.has_unread


@pytest.mark.slow
def test_a_tap_of_space_shows_the_whole_text_and_p_keeps_it(
    view: GraphView, pointer: Pointer, qtbot: QtBot
) -> None:
    preview = preview_of(view)
    pointer.move(surface(view), QPoint(30, 30))

    view.space_tapped.connect(view.peek)

    pointer.key("space")
    qtbot.waitUntil(preview.isVisible)
    assert "he must not know" in preview.text
    view.toggle_pin()
    pointer.move(surface(view), view.node_rect("father").center())
    assert preview.isVisible()
    pointer.key("Escape")

    qtbot.waitUntil(lambda: not preview.isVisible())


def test_a_preview_gives_way_to_the_keyboard_until_the_pointer_moves(
    view: GraphView, pointer: Pointer, qtbot: QtBot
) -> None:
    preview = preview_of(view)
    view._zoom_by(0.55, QPointF(surface(view).rect().center()))
    view.set_current("keeper")
    resting = view.node_rect("keeper").center()
    pointer.move(surface(view), resting)
    qtbot.waitUntil(preview.isVisible)

    view.go("right")

    assert not preview.isVisible()
    assert not view._hand._timer.isActive()
    pointer.move(surface(view), resting + QPoint(3, 0))
    qtbot.waitUntil(preview.isVisible)


def test_no_preview_opens_where_the_picture_moved_under_the_pointer(
    view: GraphView, pointer: Pointer, qtbot: QtBot
) -> None:
    card = view.node_rect("keeper").center()
    pointer.move(surface(view), card)
    view.pan(QPointF(1, 0))

    view.on_camera_rested()

    assert view._hand.hover.part == "card", "it is under the pointer, and lights up"
    assert not view._hand._timer.isActive()
    pointer.move(surface(view), card + QPoint(4, 0))
    assert view._hand._timer.isActive()


@pytest.mark.slow
def test_the_card_that_the_text_points_at_lights_up(view: GraphView) -> None:
    before = surface(view).grab().toImage()

    view.set_hovered("weather")
    lit = surface(view).grab().toImage()
    view.set_hovered("")

    assert lit != before
    assert surface(view).grab().toImage() == before


def test_a_tree_that_grows_down_is_walked_and_hit_as_it_is_drawn(
    view: GraphView, pointer: Pointer, qtbot: QtBot
) -> None:
    view.set_direction("down")
    view.fit_all()
    parent, child = view.node_rect("keeper"), view.node_rect("once")
    assert child.top() > parent.bottom()

    with qtbot.waitSignal(view.node_clicked) as clicked:
        pointer.click(surface(view), parent.center())
    view.go("down")
    assert view.current_node_id == "once"

    assert clicked.args == ["keeper"]
    for row in range(len(view.node_ids())):
        box = view._scene.box(row)
        assert view._scene.row_at((box.left + box.right) / 2, (box.top + box.bottom) / 2) == row


@pytest.mark.slow
def test_what_becomes_current_or_is_read_is_never_left_folded_away(view: GraphView) -> None:
    view.fold("pasted")

    view.set_current("once")
    assert "once" in view.node_ids()
    view.fold("father")
    view.set_path(("root", "father", "weather"))

    assert "weather" in view.node_ids()


def test_in_a_large_tree_what_is_hidden_comes_into_view_once_it_is_laid_out(
    view: GraphView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_places, "AT_ONCE", 0)
    view.fold("keeper")
    qtbot.waitUntil(lambda: not view._scene.places.untidy and "once" not in view.node_ids())

    view.ensure_visible("once")

    qtbot.waitUntil(lambda: not view.node_rect("once").isEmpty())


@pytest.mark.parametrize("direction", one_in(2, ["right", "down"]))
def test_among_many_edges_the_nearest_is_felt(qtbot: QtBot, direction: Direction) -> None:
    view = GraphView()
    qtbot.addWidget(view)
    view.set_reduced_motion(True)
    view.resize(1120, 760)
    view.show_tree(trees.grown_tree(150), trees.AGENTS)
    view.set_direction(direction)
    show_active(qtbot, view)
    view.zoom_to_full_size()
    scene, camera = view._scene, view.camera
    rows = scene.index.linked(np.arange(len(scene.index))).tolist()
    assert len(rows) > 100

    for row in rows[::30]:
        on_it = continuation(scene, camera, row).pointAtPercent(0.6)
        for point in (on_it, on_it + QPointF(3, 2), on_it + QPointF(-40, 25)):
            nearest = min(edges._distance(scene, camera, other, point) for other in rows)
            felt = edges.edge_at(scene, camera, point)
            if nearest > edges.REACH:
                assert felt is None
            else:
                assert felt is not None
                assert edges._distance(scene, camera, felt, point) == nearest
