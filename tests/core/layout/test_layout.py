"""The laws of the layout, on forests of any shape.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.layout.layout import (
    Layout,
    Shape,
    _rank_by_card,
    _rank_by_level,
    _rank_by_run,
    _subtrees_by_level,
    _subtrees_by_run,
    lay_out,
)
from loomapp.core.layout.tidy_tree import alone_in_rows, runs, tidy_by_card, tidy_by_level, tidy_by_run

GAP = 16.0
HEIGHTS = (28.0, 52.0, 68.0, 84.0)


def shape(
    parents: list[int],
    sizes: list[float] | None = None,
    asides: tuple[int, ...] = (),
    *,
    pruned: tuple[int, ...] = (),
    gone: tuple[int, ...] = (),
    folded: tuple[int, ...] = (),
    hoisted: int = -1,
) -> Shape:
    """Cards by number."""
    flags = [np.isin(np.arange(len(parents)), chosen) for chosen in (asides, pruned, gone)]
    tall = np.array(sizes or [52.0] * len(parents), np.float32)
    return Shape(np.array(parents, np.int32), tall, flags[0], flags[1], ~flags[2], folded, hoisted)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Parents, sizes, and some asides (never the first of a family)."""
    size = draw(st.integers(1, 60))
    reach = draw(st.integers(1, 60))  # small: chains; large: fans
    parents, asides = [-1], set()
    for i in range(1, size):
        parent = draw(st.integers(max(-1, i - reach), i - 1))
        if parent in parents and draw(st.integers(0, 5)) == 0:
            asides.add(i)
        parents.append(parent)
    return shape(parents, [draw(st.sampled_from(HEIGHTS)) for _ in parents], tuple(asides))


def levels(layout: Layout) -> list[range]:
    return [range(a, b) for a, b in pairwise(layout.starts.tolist())]


@given(shapes())
def test_cards_of_a_level_keep_their_distance(forest: Shape) -> None:
    layout = lay_out(forest, GAP)

    tops, bottoms = layout.middles - layout.sizes / 2, layout.middles + layout.sizes / 2
    for rows in levels(layout):
        for upper, lower in pairwise(rows):
            assert tops[lower] - bottoms[upper] >= GAP - 1e-6


@given(shapes())
def test_a_parent_stands_in_the_middle_of_its_children(forest: Shape) -> None:
    layout = lay_out(forest, GAP)

    for row in range(len(layout.numbers)):
        counted = [
            middle
            for child, middle in enumerate(layout.middles.tolist())
            if layout.parents[child] == row and not forest.asides[layout.numbers[child]]
        ]
        if counted:
            assert layout.middles[row] == pytest.approx((counted[0] + counted[-1]) / 2, abs=1e-6)


@given(shapes())
def test_siblings_keep_their_order_and_every_card_has_its_level(forest: Shape) -> None:
    layout = lay_out(forest, GAP)

    level = {row: c for c, rows in enumerate(levels(layout)) for row in rows}
    assert sorted(layout.numbers.tolist()) == list(range(len(forest.parents)))
    for number, parent in enumerate(forest.parents.tolist()):
        row = int(layout.rows[number])
        assert layout.numbers[row] == number
        assert layout.parents[row] == (-1 if parent < 0 else layout.rows[parent])
        assert level[row] == (0 if parent < 0 else level[int(layout.rows[parent])] + 1)
    for row, (one, other) in enumerate(pairwise(layout.parents.tolist())):
        assert one <= other, "families follow each other as their parents do"
        assert one != other or layout.numbers[row] < layout.numbers[row + 1]


@pytest.mark.slow
@given(shapes())
def test_a_stranger_far_below_changes_nothing_inside_a_tree(forest: Shape) -> None:
    """What is laid out alone has the same shape when another tree follows under it."""
    more = shape(
        [*forest.parents.tolist(), -1],
        [*forest.sizes.tolist(), 52.0],
        tuple(np.flatnonzero(forest.asides).tolist()),
    )

    alone, together = lay_out(forest, GAP), lay_out(more, GAP)

    places = together.middles[together.rows[alone.numbers]]
    assert (places - places[0] + alone.middles[0]).tolist() == pytest.approx(alone.middles.tolist(), abs=1e-6)


