"""The graph under a real pointer and real keys.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QColor,
    QImage,
    QInputDevice,
    QPointingDevice,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import Metadata
from loomapp.core.model.tree import Tree
from loomapp.ui.graph.input import pointer as hand
from loomapp.ui.graph.input.gestures import CardPreview
from loomapp.ui.graph.input.key_walk import Direction as Way
from loomapp.ui.graph.motion.camera import CARD_ZOOM, Camera, detail
from loomapp.ui.graph.painting import far_view, overlay, painter
from loomapp.ui.graph.painting.far_view import FrameCounts
from loomapp.ui.graph.scene.spatial_index import Direction
from loomapp.ui.graph.view import GraphView
from loomapp.ui.graph.walkable_canvas import MOST_SPOKEN
from loomapp.ui.look import theme
from tests.kit import graph_trees as trees
from tests.kit.desktop import Pointer, show_active
from tests.kit.trees import chain

QUIET_S = 0.1  # without a frame, then no more are due


@pytest.fixture
def view(qtbot: QtBot) -> GraphView:
    """The rich tree, whole in view, no motion."""
    view = GraphView()
    qtbot.addWidget(view)
    view.set_reduced_motion(True)
    view.resize(1120, 760)
    show_tree(view, trees.rich_tree())
    show_active(qtbot, view)
    return view


def show_tree(view: GraphView, tree: Tree) -> None:
    view.show_tree(tree, trees.AGENTS)
    view.set_path(trees.RICH_PATH)
    view.set_current("logbook")
    view.set_fates(trees.RICH_FATES)


def show_big(view: GraphView, size: int = 10_000) -> Tree:
    tree = trees.grown_tree(size)
    view.show_tree(tree, trees.AGENTS)
    view.set_path(trees.ancestors(tree, f"n{size - 1}"))
    view.set_current(f"n{size - 1}")
    view.unfold_all()
    view.tidy_up()
    return tree


def painted_out(view: GraphView) -> FrameCounts:
    """The last frame, once no more are due: nothing was painted for a while."""
    last, since = None, time.monotonic()
    while time.monotonic() - since < QUIET_S or view.painted.owed or view._map_timer.isActive():
        if last is not view.painted:
            last, since = view.painted, time.monotonic()
        QApplication.processEvents()
    return view.painted


def surface(view: GraphView) -> QWidget:
    return view.viewport()


def next_frame(view: GraphView) -> FrameCounts:
    """What is done in one more frame, all of it exposed."""
    surface(view).grab()
    return view.painted


def test_a_click_selects_the_card_under_the_pointer(view: GraphView, qtbot: QtBot, pointer: Pointer) -> None:
    with qtbot.waitSignal(view.node_clicked) as clicked:
        pointer.click(surface(view), view.node_rect("weather").center())

    assert clicked.args == ["weather"]
    assert view.current_node_id == "weather"


def test_a_double_click_activates_and_a_click_on_the_desk_does_nothing(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    heard: list[str] = []
    view.node_activated.connect(heard.append)
    view.node_clicked.connect(heard.append)

    pointer.click(surface(view), QPoint(40, 40))
    with qtbot.waitSignal(view.node_activated):
        pointer.double_click(surface(view), view.node_rect("once").center())

    assert heard == ["once", "once"]  # the first click of a double click selects


def test_the_plus_appears_under_the_pointer_and_asks_for_more(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    plus = view.plus_rect("father").center()

    with qtbot.waitSignal(view.plus_clicked) as plain:
        pointer.click(surface(view), plus)
    with qtbot.waitSignal(view.plus_clicked) as shifted:
        pointer.click(surface(view), plus, modifiers=["shift"])

    assert (plain.args, shifted.args) == (["father", False], ["father", True])
    assert view.current_node_id == "logbook"


@pytest.mark.parametrize("direction", ["right", "down"])
def test_a_click_beside_a_card_asks_nothing_unless_its_plus_was_seen_there(
    view: GraphView, pointer: Pointer, monkeypatch: pytest.MonkeyPatch, direction: Direction
) -> None:
    view.set_direction(direction)
    view.fit_all()
    asked: list[str] = []
    view.plus_clicked.connect(lambda node_id, _follow: asked.append(node_id))
    card, plus = view.node_rect("father"), view.plus_rect("father")
    beside = plus.center() + (QPoint(8, 0) if direction == "right" else QPoint(0, 8))
    assert not card.contains(beside)

    for at in (beside, plus.center()):
        pointer.move(surface(view), QPoint(20, 20))
        pointer.click(surface(view), at)
    assert asked == ["father"], "the middle of the + is on the card, and asks at once"

    monkeypatch.setattr(hand, "PLUS_SEEN_S", 0.0)
    pointer.click(surface(view), beside)
    assert asked == ["father", "father"]


def test_the_tools_of_a_hovered_card_win_over_the_card_below(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    below = view.node_rect("edited")
    bookmark = view.tool_rect("father2", "bookmark")
    assert bookmark.intersects(below), "the row of tools reaches over the gap"

    pointer.move(surface(view), view.node_rect("father2").center())
    with qtbot.waitSignal(view.tool_clicked) as clicked:
        pointer.click(surface(view), QPoint(bookmark.center().x(), below.top() + 2))

    assert clicked.args == ["father2", "bookmark"]


def test_the_right_button_asks_for_the_menu_of_the_card_or_of_the_desk(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    place = view.node_rect("keeper").center()

    with qtbot.waitSignal(view.menu_asked) as on_card:
        pointer.click(surface(view), place, button=3)
    with qtbot.waitSignal(view.menu_asked) as on_desk:
        pointer.click(surface(view), QPoint(40, 40), button=3)

    assert on_card.args == ["keeper", surface(view).mapToGlobal(place)]
    assert on_desk.args is not None
    assert on_desk.args[0] == ""


def test_a_press_that_ends_elsewhere_is_no_click(view: GraphView, pointer: Pointer) -> None:
    heard: list[str] = []
    view.node_clicked.connect(heard.append)

    pointer.drag(
        (surface(view), view.node_rect("weather").center()), (surface(view), view.node_rect("once").center())
    )

    assert heard == []


@pytest.mark.parametrize("button", [1, 2])
def test_dragging_the_desk_moves_the_picture(view: GraphView, pointer: Pointer, button: int) -> None:
    before = view.node_rect("logbook")

    pointer.drag((surface(view), QPoint(60, 60)), (surface(view), QPoint(160, 110)), button=button)

    assert view.node_rect("logbook") == before.translated(100, 50)


def test_space_makes_a_drag_that_begins_on_a_card_pan(view: GraphView, pointer: Pointer) -> None:
    heard: list[str] = []
    view.node_clicked.connect(heard.append)
    view.setFocus()
    before = view.node_rect("father")

    start = (surface(view), before.center())
    pointer.drag(start, (surface(view), before.center() + QPoint(30, 40)), modifiers=["space"])

    assert (view.node_rect("father"), heard) == (before.translated(30, 40), [])


@pytest.mark.parametrize("modifiers", [[], ["ctrl"]])
def test_the_wheel_zooms_and_keeps_the_point_under_the_pointer(
    view: GraphView, pointer: Pointer, modifiers: list[str]
) -> None:
    at = QPoint(700, 300)
    before = view.camera.to_canvas(QPointF(at))

    pointer.wheel(surface(view), at, notches=3, modifiers=modifiers)

    after = view.camera.to_canvas(QPointF(at))
    assert view.camera.zoom > 1.5
    assert (after - before).manhattanLength() < 0.01


def test_zooming_out_ends_where_everything_is_seen(view: GraphView, pointer: Pointer) -> None:
    show_big(view)
    view.fit_all()
    smallest = view.camera.zoom

    pointer.wheel(surface(view), QPoint(500, 300), notches=-5)

    assert view.camera.zoom == pytest.approx(smallest)


def test_what_is_painted_is_what_is_hit(view: GraphView, pointer: Pointer) -> None:
    """Every card's fill is found inside its rectangle and the desk around it, at several zooms."""
    pointer.move(surface(view), QPoint(4, 4))
    for zoom in (1.0, 0.7, 0.45, 1.7):
        view._look(view.camera.zoomed(zoom, QPointF(560, 380)))
        assert agrees_with_the_picture(view)


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10**6),
    zoom=st.floats(0.4, 2.0),
    direction=st.sampled_from(("right", "down")),
    at=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_in_any_tree_at_any_zoom_what_is_painted_is_what_is_hit(
    view: GraphView, seed: int, zoom: float, direction: Direction, at: tuple[float, float]
) -> None:
    view.set_direction(direction)
    view.show_tree(trees.grown_tree(40, seed), trees.AGENTS)
    view.node_ids()
    bounds = view._scene.index.bounds
    point = QPointF(
        bounds.left + at[0] * (bounds.right - bounds.left), bounds.top + at[1] * (bounds.bottom - bounds.top)
    )
    view._look(view.camera.zoomed(zoom, QPointF(560, 380)).with_point(point, QPointF(560, 380)))
    agrees_with_the_picture(view)


