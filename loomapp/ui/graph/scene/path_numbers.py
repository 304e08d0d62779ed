"""The numbers of the cards on a path, found from those of the path before where the two are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loomapp.core.layout.arrays import Ints
from loomapp.core.layout.card_table import CardTable
from loomapp.core.paths.path import common_length

MISSING = -1


class PathNumbers:
    """Cache of the last path's card numbers."""

    def __init__(self) -> None:
        self._roster: CardTable | None = None
        self._node_ids: Sequence[str] = ()
        self._numbers: Ints = np.zeros(0, np.int64)

    def of(self, node_ids: Sequence[str], roster: CardTable) -> Ints:
        """Return the numbers of the cards that these nodes are on, of those that are on any."""
        known = 0
        if roster is self._roster:
            known = common_length(self._node_ids, node_ids)
            missing = np.flatnonzero(self._numbers[:known] == MISSING)  # they may be there by now
            known = int(missing[0]) if len(missing) else known
        rest = node_ids[known:]
        cards = map(roster.card_of, rest) if roster.cards else rest
        found = [MISSING if number is None else number for number in map(roster.numbers.get, cards)]
        self._numbers = np.concatenate((self._numbers[:known], np.array(found, np.int64)))
        self._roster, self._node_ids = roster, node_ids
        there: Ints = self._numbers[self._numbers != MISSING]
        return there
