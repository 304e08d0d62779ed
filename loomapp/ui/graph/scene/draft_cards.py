"""Cards of drafts: each under the node that it continues, what it offers, and who takes over its row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.cards import Ints
from loomapp.core.layout.incremental import Growth
from loomapp.ui.graph.scene.card_text import font, metrics
from loomapp.ui.look import theme


class DraftCards:
    """Drafts that have cards, by key. Each call is given the table of all cards as it is now."""

    def __init__(self) -> None:
        self._parents: Mapping[str, str] = {}  # key -> the node it hangs under
        self.later: Mapping[str, Sequence[str]] = {}  # key -> nodes that it stands before

    def __contains__(self, card: str) -> bool:
        return card in self._parents

    def __iter__(self) -> Iterator[str]:
        """Yield their keys, the oldest first."""
        return iter(self._parents)

    def replace(self, parents: Mapping[str, str]) -> Mapping[str, str]:
        """Take the drafts that there are now, by the node each hangs under; return those before."""
        before, self._parents = self._parents, parents
        return before

    def join(self, roster: CardTable, keys: Iterable[str]) -> tuple[int, ...]:
        """Give numbers to some of them, those whose parent has a card; return the numbers."""
        joined = []
        for key in keys:
            parent = roster.number_of(self._parents[key])
            if parent is not None:
                joined.append(roster.join(key, parent))
        self.put_last(roster)
        return tuple(joined)

    def put_last(self, roster: CardTable) -> None:
        """Put drafts after their siblings but for `later`, as they stand when the tree is opened again."""
        families: dict[int, list[int]] = {}
        for number in self.numbers(roster):
            families.setdefault(int(roster.parents[number]), []).append(number)
        for family in families.values():
            roster.put_last(family)
        for key in (key for key in self.later if key in roster.numbers):
            others = [other for i in self.later[key] if (other := roster.number_of(i)) is not None]
            if others:
                roster.put_before(roster.numbers[key], others)

    def numbers(self, roster: CardTable) -> list[int]:
        return [roster.numbers[key] for key in self._parents if key in roster.numbers]


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
        heir = self._heir(number, before)
        if self._roster.asides[number] or not self._extras.issuperset(later):
            end = -inf if self._roster.asides[number] else growth.middle(int(after[0]))
            if heir is None or growth.middle(self._leaving[heir]) > end:
                return self._join(number, parent, before, after)
            row = self._leaving.pop(heir)  # of the draft that it was
            growth.take_over(row, number)
            growth.stretch(row, self._size(number))
            return True
        comers, rows = [number, *later], after.tolist()
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


DISMISS, DISMISS_ALL = "dismiss", "dismiss_all"
HIT = 24.0  # no smaller than a pointer can hit
SIDE = 6.0  # around the words of an act
CROSS = 12.0


class Act(NamedTuple):
    """`name` is retry, stop, key, details, dismiss or dismiss_all; without words it is the cross in the
    corner.
    """

    name: str
    words: str = ""


def act_boxes(acts: Sequence[Act], width: float) -> dict[str, QRectF]:
    """Return the boxes in which a card of a width offers its acts, at 100 %: in one row under two lines of
    text.
    """
    left = theme.px("card.padding_x") - SIDE
    top = theme.px("card.padding_y") + theme.px("card.meta_line") + 4
    row = top + 2 * theme.line_height("small") + (theme.line_height("small") - HIT) / 2
    boxes: dict[str, QRectF] = {}
    for act in acts:
        if not act.words:
            boxes[act.name] = QRectF(width - HIT - 2, 2, HIT, HIT)
            continue
        wide = metrics("name").horizontalAdvance(act.words) + 2 * SIDE
        if boxes and left + wide > width:
            continue  # the likeliest come first, and the message offers all of them
        boxes[act.name] = QRectF(left, row, min(wide, width - left), HIT)
        left += wide
    return boxes


def paint_acts(painter: QPainter, acts: Sequence[Act], width: float) -> None:
    """Draw the acts on a card whose upper left corner is at 0, 0."""
    boxes = act_boxes(acts, width)
    painter.setFont(font("name"))
    for act in acts:
        if act.name not in boxes:
            continue
        box = boxes[act.name]
        if act.words:
            painter.setPen(theme.colour("text.link"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, act.words)
        else:
            middle = box.center()
            cross = QRectF(middle.x() - CROSS / 2, middle.y() - CROSS / 2, CROSS, CROSS)
            theme.paint(painter, "x", "text.muted", cross)
