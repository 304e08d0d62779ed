"""The laws of the layout, on families of any shape."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.layout import Layout, lay_out
from loomapp.core.tidy import tidy_by_card, tidy_by_level

GAP = 16.0
HEIGHTS = (28.0, 52.0, 68.0, 84.0)


@st.composite
def forests(draw: st.DrawFn) -> tuple[dict[str | None, list[str]], dict[str, float], set[str]]:
    """Families, heights, and some asides (never the first of a family)."""
    size = draw(st.integers(1, 60))
    families: dict[str | None, list[str]] = {None: ["0"]}
    asides: set[str] = set()
    reach = draw(st.integers(1, 60))  # small: chains; large: fans
    for i in range(1, size):
        parent = draw(st.integers(max(-1, i - reach), i - 1))
        family = families.setdefault(None if parent < 0 else str(parent), [])
        if family and draw(st.integers(0, 5)) == 0:
            asides.add(str(i))
        family.append(str(i))
    heights = {str(i): draw(st.sampled_from(HEIGHTS)) for i in range(size)}
    return families, heights, asides


def columns(layout: Layout) -> list[range]:
    return [range(a, b) for a, b in zip(layout.starts[:-1], layout.starts[1:], strict=True)]


@given(forests())
def test_cards_of_a_column_keep_their_distance(
    forest: tuple[dict[str | None, list[str]], dict[str, float], set[str]],
) -> None:
    families, heights, asides = forest

    layout = lay_out(families, heights, gap=GAP, asides=asides)

    tops, bottoms = layout.middles - layout.heights / 2, layout.middles + layout.heights / 2
    for rows in columns(layout):
        for upper, lower in pairwise(rows):
            assert tops[lower] - bottoms[upper] >= GAP - 1e-6


@given(forests())
def test_a_parent_stands_in_the_middle_of_its_children(
    forest: tuple[dict[str | None, list[str]], dict[str, float], set[str]],
) -> None:
    families, heights, asides = forest

    layout = lay_out(families, heights, gap=GAP, asides=asides)

    middle = dict(zip(layout.keys, layout.middles.tolist(), strict=True))
    for parent, members in families.items():
        counted = [middle[member] for member in members if member not in asides]
        if parent is not None and counted:
            assert middle[parent] == pytest.approx((counted[0] + counted[-1]) / 2, abs=1e-6)


@given(forests())
def test_siblings_keep_their_order_and_every_card_has_its_column(
    forest: tuple[dict[str | None, list[str]], dict[str, float], set[str]],
) -> None:
    families, heights, asides = forest

    layout = lay_out(families, heights, gap=GAP, asides=asides)

    row = {key: i for i, key in enumerate(layout.keys)}
    column = {layout.keys[i]: c for c, rows in enumerate(columns(layout)) for i in rows}
    assert sorted(layout.keys) == sorted(heights)
    for parent, members in families.items():
        assert [row[m] for m in members] == list(range(row[members[0]], row[members[0]] + len(members)))
        assert all(column[m] == (0 if parent is None else column[parent] + 1) for m in members)
        assert all(layout.parents[row[m]] == (-1 if parent is None else row[parent]) for m in members)


@given(forests())
def test_a_stranger_far_below_changes_nothing_inside_a_tree(
    forest: tuple[dict[str | None, list[str]], dict[str, float], set[str]],
) -> None:
    """What is laid out alone has the same shape when another tree follows under it."""
    families, heights, asides = forest
    more = families | {None: [*families[None], "stranger"]}

    alone = lay_out(families, heights, gap=GAP, asides=asides)
    together = lay_out(more, heights | {"stranger": 52.0}, gap=GAP, asides=asides)

    places = dict(zip(together.keys, together.middles.tolist(), strict=True))
    shift = places[alone.keys[0]] - alone.middles[0]
    assert [places[key] - shift for key in alone.keys] == pytest.approx(alone.middles.tolist(), abs=1e-6)


@given(forests())
def test_card_by_card_and_level_by_level_give_the_same(
    forest: tuple[dict[str | None, list[str]], dict[str, float], set[str]],
) -> None:
    families, heights, asides = forest
    rows = lay_out(families, heights, gap=GAP, asides=asides)
    counts = np.array([key not in asides for key in rows.keys])

    by_card = tidy_by_card(rows.parents, rows.heights, counts, GAP)
    by_level = tidy_by_level(rows.parents, rows.starts, rows.heights, counts, GAP)

    assert by_level.tolist() == pytest.approx(by_card.tolist(), abs=1e-6)


def test_the_topmost_card_begins_at_zero() -> None:
    layout = lay_out({None: ["a"], "a": ["b", "c"]}, {"a": 52, "b": 84, "c": 52}, gap=GAP)

    assert (layout.middles - layout.heights / 2).min() == 0


def test_an_aside_stands_right_under_its_host_and_does_not_pull_the_parent() -> None:
    families = {None: ["a"], "a": ["b", "note"], "b": ["c", "d", "e"]}
    heights = dict.fromkeys(("a", "b", "note", "c", "d", "e"), 52.0)

    layout = lay_out(families, heights, gap=GAP, asides={"note"})

    middle = dict(zip(layout.keys, layout.middles.tolist(), strict=True))
    assert middle["a"] == middle["b"]
    assert middle["note"] == middle["b"] + 52 + GAP


def test_a_chain_of_a_hundred_thousand_is_a_straight_line() -> None:
    size = 100_000
    families: dict[str | None, list[str]] = {None: ["0"]}
    families |= {str(i): [str(i + 1)] for i in range(size - 1)}

    layout = lay_out(families, {str(i): 52.0 for i in range(size)}, gap=GAP)

    assert layout.columns == size
    assert np.ptp(layout.middles) == 0


def test_nothing_is_laid_out_as_nothing() -> None:
    layout = lay_out({}, {}, gap=GAP)

    assert (layout.columns, layout.keys) == (0, ())
