"""Positions of cards: a tidy tree in levels, for cards of any breadth."""

from __future__ import annotations

import numpy as np

from loomapp.core.dataclass import dataclass
from loomapp.core.layout.breadth_first import Ranks, rank, subtrees
from loomapp.core.layout.cards import Floats, Ints
from loomapp.core.layout.folds import Shape, Shown, shown
from loomapp.core.layout.tidy_tree import tidy


@dataclass(frozen=True, slots=True)
class Layout:
    """Cards in rows: breadth first, so a level is one stretch of rows with `middles` ascending in it.

    `middles` and `sizes` run along the level, in logical pixels at 100 %, the first card's edge at 0.
    `parents` are rows, -1 in the first level. Level c holds the rows `starts[c]` to `starts[c + 1]`.
    `rows` gives the row of a number, -1 for cards without one. Reading the tree card by card, a subtree is
    the stretch of places `places[row]` to `ends[row]`.
    """

    numbers: Ints
    rows: Ints
    parents: Ints
    starts: Ints
    sizes: Floats
    middles: Floats
    places: Ints
    ends: Ints
    folded: dict[int, int]  # number of a card -> how many cards it hides

    @property
    def levels(self) -> int:
        return len(self.starts) - 1


def lay_out(shape: Shape, gap: float, seen: Shown | None = None) -> Layout:
    """The layout of the cards that are shown; `seen` says which, if that is known.

    No two cards of a level come nearer than `gap`; a parent stands in the middle between its first and
    last child that is no aside; siblings keep their order. Works at any depth. Pure: it may
    run on a thread of its own.
    """
    seen = shown(shape) if seen is None else seen
    ranks, places, ends = _in_rows(shape, seen)
    sizes = shape.sizes[ranks.numbers].astype(np.float32)
    counts = ~shape.asides[ranks.numbers]
    middles = tidy(ranks.parents, ranks.starts, sizes.astype(np.float64), counts, gap)
    if len(middles):
        middles -= (middles - sizes / 2).min()
    rows = np.full(len(shape.parents), -1, np.int32)
    rows[ranks.numbers] = np.arange(len(ranks.numbers), dtype=np.int32)
    return Layout(ranks.numbers, rows, ranks.parents, ranks.starts, sizes, middles, places, ends, seen.folded)


def _in_rows(shape: Shape, seen: Shown) -> tuple[Ranks, Ints, Ints]:
    """The rows of the cards that are shown, and their places and ends when they are read from the top."""
    reading, parents = seen.reading, shape.parents
    if reading is not None and seen.flags[reading.numbers].all():
        return reading.ranks, *reading.in_rows
    if shape.hoisted >= 0 and seen.flags[shape.hoisted]:
        parents = parents.copy()
        parents[shape.hoisted] = -1
    ranks = rank(parents, seen.flags, shape.orders)
    return ranks, *subtrees(ranks.parents, ranks.starts)
