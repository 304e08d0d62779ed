"""Branches are folded and opened by the badge of their card, which stays where it is on the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.graph.painting import overlay
from loomapp.ui.graph.painting.overlay import Controls
from loomapp.ui.graph.scene import card_places
from loomapp.ui.graph.scene.spatial_index import Direction
from loomapp.ui.graph.view import GraphView
from tests.kit import graph_trees as trees
from tests.kit.desktop import Pointer, show_active

OPENED = ("keeper", "style", "logbook")  # below the folded card


@pytest.fixture
def view(qtbot: QtBot) -> GraphView:
    """The rich tree in its own size, no motion; another branch than the longest one is read."""
    view = GraphView()
    qtbot.addWidget(view)
    view.set_reduced_motion(True)
    view.resize(1120, 760)
    view.show_tree(trees.rich_tree(), trees.AGENTS)
    view.set_path(("root", "father", "weather"))
    view.set_current("father")
    show_active(qtbot, view)
    view.zoom_to_full_size()
    return view


def surface(view: GraphView) -> QWidget:
    return view.viewport()


def controls(view: GraphView, node_id: str) -> Controls:
    row = view._scene.row_of(node_id)
    assert row is not None
    return view._hand.controls(row)


def badge(view: GraphView, node_id: str) -> QPoint:
    return controls(view, node_id).fold.center().toPoint()


def is_opened(view: GraphView) -> bool:
    view.node_ids()
    return not view._scene.places.untidy and set(OPENED) <= set(view.node_ids())


def apart(before: QRectF | QPoint, view: GraphView, node_id: str) -> float:
    assert isinstance(before, QPoint)
    by = view.node_rect(node_id).topLeft() - before
    return max(abs(by.x()), abs(by.y()))


@pytest.mark.parametrize("is_large", [False, True])
def test_the_card_whose_badge_is_clicked_stays_where_it_is(
    view: GraphView, qtbot: QtBot, pointer: Pointer, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    monkeypatch.setattr(card_places, "AT_ONCE", 0 if is_large else card_places.AT_ONCE)
    view.fold("pasted")
    view.tidy_up()
    before = view.node_rect("pasted").topLeft()
    father = view.node_rect("father").topLeft()

    pointer.click(surface(view), badge(view, "pasted"))
    qtbot.waitUntil(lambda: is_opened(view))
    assert apart(before, view, "pasted") <= 1
    assert apart(father, view, "father") > 1, "it is the current one that gives way"
    pointer.click(surface(view), badge(view, "pasted"))
    qtbot.waitUntil(lambda: view.is_folded("pasted") and not view._scene.places.untidy)

    assert apart(before, view, "pasted") <= 1
    assert view.current_node_id == "father"


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("direction", ["right", "down"])
def test_a_double_click_on_the_badge_opens_and_generates_nothing(
    view: GraphView,
    qtbot: QtBot,
    pointer: Pointer,
    monkeypatch: pytest.MonkeyPatch,
    direction: Direction,
    is_large: bool,
) -> None:
    monkeypatch.setattr(card_places, "AT_ONCE", 0 if is_large else card_places.AT_ONCE)
    view.set_direction(direction)
    view.fold("pasted")
    view.tidy_up()
    view.ensure_visible("pasted")
    asked: list[str] = []
    view.plus_clicked.connect(lambda node_id, _: asked.append(node_id))
    place = badge(view, "pasted")

    pointer.double_click(surface(view), place)
    qtbot.waitUntil(lambda: is_opened(view))
    pointer.move(surface(view), place - QPoint(0, 5))

    assert not view.is_folded("pasted"), "the second press does not take back the first"
    qtbot.waitUntil(lambda: view._hand.hover.part == "fold")  # what a later click there would be on
    assert asked == []


def test_while_a_large_branch_opens_a_click_at_its_badge_generates_nothing(
    view: GraphView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_places, "AT_ONCE", 0)
    view.fold("pasted")
    view.tidy_up()
    place = QPointF(badge(view, "pasted"))

    view.turn_fold("pasted")

    assert "keeper" not in view.node_ids(), "it is not laid out yet"
    assert view._hand.target_at(place).part == "fold"
    view.tidy_up()


def test_a_card_that_others_follow_shows_a_badge_to_fold_them_under_the_pointer(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    view.set_drafts(trees.rich_drafts())
    view.fit_all()
    place = controls(view, "pasted").fold
    pointer.move(surface(view), QPoint(2, 2))
    bare = grabbed(view, place)

    pointer.move(surface(view), view.node_rect("pasted").center())
    qtbot.waitUntil(lambda: view.hovered_node_id == "pasted")

    assert grabbed(view, place) != bare
    shown = controls(view, "pasted")
    assert not shown.fold.intersects(shown.plus)
    assert not any(shown.fold.intersects(tool) for tool in shown.tools.values())
    assert shown.part_at(place.center()) == "fold"
    for childless in ("once", "boat", "d3", "tides"):
        assert controls(view, childless).fold.isEmpty(), childless
    assert "Fold" in overlay.tip("fold", excluded=False, bookmarked=False)


def test_a_message_with_nothing_but_failed_answers_or_notes_has_no_badge(view: GraphView) -> None:
    assert not controls(view, "logbook").fold.isEmpty()

    failed = [trees.rich_drafts()[2]]
    view.set_drafts([type(failed[0])(failed[0].key, "once", failed[0].agent_id, failed[0].draft)])

    assert controls(view, "once").fold.isEmpty()


@pytest.mark.parametrize("is_large", [False, True])
def test_a_badge_counts_nodes_and_not_what_failed(
    view: GraphView, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    view.fold("pasted")
    view.tidy_up()
    count = view._scene.places.folded["pasted"]
    view.unfold("pasted")
    view.tidy_up()
    monkeypatch.setattr(card_places, "AT_ONCE", 0 if is_large else card_places.AT_ONCE)
    view.set_drafts(trees.rich_drafts())
    view.tidy_up()

    view.fold("pasted")

    view.node_ids()
    assert view._scene.places.folded["pasted"] == count
    view.tidy_up()
    assert view._scene.places.folded["pasted"] == count
    assert view.node_rect("d3").isEmpty(), "they are folded with the rest"


def test_who_folds_the_current_card_away_is_at_the_folded_one(
    view: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    view.set_current("weather")
    before = view.node_rect("father").topLeft()

    with qtbot.waitSignal(view.node_clicked) as clicked:
        pointer.click(surface(view), badge(view, "father"))

    assert clicked.args == ["father"]
    assert view.current_node_id == "father"
    assert apart(before, view, "father") <= 1


def grabbed(view: GraphView, place: QRectF) -> QImage:
    return view.viewport().grab(place.toAlignedRect()).toImage()
