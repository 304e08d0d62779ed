"""The heights of many rows: estimated until measured, with quick sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class RowHeights:
    """Row heights in px. An array that it is made of is its own from then on.

    One offset is the sum of what is above it; all of them, ten times as dear, are summed to seek a row.
    """

    def __init__(self, estimates: Sequence[float] | npt.NDArray[np.float64] = ()) -> None:
        self._heights: npt.NDArray[np.float64] = np.asarray(estimates, dtype=np.float64)
        self._tops: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> float:
        return float(self._heights[row])

    def measure(self, row: int, height: float) -> None:
        """Put a measured height in place of what was there."""
        if self._heights[row] != height:
            self._heights[row] = height
            self._tops = None

    def beginning(self, rows: int) -> npt.NDArray[np.float64]:
        return self._heights[:rows]

    def top(self, row: int) -> float:
        """Return the y at which a row begins; for the number of rows, that at which the last one ends."""
        return float(self._heights[:row].sum() if self._tops is None else self._tops[row])

    @property
    def total(self) -> float:
        return self.top(len(self))

    def row_at(self, y: float) -> int:
        """Return the row that covers a height, or the nearest one. There must be rows."""
        found = int(np.searchsorted(self._sums(), y, side="right")) - 1
        return min(max(found, 0), len(self) - 1)

    def _sums(self) -> npt.NDArray[np.float64]:
        if self._tops is None:
            self._tops = np.concatenate([[0.0], np.cumsum(self._heights)])
        return self._tops
