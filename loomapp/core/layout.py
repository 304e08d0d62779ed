"""Positions of cards: a tidy tree from left to right, one column a level, for cards of any height."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loomapp.core.arrangement import Families

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


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
    keys, parents, starts = _rows(families)
    tall = np.array([heights[key] for key in keys], dtype=np.float64)
    counts = [key not in asides for key in keys]
    middles = _tidy(parents, tall.tolist(), counts, gap) if keys else np.zeros(0)
    if keys:
        middles -= (middles - tall / 2).min()
    return Layout(tuple(keys), np.array(parents, np.int64), np.array(starts, np.int64), tall, middles)


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


class _Contour:
    """The upper and lower outline of a subtree, a pair a level, deepest level first.

    Stored values plus `shift` are relative to the middle of the subtree's root.
    """

    __slots__ = ("lower", "shift", "upper")

    def __init__(self) -> None:
        self.upper: list[float] = []
        self.lower: list[float] = []
        self.shift = 0.0

    def join(self, below: _Contour, gap: float) -> tuple[_Contour, float]:
        """This outline and another one pushed under it, and how far that one had to move.

        Takes as many steps as the shorter of the two is deep, so a whole tree takes one a card.
        """
        apart = self.shift - below.shift + gap
        levels = range(-1, -min(len(self.upper), len(below.upper)) - 1, -1)
        lower, upper = self.lower, below.upper
        move = max([lower[i] - upper[i] for i in levels]) + apart
        change = below.shift + move - self.shift
        if len(self.upper) >= len(below.upper):
            for i in levels:
                lower[i] = below.lower[i] + change
            return self, move
        for i in levels:
            upper[i] = self.upper[i] - change
        below.shift += move
        return below, move

    def crown(self, middle: float, height: float) -> None:
        """Put a root in front, its middle where `middle` was."""
        self.shift -= middle
        self.upper.append(-height / 2 - self.shift)
        self.lower.append(height / 2 - self.shift)


def _tidy(parents: list[int], heights: list[float], counts: list[bool], gap: float) -> Floats:
    """The middle of each row. Rows come breadth first: children after their parent, and contiguous."""
    size = len(parents)
    outlines: list[_Contour | None] = [None] * size
    offsets = [0.0] * size  # from the parent's middle
    end = size
    for row in range(size - 1, -2, -1):
        first = end
        while first > 0 and parents[first - 1] == row:
            first -= 1
        outline, middle = _stack(outlines, offsets, counts, range(first, end), gap)
        end = first
        if row >= 0:
            outline.crown(middle, heights[row])
            outlines[row] = outline
    for row, parent in enumerate(parents):
        if parent >= 0:
            offsets[row] += offsets[parent]
    return np.array(offsets, dtype=np.float64)


def _stack(
    outlines: list[_Contour | None], offsets: list[float], counts: list[bool], family: range, gap: float
) -> tuple[_Contour, float]:
    """Put the subtrees of a family under each other; offsets are from where the parent will stand."""
    outline = None
    position = 0.0
    marks: list[float] = []
    for row in family:
        own = outlines[row]
        outlines[row] = None
        assert own is not None, "children come after their parents"
        if outline is None:
            outline = own
        else:
            outline, position = outline.join(own, gap)
        offsets[row] = position
        if counts[row]:
            marks.append(position)
    if outline is None:
        return _Contour(), 0.0
    middle = (marks[0] + marks[-1]) / 2 if marks else 0.0
    for row in family:
        offsets[row] -= middle
    return outline, middle