def agrees_with_the_picture(view: GraphView) -> int:
    """Looks at every card in view, inside of it and above; how many there were."""
    view.on_camera_rested()
    image, count = surface(view).grab().toImage(), 0
    for node_id in view.node_ids():
        rect = view.node_rect(node_id).intersected(surface(view).rect())
        if rect.width() < 20 or rect.height() < 10 or hidden(view, rect):
            continue
        inside = QPoint(rect.right() - 4, rect.center().y())
        above = QPoint(rect.left() + rect.width() // 5, rect.top() - 3)
        target = view._hand.target_at(QPointF(inside))
        assert target.row is not None
        assert view._scene.key(target.row) == node_id
        assert image.pixelColor(inside) != theme.colour("surface.canvas"), node_id
        over = view._hand.target_at(QPointF(above))
        assert over.part == "edge" or over.row is None
        assert over.part == "edge" or is_desk(image.pixelColor(above)), node_id
        count += 1
    return count


def hidden(view: GraphView, rect: QRect) -> bool:
    corners = (view._zoom_bar.geometry(), view._minimap.geometry())
    return any(corner.intersects(rect) for corner in corners) or not surface(view).rect().contains(
        rect.adjusted(-9, -9, 9, 9)
    )


def is_desk(colour: QColor) -> bool:
    """The desk, or one of its dots, or a hair of shadow."""
    desk = theme.colour("surface.canvas")
    apart = (colour.red() - desk.red(), colour.green() - desk.green(), colour.blue() - desk.blue())
    return max(map(abs, apart)) < 24


def test_walking_goes_from_card_to_card_and_reading_is_asked_for(view: GraphView, qtbot: QtBot) -> None:
    walked: list[str] = []
    view.node_clicked.connect(walked.append)
    view.set_current("pasted")

    ways: tuple[Way, ...] = ("right", "up", "right", "left", "left", "up", "left")
    for way in ways:
        view.go(way)
    with qtbot.waitSignal(view.node_activated) as read:
        view.read_current()

    assert walked == ["style", "keeper", "once", "keeper", "pasted", "father", "root"]
    assert read.args == ["root"]


def test_walking_brings_the_card_into_view(view: GraphView, pointer: Pointer) -> None:
    tree = show_big(view)
    view.set_current("n0")
    view.setFocus()

    for _ in range(4):
        view.go("right")
        view.go("down")
        current = view.current_node_id
        assert current is not None
        assert surface(view).rect().contains(view.node_rect(current))
    assert current in tree.nodes


def test_the_keyboard_is_seen_and_the_mouse_needs_no_ring(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    outside = QPoint(view.node_rect("weather").center().x(), view.node_rect("weather").top() - 3)
    pointer.click(surface(view), view.node_rect("weather").center())
    pointer.move(surface(view), QPoint(40, 40))
    without = surface(view).grab().toImage().pixelColor(outside)

    view.go("left")
    view.go("right")

    assert view.current_node_id == "weather"
    assert without == theme.colour("surface.canvas")
    assert surface(view).grab().toImage().pixelColor(outside) == theme.colour("accent.focus")


def test_a_hovered_card_shows_its_full_text_as_plain_text(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    foreign = "<img src='file:///etc/hostname'><b>" + "long and bold " * 40
    tree = view._scene.tree
    assert tree is not None
    change = trees.added(tree, "once", "foreign", foreign)
    apply(tree, change)
    view.patch(change)
    preview = view.findChild(CardPreview)
    assert preview is not None

    pointer.move(surface(view), view.node_rect("foreign").center())
    qtbot.waitUntil(preview.isVisible)

    assert preview.text.startswith("<img src='file:///etc/hostname'><b>long and bold")
    label = preview.findChild(QLabel)
    assert isinstance(label, QLabel)
    assert label.textFormat() == Qt.TextFormat.PlainText
    pointer.move(surface(view), QPoint(40, 40))
    assert not preview.isVisible()


def test_a_new_child_leaves_what_is_looked_at_where_it_is(view: GraphView) -> None:
    tree = show_big(view)
    current = view.current_node_id
    assert current is not None
    before = view.node_rect(current)
    on_canvas = view.camera.top

    for i, parent in enumerate(("n3", "n5", "n40", "n77", "n900", current)):
        change = trees.added(tree, parent, f"new{i}")
        apply(tree, change)
        view.patch(change)

        moved = view.node_rect(current).topLeft() - before.topLeft()
        assert max(abs(moved.x()), abs(moved.y())) <= 1
        assert f"new{i}" in view.node_ids()
    assert view.camera.top != on_canvas, "the card did move on the canvas"


def test_without_a_current_card_the_one_in_the_middle_stays(view: GraphView) -> None:
    tree = show_big(view)
    view.set_current(None)
    view.node_ids()
    middle = surface(view).rect().center()
    rows = view._scene.index.rows_in(view.camera.seen).tolist()
    nearest = view._scene.key(min(rows, key=lambda row: distance(view, row, middle)))
    before = view.node_rect(nearest)

    change = trees.added(tree, trees.ancestors(tree, nearest)[1], "new")
    apply(tree, change)
    view.patch(change)

    moved = view.node_rect(nearest).topLeft() - before.topLeft()
    assert max(abs(moved.x()), abs(moved.y())) <= 1


def distance(view: GraphView, row: int, point: QPoint) -> float:
    place = view.camera.rect(view._scene.box(row))
    return abs(place.left() - point.x()) + abs(place.center().y() - point.y())


def test_patching_gives_the_same_positions_as_showing_anew(view: GraphView, qtbot: QtBot) -> None:
    tree = trees.grown_tree(200)
    view.show_tree(tree, trees.AGENTS)
    for i, change in enumerate(edits(tree)):
        apply(tree, change)
        view.patch(change)
        if i % 2:
            view.node_ids()
    fresh = GraphView()
    qtbot.addWidget(fresh)
    fresh.resize(view.size())
    fresh.show_tree(tree, trees.AGENTS)

    assert view.node_ids() == fresh.node_ids()
    for row in range(len(view.node_ids())):
        assert view._scene.box(row) == fresh._scene.box(row)


def edits(tree: Tree) -> Iterator[Change]:
    yield trees.added(tree, "n17", "a", "short")
    yield trees.added(tree, "a", "b", "a much longer text " * 9)
    yield trees.added(tree, "a", "b", "a much longer text " * 9).inverse()
    yield trees.marked(tree, tree.descendants("n5"), Metadata(pruned=True))
    yield trees.marked(tree, ["n9"], Metadata(excluded=True, bookmarked=True))
    yield trees.marked(tree, ["n5"], Metadata())


def test_only_what_is_in_view_is_painted_of_ten_thousand_nodes(view: GraphView, qtbot: QtBot) -> None:
    show_big(view)

    surface(view).grab()

    assert 0 < view.painted.cards < 80
    assert view.painted.edges < 400
    painted_out(view)
    qtbot.waitUntil(lambda: next_frame(view).rendered == 0)  # from then on it is drawn from kept pictures


@pytest.mark.slow
@pytest.mark.desktop
def test_in_a_gesture_a_card_is_drawn_from_its_picture_in_another_detail_rather_than_blank(
    view: GraphView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_big(view, 2_000)
    view.ensure_visible("n1999")
    view._look(view.camera.zoomed(CARD_ZOOM * 1.01, QPointF(view.node_rect("n1999").center())))
    surface(view).repaint()  # what was painted last is of before, however long the loop takes to paint
    painted_out(view)
    surface(view).repaint()
    known = view.painted.cards
    assert view.painted.owed == 0
    for name in ("BUDGET_S", "MOVING_BUDGET_S"):
        monkeypatch.setattr(painter, name, 0.0, raising=False)

    view.zoom_out()
    surface(view).repaint()

    assert view.camera.zoom == CARD_ZOOM, "from here on cards have one line"
    assert known > 20
    assert view.painted.rendered == 1
    assert view.painted.owed <= view.painted.cards - known, "only cards that came into view are blank"
    qtbot.waitUntil(lambda: not view._rest_timer.isActive())
    surface(view).repaint()
    qtbot.waitUntil(lambda: not view.painted.owed and not view._painter.is_behind)  # at rest all are crisp


@pytest.mark.parametrize("direction", ["right", "down"])
def test_from_afar_every_card_is_a_dot_of_its_authors_tint(view: GraphView, direction: Direction) -> None:
    show_big(view, 8_000)
    view.set_direction(direction)
    view.tidy_up()
    view.fit_all()

    painted_out(view)
    image = surface(view).grab().toImage()

    assert view.painted.cards > far_view.MANY
    desk = theme.colour("surface.canvas").rgb()
    covered = [view._minimap.geometry(), view._zoom_bar.geometry()]
    places = [view.node_rect(f"n{number}").center() for number in range(0, 8_000, 97)]
    seen = [place for place in places if not any(rect.contains(place) for rect in covered)]
    around = [QPoint(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    for place in seen:
        assert any(image.pixel(place + step) != desk for step in around)
    assert len({image.pixel(place) for place in seen}) >= 4


def test_from_afar_what_is_unread_has_a_dot_and_what_cannot_be_sent_a_mark(view: GraphView) -> None:
    view._look(view.camera.zoomed(0.25, QPointF(560, 380)))
    assert detail(view.camera.zoom) == "blocks"
    block = view.node_rect("logbook")
    corner, beside = view.node_rect("once").topRight(), QRect(block.topRight(), QSize(24, block.height()))
    calm = surface(view).grab().toImage()

    view._scene.unread.add("once")
    view.set_fates({"logbook": "refused"})
    image = surface(view).grab().toImage()

    assert image.pixelColor(corner) == theme.colour("accent.base")
    assert calm.pixelColor(corner) != theme.colour("accent.base")
    assert image.copy(beside) != calm.copy(beside)

    view.set_drafts(trees.rich_drafts())
    painted_out(view)
    image = surface(view).grab().toImage()
    edges = [image.pixelColor(view.node_rect(key).topLeft()) for key in ("d1", "d3")]
    assert [edge == theme.colour("state.error") for edge in edges] == [False, True], "the third failed"


def test_a_growing_draft_paints_its_own_card_alone(
    view: GraphView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, failed = trees.rich_drafts()
    view.set_drafts((first, second, failed))
    painted_out(view)
    frames: list[FrameCounts] = []
    monkeypatch.setattr(view, "paint_over", lambda _: frames.append(view.painted))
    grown = replace(first, draft=replace(first.draft, text=first.draft.text + " wait"))

    view.drafts_grew([grown])
    qtbot.waitUntil(lambda: any(frame.rendered for frame in frames))

    assert [(frame.rendered, frame.cards <= 3) for frame in frames if frame.rendered] == [(1, True)]
    assert "d1" not in view.node_ids()
    assert not view.node_rect("d1").isEmpty()


def test_drafts_take_their_room_at_once_and_move_nothing_that_is_looked_at(view: GraphView) -> None:
    before = view.node_rect("logbook")

    view.set_drafts(trees.rich_drafts())

    assert view.node_rect("logbook") == before
    rects = [view.node_rect(key) for key in ("father2", "edited", "d1", "d2", "d3")]
    assert [rect.height() for rect in rects[2:]] == [84, 84, 84]
    assert rects == sorted(rects, key=QRect.top)


def test_the_arrows_lead_to_drafts_and_bare_keys_are_meant_for_them(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    heard: list[tuple[str, ...]] = []
    view.draft_chosen.connect(lambda key: heard.append((key,)))
    view.draft_asked.connect(lambda key, act: heard.append((key, act)))
    view.set_drafts(trees.rich_drafts())
    view.setFocus()
    view.set_current("edited")

    view.go("down")
    assert view._stop.key == "d1"
    assert view.current_node_id == "edited"
    pointer.key("Return")
    qtbot.waitUntil(lambda: heard == [("d1",)])
    view.go("down")
    view.go("down")
    assert view._stop.key == "d3"
    pointer.key("Delete")
    qtbot.waitUntil(lambda: heard == [("d1",), ("d3", "dismiss")])
    pointer.key("Return")
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["Read it", "Retry", "Dismiss"]
    pointer.key("Escape")
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    pointer.key("Escape")
    qtbot.waitUntil(lambda: view._stop.key == "")

    view.go("down")
    view.set_drafts(())
    assert view._stop.key == ""


def test_a_failed_draft_offers_to_try_again(view: GraphView, qtbot: QtBot, pointer: Pointer) -> None:
    heard: list[str] = []
    view.node_clicked.connect(heard.append)
    view.set_drafts(trees.rich_drafts())

    pointer.click(surface(view), view.node_rect("d1").center())
    with qtbot.waitSignal(view.draft_asked) as retry:
        pointer.click(surface(view), view.tool_rect("d3", "retry").center())
    with qtbot.waitSignal(view.draft_asked) as dismiss:
        pointer.click(surface(view), view.tool_rect("d3", "dismiss").center())

    assert (retry.args, dismiss.args, heard) == (["d3", "retry"], ["d3", "dismiss"], [])
    refused = ProviderError("invalidRequest", "Refused.", status=400, said="n is too large", requestId="r7")
    view.set_drafts([LiveDraft("d", "logbook", "claude", Draft(0, error=refused))])
    view._scene.settle()
    row = view._scene.row_of("d")
    assert row is not None
    assert view._scene.full_text(row) == "Refused.\n400 · “n is too large” · r7"


def test_pruned_cards_come_and_go(view: GraphView) -> None:
    assert "colder" not in view.node_ids()
    assert view.node_rect("colder").isEmpty()

    view.set_show_pruned(True)

    assert {"colder", "colder2"} <= set(view.node_ids())


def test_choosing_a_version_changes_the_face_of_its_stack(view: GraphView) -> None:
    view.show_tree(trees.buffer_tree(), trees.AGENTS)
    assert "v3" in view.node_ids(), "the newest, while nothing is chosen"

    view.set_path(("root", "one", "v1", "two"))

    assert "v1" in view.node_ids()
    assert "v3" not in view.node_ids()
    assert view.node_rect("v3") == view.node_rect("v1"), "its card is that of the stack"


def test_everything_and_the_current_card_can_be_fitted(view: GraphView) -> None:
    show_big(view)

    view.fit_all()
    whole = view.camera.seen
    view.fit_current()

    bounds = view._scene.index.bounds
    assert (whole.left, whole.top) < (bounds.left, bounds.top)
    assert whole.right > bounds.right
    assert whole.bottom > bounds.bottom
    assert view.camera.zoom == 1
    assert surface(view).rect().contains(view.node_rect("n9999"))


def test_a_camera_movement_ends_where_it_was_sent(view: GraphView, qtbot: QtBot) -> None:
    show_big(view)
    view.set_reduced_motion(False)

    view.ensure_visible("n0")

    qtbot.waitUntil(lambda: surface(view).rect().contains(view.node_rect("n0")) and not view._flight.end)
    assert isinstance(view.camera, Camera)


@pytest.mark.slow
def test_cards_that_move_during_a_flight_do_not_lead_it_astray(view: GraphView) -> None:
    tree = show_big(view)
    view.fit_current()
    view.set_reduced_motion(False)
    change = trees.added(tree, "n0", "new")

    view.ensure_visible("n0")
    apply(tree, change)
    view.patch(change)
    assert not surface(view).rect().contains(view.node_rect("n0")), "it is on its way"
    row, end = view._scene.row_of("n0"), view._flight.end
    assert row is not None
    assert end is not None
    landed = end.rect(view._scene.box(row)).toRect()

    assert surface(view).rect().contains(landed)
    view._flight._clock.setCurrentTime(view._flight._clock.duration())
    assert view._flight.end is None
    assert view.node_rect("n0") == landed


def test_several_cards_are_brought_into_view_together(view: GraphView) -> None:
    view.set_drafts(trees.rich_drafts())
    view.pan(QPointF(500, 300))
    assert view.node_rect("d3").isEmpty()

    view.ensure_all_visible(["d1", "d2", "d3"])

    assert all(surface(view).rect().contains(view.node_rect(key)) for key in ("d1", "d2", "d3"))


def test_what_is_brought_into_view_does_not_lie_under_the_minimap(view: GraphView) -> None:
    minimap = view.findChild(QWidget, "graphMinimap")
    assert minimap is not None
    assert not minimap.isVisible()  # the whole tree is in view: what for?
    under = minimap.geometry()
    view.pan(QPointF(under.center() - view.node_rect("weather").center()))
    assert view.node_rect("weather").intersects(under)
    assert minimap.isVisible()

    view.ensure_visible("weather")

    assert not view.node_rect("weather").intersects(under)


def test_more_answers_than_fit_stand_beside_the_minimap_and_few_beside_what_they_answer(
    view: GraphView,
) -> None:
    minimap = view.findChild(QWidget, "graphMinimap")
    assert minimap is not None
    view.resize(800, 470)
    [first, *_] = trees.rich_drafts()
    drafts = [replace(first, key=f"many:{number}") for number in range(24)]
    view.set_drafts(drafts)
    under = minimap.geometry()
    view.pan(QPointF(under.center() - view.node_rect("many:0").center()))

    view.ensure_all_visible([live.key for live in drafts])

    assert minimap.isVisible()
    rects = [view.node_rect(live.key) for live in drafts]
    assert not any(rect.intersects(under) for rect in rects)
    whole = [rect for rect in rects if surface(view).rect().contains(rect)]
    assert len(whole) >= 4, "as many as fit, from the first one on"
    assert rects[0] in whole

    view.set_drafts(drafts[:2])
    view.pan(QPointF(surface(view).rect().bottomRight() - view.node_rect("many:0").center()))
    view.ensure_all_visible(["many:0", "many:1"])
    for key in (first.parent_id, "many:0", "many:1"):
        assert surface(view).rect().contains(view.node_rect(key)), key
    assert view.node_rect("many:0").right() < surface(view).width() - view.node_rect("many:0").width()


@pytest.mark.parametrize("width", [640, 960])
def test_the_first_look_cuts_no_card_at_its_left_edge(qtbot: QtBot, width: int) -> None:
    tree, ids = chain(9)
    view = GraphView()
    qtbot.addWidget(view)
    view.set_reduced_motion(True)
    view.resize(width, 400)
    view.show_tree(tree, trees.AGENTS)
    view.set_path(ids)
    view.set_current(ids[-1])
    show_active(qtbot, view)

    rects = [view.node_rect(node_id) for node_id in ids]

    seen = [rect for rect in rects if rect.intersects(surface(view).rect())]
    assert len(seen) > 1
    assert len(seen) < len(ids)
    assert all(rect.left() >= 0 for rect in seen)
    assert surface(view).rect().contains(rects[-1])


def test_the_buttons_zoom_and_fit(view: GraphView, pointer: Pointer) -> None:
    def button(name: str) -> QWidget:
        found = view.findChild(QWidget, name)
        assert isinstance(found, QWidget)
        return found

    pointer.click(button("graphZoomIn"))
    assert view.camera.zoom == pytest.approx(1.2)
    pointer.click(button("graphZoomOut"))
    assert view.camera.zoom == pytest.approx(1.0)
    pointer.drag((surface(view), QPoint(60, 60)), (surface(view), QPoint(360, 260)))
    pointer.click(button("graphFit"))
    assert surface(view).rect().contains(view.node_rect("root"))


def test_the_minimap_brings_what_is_clicked_to_the_middle(view: GraphView, pointer: Pointer) -> None:
    show_big(view)
    minimap = view.findChild(QWidget, "graphMinimap")
    assert isinstance(minimap, QWidget)
    size = minimap.rect()

    pointer.click(minimap, QPoint(8, size.center().y()))

    seen = view.camera.seen
    assert seen.left < 0 < seen.right


def test_another_theme_repaints_the_cards(view: GraphView, qapp: object) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    place = view.node_rect("weather").center() + QPoint(0, 34)
    colours = []
    for name in ("dark", "light"):
        theme.apply(app, "dark" if name == "dark" else "light")
        colours.append(surface(view).grab().toImage().pixelColor(place))

    assert colours[0] == QColor("#23252C")
    assert colours[1] == QColor("#FFFFFF")


def test_a_tree_of_only_an_empty_root_shows_its_start(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    g = trees.Grower()
    g.node("root")
    view.show_tree(g.tree, trees.AGENTS)

    assert view.node_ids() == ["root"]
    assert view.node_rect("root").size().toTuple() == (72, 28)
    with qtbot.waitSignal(view.plus_clicked):
        pointer.click(surface(view), view.plus_rect("root").center())


def test_it_says_in_words_where_it_is(view: GraphView) -> None:
    assert view.accessibleName() == "Graph of the tree"

    view.set_current("keeper")

    assert view.accessibleDescription().startswith("Mistral Small: She would not say father.")


def test_readers_find_the_cards_in_view_by_their_words_and_which_is_current(view: GraphView) -> None:
    def cards() -> dict[str, QAccessibleInterface]:
        parts = [heard.child(number) for number in range(heard.childCount())]
        cards = [part for part in parts if part.role() is QAccessible.Role.ListItem]
        assert [heard.indexOfChild(part) for part in cards] == [parts.index(part) for part in cards]
        return {part.text(QAccessible.Text.Name).partition("\n")[0]: part for part in cards}

    heard = QAccessible.queryAccessibleInterface(view)
    view.set_current("keeper")
    found = cards()
    assert len(found) == len(view.node_ids())
    [keeper] = [part for words, part in found.items() if words.startswith("Mistral Small: She would not")]
    assert [part for part in found.values() if part.state().selected] == [keeper]
    place = view.node_rect("keeper").translated(view.viewport().mapToGlobal(QPoint()))
    assert (keeper.rect(), keeper.parent().object()) == (place, view)
    assert heard.childAt(place.center().x(), place.center().y()) is keeper
    view.set_current("logbook")
    assert not keeper.state().selected
    assert len(cards()) == len(found)

    show_big(view, 3_000)
    view.fit_all()

    assert not keeper.isValid(), "its card is gone"
    in_view = cards()
    assert 0 < len(in_view) <= MOST_SPOKEN + 1 < len(view.node_ids()), "and the current one"
    assert sum(bool(part.state().selected) for part in in_view.values()) == 1


def test_a_first_look_at_a_large_tree_wastes_no_room(view: GraphView) -> None:
    tree = show_big(view)
    ends = ("n0", view.node_ids()[-1])
    bounds, pitch = view._scene.index.bounds, view._scene.index.pitch
    for node_id in ends:
        view.show_tree(tree, trees.AGENTS)
        view.set_current(node_id)

        seen = view.camera.seen

        assert surface(view).rect().contains(view.node_rect(node_id))
        assert seen.left >= bounds.left - 32
        assert seen.right <= bounds.right + pitch + 32


def test_a_first_look_waits_for_the_size_and_a_later_one_stays(view: GraphView, qtbot: QtBot) -> None:
    fresh = GraphView()
    qtbot.addWidget(fresh)
    fresh.show_tree(trees.rich_tree(), trees.AGENTS)
    fresh.node_rect("logbook")

    fresh.resize(1120, 760)
    fresh.show()
    assert fresh.rect().contains(fresh.node_rect("root"))
    assert fresh.rect().contains(fresh.node_rect("father2"))

    fresh.pan(QPointF(40, 20))
    before = fresh.node_rect("logbook")
    fresh.resize(900, 600)
    assert fresh.node_rect("logbook") == before
    assert Qt.FocusPolicy.StrongFocus == fresh.focusPolicy()


def test_the_menu_key_asks_for_the_menu_of_the_current_card(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    view.setFocus()

    with qtbot.waitSignal(view.menu_asked) as asked:
        pointer.key("Menu")

    place = surface(view).mapToGlobal(view.node_rect("logbook").center())
    assert asked.args is not None
    assert asked.args[0] == "logbook"
    assert (asked.args[1] - place).manhattanLength() <= 2


def test_two_fingers_on_a_touchpad_pan_and_with_control_they_zoom(view: GraphView) -> None:
    before = view.node_rect("logbook")

    two_fingers(view, QPoint(-30, 24))
    assert view.node_rect("logbook") == before.translated(-30, 24)
    assert view.camera.zoom == 1

    two_fingers(view, QPoint(0, 24), Qt.KeyboardModifier.ControlModifier)
    assert view.camera.zoom > 1


def two_fingers(
    view: GraphView, by: QPoint, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Xvfb has no touchpad, so the event is made by hand."""
    touchpad = QPointingDevice(
        "touchpad",
        7,
        QInputDevice.DeviceType.TouchPad,
        QPointingDevice.PointerType.Finger,
        QInputDevice.Capability.PixelScroll,
        2,
        0,
    )
    at = QPointF(300, 200)
    event = QWheelEvent(
        at,
        surface(view).mapToGlobal(at),
        by,
        by * 4,
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.ScrollUpdate,
        False,
        Qt.MouseEventSource.MouseEventNotSynthesized,
        touchpad,
    )
    QApplication.sendEvent(surface(view), event)


def test_a_click_counts_for_the_card_it_began_on_even_if_rows_moved_meanwhile(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    heard: list[str] = []
    view.node_clicked.connect(heard.append)
    tree = view._scene.tree
    assert tree is not None
    view.set_current("once")

    pointer.hold(surface(view), view.node_rect("once").center())
    qtbot.waitUntil(lambda: view._hand._gesture is not None)
    change = trees.added(tree, "root", "early")
    apply(tree, change)
    view.patch(change)
    pointer.release()

    qtbot.waitUntil(lambda: heard == ["once"])


def test_nothing_that_is_drawn_around_a_card_crosses_the_badge_of_what_it_folds(view: GraphView) -> None:
    view.fold("keeper")
    painted_out(view)
    bare = badge_of(view, "keeper")

    view.choose(["keeper", "weather"])
    painted_out(view)
    assert badge_of(view, "keeper") == bare
    view.choose([])
    view.set_hovered("keeper")
    painted_out(view)
    assert badge_of(view, "keeper") == bare
    view.set_current("keeper")
    view._ring = True
    view.setFocus()
    painted_out(view)
    assert badge_of(view, "keeper") == bare


def badge_of(view: GraphView, node_id: str) -> QImage:
    """The pixels within the badge of a card, but for its rounded ends."""
    row = view._scene.row_of(node_id)
    assert row is not None
    card, zoom = view._card_rect(row), view.camera.zoom
    place = overlay.fold_rect(card, view._scene.places.folded[node_id], zoom, down=False)
    inside = place.adjusted(5, 3, -5, -3).toRect()
    return view.viewport().grab(inside).toImage()
