"""Seats: rows for few cards that come to a layout as it is, in the order of their families."""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import inf

import numpy as np

from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.cards import Ints
from loomapp.core.layout.incremental import Growth


class Seats:
    """Gives newcomers the rows of cards that leave their family, else rows of their own.

    `leaving` are rows by number; those that are taken go out of it. `extras` are cards that no card hangs on,
    so that they may change rows.
    """

    def __init__(
        self,
        growth: Growth,
        roster: CardTable,
        size: Callable[[int], float],
        leaving: dict[int, int],
        extras: Collection[int],
    ) -> None:
        self._growth, self._roster, self._size = growth, roster, size
        self._leaving, self._extras = leaving, frozenset(extras)

    def take(self, number: int, parent: int) -> bool:
        """Seat a newcomer under a row; False if it can be seated only when all is laid out anew."""
        growth = self._growth
        before, after = (self._in_order(some) for some in self._roster.siblings(number))
        later: list[int] = growth.numbers[after].tolist()
        if self._roster.asides[number] or not self._extras.issuperset(later):
            return self._join(number, parent, before, after)
        comers, rows = [number, *later], after.tolist()
        heir = self._heir(number, before)
        if heir is not None:
            rows.append(self._leaving.pop(heir))
        for comer, row in zip(comers, sorted(rows, key=growth.middle), strict=False):
            if growth.numbers[row] != comer:
                growth.take_over(row, comer)
                growth.stretch(row, self._size(comer))
        if heir is None:
            growth.join(comers[-1], parent, self._size(comers[-1]))
        return True

    def _in_order(self, numbers: Ints) -> Ints:
        """Return the rows of those of some siblings that are shown and stay."""
        growth, rows = self._growth, self._growth.rows_of(numbers)
        stay = np.ones(growth.count, bool)
        stay[[*self._leaving.values()]] = False
        rows = rows[stay[rows]]
        in_order: Ints = rows[np.argsort(self._roster.orders[growth.numbers[rows]], kind="stable")]
        return in_order

    def _heir(self, number: int, before: Ints) -> int | None:
        """Return the first that leaves the family after what comes before a newcomer."""
        middle, parents = self._growth.middle, self._roster.parents
        end = middle(int(before[-1])) if len(before) else -inf
        left = [other for other in self._leaving if parents[other] == parents[number]]
        free = [other for other in left if middle(self._leaving[other]) > end]
        return min(free, key=lambda other: middle(self._leaving[other]), default=None)

    def _join(self, number: int, parent: int, before: Ints, after: Ints) -> bool:
        if len(after) and not len(before):
            return False  # the first one comes when all is laid out anew
        sibling = int(before[-1]) if len(after) else None
        self._growth.join(number, parent, self._size(number), sibling=sibling)
        return True
