"""The drift: cards that were given other places glide there from where they were."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QPointF

from loomapp.core.layout.arrays import Floats, Ints

NOWHERE = QPointF()


class Drift:
    """Offsets of some rows from their places, in px of the canvas; `left` says how much of them is left."""

    def __init__(self, offsets: Mapping[int, QPointF]) -> None:
        self._offsets = offsets
        self._rows = np.array(sorted(offsets), np.int64)
        self.left = 1.0

    def __bool__(self) -> bool:
        return bool(self._offsets) and self.left > 0

    def offset(self, row: int) -> QPointF:
        """Return the distance of a card from its place."""
        if not self._offsets or row not in self._offsets:
            return NOWHERE
        return self._offsets[row] * self.left

    def offsets(self, rows: Ints) -> Floats:
        """Return the distances of several cards from their places, x and y."""
        away = map(self.offset, rows.tolist()) if self else ()
        found: Floats = np.array([by.toTuple() for by in away] or [(0.0, 0.0)])
        return found

    def with_moving(self, rows: Ints) -> Ints:
        """Return some rows, ascending, and those that are on their way."""
        if not self:
            return rows
        # Not np.union1d: its first call imports much, while a frame is painted.
        both = np.sort(np.concatenate((rows, self._rows)))
        return both[np.concatenate(([True], both[1:] != both[:-1]))]


STILL = Drift({})
