"""What joins, leaves and stretches in a layout: nothing overlaps, and tidying gives the full layout.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.layout.incremental import Growth
from loomapp.core.layout.layout import Shape, lay_out
from tests.core.layout.test_layout import GAP, HEIGHTS, shape, shapes
from tests.kit.chance import examples

acts = st.lists(
    st.tuples(
        st.sampled_from(["join", "join", "beside", "stretch", "hide"]),
        st.integers(0, 10**6),
        st.sampled_from(HEIGHTS),
    ),
    max_size=25,
)


def lived(forest: Shape, wishes: list[tuple[str, int, float]]) -> tuple[Growth, Shape]:
    """A layout after some life, and what the cards are now."""
    growth = Growth(lay_out(forest, GAP), GAP)
    parents, sizes, asides = forest.parents.tolist(), forest.sizes.tolist(), np.flatnonzero(forest.asides)
    order = list(range(len(parents)))
    left: set[int] = set()
    for act, which, size in wishes:
        there = [number for number in range(len(parents)) if growth.row_of(number) is not None]
        number = there[which % len(there)]
        row = growth.row_of(number)
        assert row is not None
        if act == "join":
            growth.join(len(parents), row, size)
            order.append(len(parents))
            parents.append(number)
            sizes.append(size)
        elif act == "beside" and parents[number] >= 0:
            above = growth.row_of(parents[number])
            assert above is not None
            growth.join(len(parents), above, size, sibling=row)
            order.insert(order.index(number) + 1, len(parents))
            parents.append(parents[number])
            sizes.append(size)
        elif act == "stretch":
            growth.stretch(row, size)
            sizes[number] = size
        elif act == "hide" and number:
            growth.hide(row)
            left |= {n for n in range(len(parents)) if growth.row_of(n) is None}
    now = shape(parents, sizes, tuple(asides.tolist()), gone=tuple(left))
    return growth, replace(now, orders=np.argsort(order))


@settings(deadline=None, max_examples=examples(60))
@given(shapes(), acts)
def test_at_no_moment_does_a_card_lie_on_another(forest: Shape, wishes: list[tuple[str, int, float]]) -> None:
    for end in range(len(wishes) + 1):
        growth = lived(forest, wishes[:end])[0]
        rows = [row for row in range(growth.count) if not growth.hidden[row]]
        for level in {growth.level(row) for row in rows}:
            column = sorted((row for row in rows if growth.level(row) == level), key=growth.middle)
            for upper, lower in pairwise(column):
                assert growth.first(lower) - growth.last(upper) >= GAP - 1e-6


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(shapes(), acts)
def test_siblings_stand_in_their_order(forest: Shape, wishes: list[tuple[str, int, float]]) -> None:
    growth, now = lived(forest, wishes)
    assert now.orders is not None

    for row in range(growth.count):
        if not growth.hidden[row]:
            children = growth.children(row)
            orders = now.orders[growth.numbers[children]].tolist()
            assert orders == sorted(orders)
            assert children == sorted(children, key=growth.middle)
            assert {growth.level(child) for child in children} <= {growth.level(row) + 1}


@settings(deadline=None, max_examples=examples(60))
@given(shapes(), acts)
def test_after_tidying_it_is_what_a_full_layout_would_be(
    forest: Shape, wishes: list[tuple[str, int, float]]
) -> None:
    growth, now = lived(forest, wishes)

    tidied = lay_out(now, GAP)

    shown = {number for number in range(len(now.parents)) if growth.row_of(number) is not None}
    assert set(tidied.numbers.tolist()) == shown
    for number in shown:
        row = growth.row_of(number)
        assert row is not None
        place = int(tidied.rows[number])
        assert growth.sizes[row] == tidied.sizes[place]
        parent = int(tidied.parents[place])
        mine = int(growth.parents[row])
        assert (parent < 0) == (mine < 0)
        assert parent < 0 or tidied.numbers[parent] == growth.numbers[mine]
    for rows in pairwise(tidied.starts.tolist()):
        order = [growth.row_of(int(tidied.numbers[row])) for row in range(*rows)]
        middles = [growth.middle(row) for row in order if row is not None]
        assert middles == sorted(middles), "what came at once stands in the order that tidying keeps"


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(shapes(), acts)
def test_many_middles_at_once_are_those_one_by_one(
    forest: Shape, wishes: list[tuple[str, int, float]]
) -> None:
    growth, now = lived(forest, wishes)
    rows = np.arange(growth.count)

    assert growth.middles(rows).tolist() == [growth.middle(row) for row in rows.tolist()]
    numbers = np.arange(len(now.parents))
    found = [growth.row_of(number) for number in numbers.tolist()]
    assert growth.rows_of(numbers).tolist() == sorted(row for row in found if row is not None)


@settings(deadline=None, max_examples=examples(60))
@given(shapes(), acts)
def test_the_extent_is_that_of_all_cards_wherever_they_were_pushed(
    forest: Shape, wishes: list[tuple[str, int, float]]
) -> None:
    growth, _ = lived(forest, wishes)
    rows = range(growth.count)

    found = growth.extent

    assert found == pytest.approx((min(map(growth.first, rows)), max(map(growth.last, rows))))
    assert growth.depth == max(map(growth.level, rows)) + 1


def test_a_newcomer_moves_only_what_comes_after_it_and_no_further_than_needed() -> None:
    growth = Growth(lay_out(shape([-1, 0, 0, 1, 2]), GAP), GAP)
    before = [growth.middle(row) for row in range(5)]

    row = growth.join(5, 1, 52.0)

    after = [growth.middle(row) for row in range(5)]
    assert after[0:2] == before[0:2]
    assert after[3] == before[3]
    assert growth.first(row) == growth.last(3) + GAP
    assert after[4] - before[4] == growth.last(row) + GAP - (before[4] - 26)
    assert after[2] - before[2] == after[4] - before[4], "a branch moves as a whole"


def test_a_card_that_takes_over_has_the_row_and_the_other_is_gone() -> None:
    growth = Growth(lay_out(shape([-1, 0]), GAP), GAP)
    draft = growth.join(2, 1, 84.0)

    growth.take_over(draft, 3)

    assert (growth.row_of(3), growth.row_of(2)) == (draft, None)
    growth.take_over(1, 4)
    assert (growth.row_of(4), growth.row_of(1)) == (1, None)


def test_what_leaves_takes_along_what_hangs_below() -> None:
    growth = Growth(lay_out(shape([-1, 0, 1, 0]), GAP), GAP)
    late = growth.join(4, 3, 52.0)
    later = growth.join(5, late, 52.0)

    growth.hide(1)

    assert [growth.row_of(number) for number in range(6)] == [0, None, None, 2, None, None]
    assert growth.hidden[later]
