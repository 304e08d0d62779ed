"""Where cards are: rectangles by row, what a piece of the canvas shows, and what is under a point."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loomapp.core.layout import Floats, Ints, Layout

MANY_COLUMNS = 100  # from here on one look at all rows is faster than one look a column


class Box(NamedTuple):
    """A rectangle of the canvas in px at 100 %: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> Box:
        """The box with a margin on every side."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def united(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


class Index:
    """A layout made ready for painting: arrays by row, searched by column and height.

    `linked` tells for each row whether an edge leads to it from its parent.
    """

    def __init__(self, layout: Layout, *, width: float, gap: float, linked: list[bool]) -> None:
        self.layout = layout
        self.width = width
        self.pitch = width + gap
        columns = np.repeat(np.arange(layout.columns), np.diff(layout.starts))
        self.left: Floats = (columns * self.pitch).astype(np.float64)
        self.middle: Floats = layout.middles
        self.top: Floats = layout.middles - layout.heights / 2
        self.bottom: Floats = layout.middles + layout.heights / 2
        self.linked = np.array(linked, dtype=bool)
        # Both ends of the edges into a column ascend with the row, so their extremes do too.
        from_middle = layout.middles[np.maximum(layout.parents, 0)]
        self._edge_top = np.minimum(from_middle, layout.middles)
        self._edge_bottom = np.maximum(from_middle, layout.middles)

    def __len__(self) -> int:
        return len(self.layout.keys)

    @property
    def bounds(self) -> Box:
        """The box around all cards."""
        if not len(self):
            return Box(0, 0, self.width, 0)
        right = self.layout.columns * self.pitch - (self.pitch - self.width)
        return Box(0, float(self.top.min()), right, float(self.bottom.max()))

    def box(self, row: int) -> Box:
        """A card's place."""
        left = float(self.left[row])
        return Box(left, float(self.top[row]), left + self.width, float(self.bottom[row]))

    def column(self, row: int) -> int:
        """The column a card is in, from 0."""
        return int(np.searchsorted(self.layout.starts, row, side="right")) - 1

    def rows_in(self, box: Box) -> Ints:
        """The cards that a box touches, column by column, from the top."""
        return self._found(self._columns(box.left, box.right), self.top, self.bottom, box)

    def edges_in(self, box: Box) -> Ints:
        """The cards whose edge from their parent may cross a box."""
        columns = self._columns(box.left, box.right + self.pitch)
        rows = self._found(columns, self._edge_top, self._edge_bottom, box)
        chosen: Ints = rows[self.linked[rows]]
        return chosen

    def _found(self, columns: range, top: Floats, bottom: Floats, box: Box) -> Ints:
        """The rows of some columns that reach into a box; `top` and `bottom` ascend in each column."""
        starts = self.layout.starts
        if len(columns) > MANY_COLUMNS:
            first, end = int(starts[columns.start]), int(starts[columns.stop])
            reaches = (bottom[first:end] >= box.top) & (top[first:end] <= box.bottom)
            return np.flatnonzero(reaches) + first
        found = []
        for first, end in pairwise(starts[columns.start : columns.stop + 1].tolist()):
            i = int(np.searchsorted(bottom[first:end], box.top))
            j = int(np.searchsorted(top[first:end], box.bottom, side="right"))
            if j > i:
                found.append(np.arange(first + i, first + j))
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def row_at(self, x: float, y: float) -> int | None:
        """The card under a point, or None."""
        rows = self.rows_in(Box(x, y, x, y))
        return int(rows[0]) if len(rows) else None

    def nearest(self, column: int, y: float) -> int | None:
        """The card of a column whose middle is nearest to a height."""
        if not 0 <= column < self.layout.columns:
            return None
        first, end = int(self.layout.starts[column]), int(self.layout.starts[column + 1])
        return first + int(np.abs(self.middle[first:end] - y).argmin())

    def children(self, row: int) -> range:
        """The rows of a card's family, asides of its children included."""
        first, end = np.searchsorted(self.layout.parents, (row, row + 1))
        return range(int(first), int(end))

    def _columns(self, left: float, right: float) -> range:
        first = max(0, int((left - self.width) // self.pitch) + 1)
        return range(first, max(first, min(self.layout.columns, int(right // self.pitch) + 1)))
