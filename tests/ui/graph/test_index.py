"""The index finds what a look at every card would find, and the camera keeps its promises."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.incremental import Growth
from loomapp.core.layout.layout import lay_out
from loomapp.ui.graph.motion.camera import Camera
from loomapp.ui.graph.scene import spatial_index as index_module
from loomapp.ui.graph.scene.spatial_index import Box, CanvasMeasures, Direction, Index

WIDTH, GAP = 164.0, 36.0


def made(parents: list[int], heights: list[int], direction: Direction = "right") -> Index:
    """An index of cards whose parents come before them; the last few came after the layout."""
    above = np.array([-1, *(parent % i for i, parent in enumerate(parents, start=1))], np.int32)
    keys = [str(i) for i in range(len(above))]
    flags = np.zeros(len(above), bool)
    roster = CardTable(keys, dict(zip(keys, range(len(keys)), strict=True)), above, flags, flags.copy())
    roster.heights[:] = [heights[i % len(heights)] for i in range(len(above))]
    late = len(above) // 4
    roster.gone[len(above) - late :] = True
    breadth = None if direction == "right" else WIDTH
    growth = Growth(lay_out(roster.shape(breadth=breadth), 16), 16)
    for number in range(len(above) - late, len(above)):
        row = growth.row_of(int(above[number]))
        assert row is not None
        growth.join(number, row, float(roster.heights[number]) if breadth is None else breadth)
    return Index(growth, roster, CanvasMeasures(direction, WIDTH, 84.0, GAP))


indexes = st.builds(
    made,
    st.lists(st.integers(0, 40), max_size=40),
    st.lists(st.sampled_from([52, 68, 84]), min_size=1),
    st.sampled_from(["right", "down"]),
)
boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h),
    st.integers(-300, 3000),
    st.integers(-300, 3000),
    st.integers(0, 1500),
    st.integers(0, 1500),
)


def touches(a: Box, b: Box) -> bool:
    return a.left <= b.right and a.right >= b.left and a.top <= b.bottom and a.bottom >= b.top


@pytest.mark.parametrize("many", [0, 100])
@given(index=indexes, box=boxes)
def test_cards_in_a_box_are_those_that_touch_it(many: int, index: Index, box: Box) -> None:
    usual, index_module.MANY_LEVELS = index_module.MANY_LEVELS, many
    try:
        found = set(index.rows_in(box).tolist())
    finally:
        index_module.MANY_LEVELS = usual

    assert {row for row in range(len(index)) if inside(index, row, box)} <= found
    assert found <= {row for row in range(len(index)) if touches(index.box(row), box.grown(GAP))}


def inside(index: Index, row: int, box: Box) -> bool:
    """Touching, a hair's breadth at the border of a level aside."""
    card = index.box(row)
    return touches(card, box) and card.right > box.left and card.bottom > box.top


@given(index=indexes, box=boxes)
def test_edges_in_a_box_include_every_one_that_crosses_it(index: Index, box: Box) -> None:
    found = set(index.edges_in(box).tolist())

    for row in range(1, len(index)):
        x1, y1, x2, y2 = index.edge(row)
        if touches(Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), box):
            assert row in found


@given(index=indexes)
def test_a_point_on_a_card_finds_that_card(index: Index) -> None:
    for row in range(len(index)):
        box = index.box(row)
        assert index.row_at(box.left + 1, box.top + 1) == row
        assert index.row_at(box.right - 1, box.bottom - 1) == row
        assert index.row_at(box.left - 8, box.top - 8) is None


@given(index=indexes)
def test_families_levels_and_neighbours_are_found_by_row(index: Index) -> None:
    rows = range(len(index))
    for row in rows:
        children = index.children(row)
        assert children == [child for child in children if index.parent(child) == row]
        assert sum(index.parent(child) == row for child in rows) == len(children)
        level = sorted((r for r in rows if index.level(r) == index.level(row)), key=index.growth.middle)
        at = level.index(row)
        assert index.beside(row, 1) == (level[at + 1] if at + 1 < len(level) else None)
        assert index.beside(row, -1) == (level[at - 1] if at else None)


@given(index=indexes)
def test_many_corners_and_ends_are_those_one_by_one(index: Index) -> None:
    rows = np.arange(len(index))
    left, top = index.corners(rows)

    assert list(zip(left.tolist(), top.tolist(), strict=True)) == [
        index.box(row)[:2] for row in range(len(index))
    ]
    ends = zip(*(values.tolist() for values in index.ends(rows[1:])), strict=True)
    assert list(ends) == [index.edge(row) for row in range(1, len(index))]


@given(
    zoom=st.floats(0.001, 5),
    x=st.floats(0, 1600),
    y=st.floats(0, 1000),
    width=st.integers(300, 3000),
    height=st.integers(300, 2000),
    tall=st.floats(100, 1e6),
)
def test_zooming_keeps_the_point_under_the_pointer(
    zoom: float, x: float, y: float, width: int, height: int, tall: float
) -> None:
    camera = Camera(120, -40, 1.0).sized(width, height, Box(0, 0, 5000, tall))
    at = QPointF(x, y)

    after = camera.zoomed(zoom, at)

    moved = after.to_view(camera.to_canvas(at).x(), camera.to_canvas(at).y()) - at
    assert moved.manhattanLength() < 1e-3


@given(wide=st.floats(10, 1e7), high=st.floats(10, 1e7))
def test_whatever_the_tree_is_all_of_it_can_be_seen(wide: float, high: float) -> None:
    bounds = Box(0, 0, wide, high)
    camera = Camera().sized(1600, 1000, bounds)

    seen = camera.fitted(bounds).seen

    assert seen.left <= 0.01
    assert seen.top <= 0.01
    assert seen.right >= wide - 0.01
    assert seen.bottom >= high - 0.01


@given(boxes)
def test_showing_a_box_moves_no_further_than_needed(box: Box) -> None:
    camera = Camera().sized(1600, 1600, Box(0, 0, 5000, 5000))
    seen = camera.seen

    moved = camera.showing(box, margin=0)

    assert reduce(Box.united, (box, moved.seen)) == pytest.approx(moved.seen)
    if reduce(Box.united, (box, seen)) == seen:
        assert moved == camera


def test_what_hardly_has_room_stands_as_far_from_both_edges() -> None:
    camera, box = Camera().sized(400, 1000, Box(0, 0, 5000, 5000)), Box(2000, 2000, 2364, 2100)

    seen = camera.showing(box).seen

    assert camera.has_room_for(box)
    assert (seen.left, seen.right) == (1982, 2382)


def test_a_flight_passes_between_its_ends() -> None:
    start = Camera(0, 0, 1.0, 800, 600)
    end = Camera(5000, 3000, 0.25, 800, 600)

    half = start.between(end, 0.5)

    assert half.zoom == pytest.approx(0.5)
    assert start.between(end, 1) == end
    assert start.between(end, 0).seen == pytest.approx(start.seen)