@given(shapes(), st.sets(st.integers(0, 59)))
def test_run_by_run_gives_the_same_as_card_by_card(forest: Shape, hidden: set[int]) -> None:
    """Also where cards hang on one that is not there."""
    parents = forest.parents
    chosen = np.array([n for n in range(len(parents)) if n not in hidden], np.int64)
    order = chosen[np.argsort(parents[chosen], kind="stable")]
    brood = np.bincount(parents[chosen] + 1, minlength=len(parents) + 1)
    alone = np.zeros(len(parents), bool)
    alone[chosen] = (parents[chosen] >= 0) & (brood[parents[chosen] + 1] == 1)
    ranking = (order, np.cumsum(brood) - brood, brood)

    rows = _rank_by_card(*ranking)
    sizes, counts = forest.sizes[rows.numbers].astype(np.float64), ~forest.asides[rows.numbers]
    in_rows = runs(rows.parents, alone_in_rows(rows.parents))

    for one, other in zip(_rank_by_run(runs(parents, alone), parents, *ranking), rows, strict=True):
        assert one.tolist() == other.tolist()
    by_level = _subtrees_by_level(rows.parents, rows.starts)
    for one, other in zip(_subtrees_by_run(in_rows, rows.parents), by_level, strict=True):
        assert one.tolist() == other.tolist()
    by_run = tidy_by_run(in_rows, rows.parents, sizes, counts, GAP)
    by_card = tidy_by_card(rows.parents, sizes, counts, GAP)
    assert by_run.tolist() == pytest.approx(by_card.tolist(), abs=1e-6)


@pytest.mark.slow
@given(shapes())
def test_card_by_card_and_level_by_level_give_the_same(forest: Shape) -> None:
    rows = lay_out(forest, GAP)
    counts = ~forest.asides[rows.numbers]
    sizes = rows.sizes.astype(np.float64)
    order = np.argsort(forest.parents, kind="stable")
    brood = np.bincount(forest.parents + 1, minlength=len(order) + 1)
    ranking = (order, np.cumsum(brood) - brood, brood)

    by_card = tidy_by_card(rows.parents, sizes, counts, GAP)
    by_level = tidy_by_level(rows.parents, rows.starts, sizes, counts, GAP)
    ranked = _rank_by_level(*ranking, narrow=0)

    assert by_level.tolist() == pytest.approx(by_card.tolist(), abs=1e-6)
    assert ranked is not None
    for one, other in zip(ranked, _rank_by_card(*ranking), strict=True):
        assert one.tolist() == other.tolist()


@given(shapes())
def test_a_subtree_is_one_stretch_of_places(forest: Shape) -> None:
    layout = lay_out(forest, GAP)

    assert sorted(layout.places.tolist()) == list(range(len(layout.numbers)))
    for row in range(len(layout.numbers)):
        below = {row}
        for child in range(row + 1, len(layout.numbers)):
            if int(layout.parents[child]) in below:
                below.add(child)
        assert sorted(layout.places[list(below)].tolist()) == list(
            range(layout.places[row], layout.ends[row])
        )


def test_the_topmost_card_begins_at_zero() -> None:
    layout = lay_out(shape([-1, 0, 0], [52, 84, 52]), GAP)

    assert (layout.middles - layout.sizes / 2).min() == 0


def test_an_aside_stands_right_under_its_host_and_does_not_pull_the_parent() -> None:
    layout = lay_out(shape([-1, 0, 0, 1, 1, 1], asides=(2,)), GAP)

    middle = layout.middles[layout.rows]
    assert middle[0] == middle[1]
    assert middle[2] == middle[1] + 52 + GAP


def test_a_chain_of_a_hundred_thousand_is_a_straight_line() -> None:
    size = 100_000

    layout = lay_out(shape(list(range(-1, size - 1))), GAP)

    assert layout.levels == size
    assert np.ptp(layout.middles) == 0


def test_nothing_is_laid_out_as_nothing() -> None:
    layout = lay_out(shape([]), GAP)

    assert (layout.levels, len(layout.numbers)) == (0, 0)
