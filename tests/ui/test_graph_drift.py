"""The drift: which cards are on their way."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF

from loomapp.ui.graph.drift import STILL, Drift


def test_cards_on_their_way_are_painted_once_with_those_in_view() -> None:
    drift = Drift({7: QPointF(1, 0), 2: QPointF(0, 3)})

    assert drift.with_moving(np.array([1, 2, 5])).tolist() == [1, 2, 5, 7]
    assert drift.with_moving(np.array([], np.int64)).tolist() == [2, 7]
    assert STILL.with_moving(np.array([1, 5])).tolist() == [1, 5]
