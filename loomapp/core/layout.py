"""Positions of cards: a tidy tree from left to right, one column a level, for cards of any height."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np

from loomapp.core.arrangement import Families
from loomapp.core.tidy import Floats, Ints, tidy

__all__ = ["Floats", "Ints", "Layout", "lay_out"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Cards in rows: breadth first, so a column is one stretch of rows with y ascending in it.

    `middles` and `heights` in logical pixels at 100 %, the topmost card's upper edge at 0. `parents` are
    rows, -1 in the first column. Column c holds the rows `starts[c]` to `starts[c + 1]`.
    """

    keys: tuple[str, ...]
    parents: Ints
    starts: Ints
    heights: Floats
    middles: Floats

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self.starts) - 1


def lay_out(
    families: Families, heights: Mapping[str, float], *, gap: float, asides: Container[str] = ()
) -> Layout:
    """The layout of the cards that hang below the first column, `families[None]`.

    No two cards of a column come nearer than `gap`; a parent stands in the middle between its first and
    last child that is no aside; siblings keep their order. Works at any depth.
    """
    keys, above, ends = _rows(families)
    parents, starts = np.array(above, np.int64), np.array(ends, np.int64)
    tall = np.array([heights[key] for key in keys], dtype=np.float64)
    counts = np.array([key not in asides for key in keys], dtype=bool)
    middles = tidy(parents, starts, tall, counts, gap)
    if keys:
        middles -= (middles - tall / 2).min()
    return Layout(tuple(keys), parents, starts, tall, middles)


def _rows(families: Families) -> tuple[list[str], list[int], list[int]]:
    keys = list(families.get(None, ()))
    parents = [-1] * len(keys)
    starts = [0]
    while starts[-1] < len(keys):
        first, end = starts[-1], len(keys)
        starts.append(end)
        for row in range(first, end):
            below = families.get(keys[row])
            if below:
                keys.extend(below)
                parents.extend([row] * len(below))
    return keys, parents, starts
