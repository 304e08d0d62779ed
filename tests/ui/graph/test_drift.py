"""The drift: which cards are on their way, and that they are met where they are painted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.model.change import apply
from loomapp.core.model.tree import Tree
from loomapp.ui.graph.motion.card_moves import STILL, Drift, painted_rect
from loomapp.ui.graph.painting.edges import continuation, edge_at
from loomapp.ui.graph.view import GraphView
from tests.kit import graph_trees as trees
from tests.kit.desktop import Pointer, show_active


def test_cards_on_their_way_are_painted_once_with_those_in_view() -> None:
    drift = Drift({7: QPointF(1, 0), 2: QPointF(0, 3)})

    assert drift.with_moving(np.array([1, 2, 5])).tolist() == [1, 2, 5, 7]
    assert drift.with_moving(np.array([], np.int64)).tolist() == [2, 7]
    assert STILL.with_moving(np.array([1, 5])).tolist() == [1, 5]


def test_the_offsets_of_several_are_those_of_each() -> None:
    drift = Drift({7: QPointF(1, 0), 2: QPointF(0, 3)})
    drift.left = 0.5

    assert drift.offsets(np.array([2, 3, 7])).tolist() == [[0, 1.5], [0, 0], [0.5, 0]]
    assert (np.zeros((3, 2)) + STILL.offsets(np.array([2, 3, 7]))).tolist() == [[0, 0]] * 3


@pytest.fixture
def tree() -> Tree:
    return trees.rich_tree()


@pytest.fixture
def gliding(qtbot: QtBot, tree: Tree) -> Iterator[GraphView]:
    """A tree whose cards were given other places and are on the way there, the clock standing still."""
    view = GraphView()
    qtbot.addWidget(view)
    view.resize(1120, 760)
    view.show_tree(tree, trees.AGENTS)
    view.set_current("father")
    show_active(qtbot, view)
    qtbot.waitUntil(lambda: view._flight.end is None)
    for child in ("a", "b", "c"):
        change = trees.added(tree, "weather", child, "long " * 40)
        apply(tree, change)
        view.patch(change)
    view.node_ids()
    view._glide.stop()
    view.on_glided(0.8)
    yield view
    view.tidy_up()


def in_sight(view: GraphView) -> Iterator[tuple[int, QPoint]]:
    """The cards whose painted middle is in view and covered by no other card, with that."""
    rects = {
        row: painted_rect(view._scene, view._camera, view._drift, row) for row in view._scene.rows().tolist()
    }
    area = view.viewport().rect()
    for row, rect in rects.items():
        middle = rect.center().toPoint()
        free = area.contains(middle) and view.viewport().childAt(middle) is None
        if free and [other for other, there in rects.items() if there.contains(QPointF(middle))] == [row]:
            yield row, middle


def test_a_press_on_a_card_that_glides_is_on_the_card_that_is_painted_there(
    gliding: GraphView, qtbot: QtBot
) -> None:
    scene, drift = gliding._scene, gliding._drift
    cards = list(in_sight(gliding))
    furthest = max(cards, key=lambda place: drift.offset(place[0]).manhattanLength())
    assert drift.offset(furthest[0]).manhattanLength() > 60

    met = [gliding._hand.target_at(QPointF(middle)).row for _, middle in cards]
    with qtbot.waitSignal(gliding.node_clicked) as clicked:
        QTest.mouseClick(gliding.viewport(), Qt.MouseButton.LeftButton, pos=furthest[1])

    assert met == [row for row, _ in cards]
    assert clicked.args == [scene.key(furthest[0])]


def test_the_plus_and_the_edge_of_a_card_that_glides_are_where_they_are_painted(gliding: GraphView) -> None:
    hand, drift = gliding._hand, gliding._drift
    for row, middle in in_sight(gliding):
        if not drift.offset(row).manhattanLength() or not len(gliding._scene.index.linked(np.array([row]))):
            continue
        hand.move(QPointF(middle))
        plus = hand.controls(row).plus.center()
        assert hand.target_at(plus)[:2] == (row, "plus")
        hand.let_go()
        edge = continuation(gliding._scene, gliding._camera, row, drift).pointAtPercent(0.9)
        assert edge_at(gliding._scene, gliding._camera, edge, drift) == row


def test_what_the_pointer_came_to_on_the_way_is_left_when_it_has_glided_away(
    gliding: GraphView, qtbot: QtBot, pointer: Pointer
) -> None:
    row, middle = max(in_sight(gliding), key=lambda place: gliding._drift.offset(place[0]).manhattanLength())
    pointer.move(gliding.viewport(), middle)
    qtbot.waitUntil(lambda: gliding._hand.hover.row == row)

    gliding.on_glided(0.0)

    assert not gliding._camera.rect(gliding._scene.box(row)).contains(middle)
    assert gliding._hand.hover.row != row
