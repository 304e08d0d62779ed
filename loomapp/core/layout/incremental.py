"""Growth: a layout that cards join, leave and stretch in at once, without being laid out anew."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from operator import attrgetter
from typing import NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from loomapp.core.layout.cards import Flags, Floats, Ints
from loomapp.core.layout.layout import Layout

Number = TypeVar("Number", bound=np.generic)
SPARE = 512  # cards that may join before the next tidying
LAST = 2**31  # in a spot: after whatever hangs there

Spot: TypeAlias = tuple[int, ...]  # where a newcomer stands among all cards, read card by card


class Newcomer(NamedTuple):
    """A card that joined: its row, its level, and its spot: the place it comes before, then how deep its
    parent is, then a count along the way of newcomers it hangs on.
    """

    row: int
    level: int
    spot: Spot


SPOT = attrgetter("spot")


class Edges:
    """Beginnings and ends of the levels of a layout, for the extent of all that cards were pushed to.

    Who comes later, read card by card, was pushed as far or further. So what begins first is the first of
    those up to some place, pushed like the last of these; what ends last is the last of those from some place
    on, pushed like the first of these.
    """

    def __init__(self, begins: Ints, firsts: Floats, ends: Ints, lasts: Floats) -> None:
        """Places and positions of the first card of each level, and of the last one."""
        order = np.argsort(begins)
        least = np.minimum.accumulate(firsts[order])
        steps = np.diff(least, prepend=np.inf) != 0  # a long line has as many levels as cards, and one step
        self._begins, self._firsts = begins[order][steps], least[steps]
        order = np.argsort(ends)
        most = np.maximum.accumulate(lasts[order][::-1])[::-1]
        steps = np.diff(most, append=-np.inf) != 0
        self._ends, self._lasts = ends[order][steps], most[steps]

    def pushed(self, slots: Ints, pushes: Floats) -> tuple[float, float]:
        """The first beginning and the last end, with `pushes[i + 1]` for cards from `slots[i]` on."""
        up_to = np.append(np.searchsorted(self._begins, slots), len(self._begins))
        begun = up_to > 0  # before the first slot there may be none
        low = (self._firsts[up_to[begun] - 1] + pushes[begun]).min()
        since = np.concatenate(([0], np.searchsorted(self._ends, slots)))
        there = since < len(self._ends)
        high = (self._lasts[since[there]] + pushes[there]).max()
        return float(low), float(high)


class Growth:
    """Positions by row. Rows of the layout come first, newcomers after them in order of coming.

    A newcomer pushes what comes after it, read card by card, along every level, by as much as it needs: so
    no card ever lies on another, siblings keep their order, and the cost does not depend on the size of
    the tree. Parents are off the middle until the next tidying. What left keeps its row, hidden.
    """

    def __init__(self, layout: Layout, gap: float) -> None:
        self.gap = gap
        self.folded = layout.folded
        self.base = self.count = len(layout.numbers)  # rows of the layout, and with newcomers
        self.depth = layout.levels  # how many levels there are
        self.starts, self.places, self.ends, self.rows = (
            layout.starts,
            layout.places,
            layout.ends,
            layout.rows,
        )
        self.numbers = _with_room(layout.numbers)
        self.parents = _with_room(layout.parents)
        levels = np.arange(layout.levels, dtype=np.int32)
        self.levels: Ints = _with_room(np.repeat(levels, np.diff(layout.starts)))
        self.sizes = _with_room(layout.sizes)
        self._middles = _with_room(layout.middles)
        self.hidden: Flags = np.zeros(len(self.numbers), bool)
        # The same arrays for one element at a time, which numpy itself is slow at.
        self._start_of = self.starts.data
        self._place_of, self._end_of = self.places.data, self.ends.data
        self._number_of = self.numbers.data
        self._parent_of, self._level_of = self.parents.data, self.levels.data
        self._size_of = cast("memoryview[float]", self.sizes.data)
        self._middle_of = cast("memoryview[float]", self._middles.data)
        self._is_hidden = cast("memoryview[bool]", self.hidden.data)
        self.any_hidden = False
        self.newcomers: list[Newcomer] = []
        self._joined: dict[int, list[Newcomer]] = {}  # newcomers by level, in order of their spots
        self._rows: dict[int, int] = {}  # of newcomers, and of cards that took a row over
        self._slots: list[int] = []  # places from which on cards are pushed
        self._pushes: list[float] = []  # how far from each slot on, all in all
        self._steps: tuple[Ints, Floats] | None = None
        self._extent: tuple[float, float] | None = None
        self._edges: Edges | None = None

    # What can be asked.

    @property
    def changed(self) -> bool:
        """True once it is no longer the layout it was made of."""
        return bool(self.newcomers or self._slots or self.any_hidden or self._rows)

    @property
    def room(self) -> int:
        """Number of cards that can still join before the next tidying."""
        return len(self.numbers) - self.count

    def row_of(self, number: int) -> int | None:
        """The row of a card; None if it is not shown."""
        row = self._rows.get(number)
        if row is None:
            row = int(self.rows[number]) if number < len(self.rows) else -1
            if row >= 0 and self.numbers[row] != number:
                return None
        return None if row < 0 or self.hidden[row] else row

    def rows_of(self, numbers: Ints) -> Ints:
        """The rows of those of some cards that are shown, in order."""
        laid_out = numbers[numbers < len(self.rows)]
        rows = self.rows[laid_out]
        shown = np.zeros(len(self.hidden), bool)
        shown[rows[(rows >= 0) & (self.numbers[rows] == laid_out)]] = True
        if self._rows:
            wanted = np.zeros(max(int(numbers.max(initial=0)), *self._rows) + 1, bool)
            wanted[numbers] = True
            shown[[row for number, row in self._rows.items() if row >= 0 and wanted[number]]] = True
        in_order: Ints = np.flatnonzero(shown & ~self.hidden)
        return in_order

    def each_row(self, numbers: Ints) -> Ints:
        """The row of each of some cards, in their order; -1 for what is not shown. Numbers may be -1."""
        size = max(len(self.rows), int(numbers.max(initial=0)) + 1, *(number + 1 for number in self._rows), 0)
        table = np.full(size + 1, -1, np.int64)  # the last is for -1
        laid_out = np.flatnonzero(self.rows >= 0)
        rows = self.rows[laid_out]
        table[laid_out] = np.where(self.numbers[rows] == laid_out, rows, -1)
        for number, row in self._rows.items():
            table[number] = row
        found: Ints = table[numbers]
        found[(found >= 0) & self.hidden[np.maximum(found, 0)]] = -1
        return found

    def level(self, row: int) -> int:
        """The level a card is in, from 0."""
        return self._level_of[row]

    def middle(self, row: int) -> float:
        """The middle of a card along its level."""
        middle = self._middle_of[row]
        if self._slots and row < self.base:
            middle += self._pushed(self._place_of[row])
        return middle

    def middles(self, rows: Ints) -> Floats:
        result = self._middles[rows]
        if self._slots:
            slots, pushes = self._stepped()
            base = rows < self.base
            places = self.places[np.where(base, rows, 0)]
            result = result + np.where(base, pushes[np.searchsorted(slots, places, side="right")], 0.0)
        return result

    def first(self, row: int) -> float:
        """Return the beginning of a card along its level."""
        return self.middle(row) - self._size_of[row] / 2

    def last(self, row: int) -> float:
        """Return the end of a card along its level."""
        return self.middle(row) + self._size_of[row] / 2

    def children(self, row: int) -> list[int]:
        """The shown cards under a card, asides included, in order."""
        found = self._laid_out_children(row)
        for late in self._late_children(row):
            found.insert(bisect_right(found, self.middle(late), key=self.middle), late)
        return found

    def has_children(self, row: int) -> bool:
        return bool(self._laid_out_children(row, most=1) or self._late_children(row))

    def last_child(self, row: int) -> int | None:
        """The last of the shown cards under a card."""
        found = [*self._laid_out_children(row, most=-1), *self._late_children(row)]
        return max(found, key=self.middle, default=None)

    def _laid_out_children(self, row: int, most: int = 0) -> list[int]:
        """Children that were there when all was laid out: the first, below 0 the last few, or all."""
        if row >= self.base or self._end_of[row] == self._place_of[row] + 1:
            return []
        begin = bisect_left(self._parent_of, row, hi=self.base)
        end = bisect_right(self._parent_of, row, lo=begin, hi=self.base)
        rows = np.flatnonzero(~self.hidden[begin:end]) + begin
        chosen: list[int] = (rows[:most] if most > 0 else rows[most:] if most else rows).tolist()
        return chosen

    def _late_children(self, row: int) -> list[int]:
        late = (n.row for n in self._joined.get(self.level(row) + 1, ()) if self._parent_of[n.row] == row)
        return [child for child in late if not self._is_hidden[child]]

    @property
    def extent(self) -> tuple[float, float]:
        """Return the beginning of the first card and the end of the last one."""
        if self._extent is None:
            self._extent = self._measured()
        return self._extent

    def _measured(self) -> tuple[float, float]:
        if len(self.starts) < 2:
            return 0.0, 0.0
        if self._edges is None:
            self._edges = self._edges_of_levels()
        low, high = self._edges.pushed(*self._stepped())
        rows = [newcomer.row for newcomer in self.newcomers]
        return min([low, *map(self.first, rows)]), max([high, *map(self.last, rows)])

    def _edges_of_levels(self) -> Edges:
        begins, ends = self.starts[:-1], self.starts[1:] - 1
        firsts = self._middles[begins] - self.sizes[begins] / 2
        lasts = self._middles[ends] + self.sizes[ends] / 2
        return Edges(self.places[begins], firsts, self.places[ends], lasts)

    def joined(self, level: int) -> list[Newcomer]:
        return self._joined.get(level, [])

    # What may happen.

    def join(
        self, number: int, parent: int, size: float, *, sibling: int | None = None, room: float = 0.0
    ) -> int:
        """Put a card after a row's child that is `sibling`, else after the last one; returns its row.

        `room` is what siblings to come will take: the first of them begins so far before the parent's
        middle that all stand around it.
        """
        spot = self._spot_under(parent) if sibling is None else self._spot_after(sibling)
        row, level = self.count, self.level(parent) + 1
        before, after = self._neighbours(level, spot)
        begin = self.middle(parent) - (size + room) / 2
        if sibling is None and before is not None and self._parent_of[before] == parent:
            sibling = self.last_child(parent) if self._is_hidden[before] else before
        if sibling is not None:
            begin = self.last(sibling) + self.gap
        if before is not None:
            begin = max(begin, self.last(before) + self.gap)
        self._extent = None
        self.count += 1
        self._number_of[row], self._parent_of[row], self._level_of[row] = number, parent, level
        self._size_of[row], self._middle_of[row] = size, begin + size / 2
        self._is_hidden[row] = False
        self.depth = max(self.depth, level + 1)
        if after is not None:
            self._push(spot, begin + size + self.gap - self.first(after))
        newcomer = Newcomer(row, level, spot)
        self.newcomers.append(newcomer)
        insort(self._joined.setdefault(level, []), newcomer, key=SPOT)
        self._rows[number] = row
        return row

    def take_over(self, row: int, number: int) -> None:
        """Put another card in the place of one that leaves; its size may differ, see `stretch`."""
        self._rows[int(self.numbers[row])] = -1
        self.numbers[row] = number
        self._rows[number] = row

    def stretch(self, row: int, size: float) -> None:
        """Give a card another size; its beginning stays."""
        self._extent = None
        by = size - float(self.sizes[row])
        self._middles[row] += by / 2
        self.sizes[row] = size
        self._edges = None
        spot = self._spot_of(row)
        _, after = self._neighbours(self.level(row), spot)
        if after is not None:
            self._push(spot, self.last(row) + self.gap - self.first(after))

    def hide(self, row: int) -> None:
        """Take a card and all below it out of sight; nothing moves."""
        self.any_hidden = True
        self.hidden[row] = True
        self.hide_below(row)

    def hide_below(self, row: int) -> int:
        """Take all that is below a card out of sight; returns how many cards that were."""
        before = int(self.hidden.sum())
        self.any_hidden = True
        if row < self.base:
            begin, end = int(self.places[row]), int(self.ends[row])
            self.hidden[: self.base] |= (self.places > begin) & (self.places < end)
        gone = {row}
        for newcomer in self.newcomers:
            parent = int(self.parents[newcomer.row])
            if parent in gone or (parent != row and self.hidden[parent]):
                gone.add(newcomer.row)
                self.hidden[newcomer.row] = True
        return int(self.hidden.sum()) - before

    # How.

    def _spot_under(self, parent: int) -> Spot:
        if parent >= self.base:
            return (*self.newcomers[parent - self.base].spot, self.count)
        return (self._end_of[parent], -self.level(parent), self.count)

    def _spot_after(self, row: int) -> Spot:
        """Right after a card and what hangs on it, before what came to its parent later."""
        if row >= self.base:
            return (*self.newcomers[row - self.base].spot, LAST - self.count)
        return (self._end_of[row], 1 - self.level(row), -self.count)

    def _spot_of(self, row: int) -> Spot:
        if row >= self.base:
            return self.newcomers[row - self.base].spot
        return (self._place_of[row] + 1, -self.depth - 1)  # before whatever comes after it

    def _neighbours(self, level: int, spot: Spot) -> tuple[int | None, int | None]:
        """The rows of a level right before and after a spot, hidden ones too."""
        before = after = None
        if level < len(self._start_of) - 1:
            begin, end = self._start_of[level], self._start_of[level + 1]
            at = bisect_left(self._place_of, spot[0], begin, end)
            before, after = at - 1 if at > begin else None, at if at < end else None
        if joined := self._joined.get(level):
            own = bisect_left(joined, spot, key=SPOT)
            if own and (before is None or self.last(joined[own - 1].row) > self.last(before)):
                before = joined[own - 1].row
            beyond = bisect_right(joined, spot, lo=own, key=SPOT)
            is_one = beyond < len(joined)
            if is_one and (after is None or self.first(joined[beyond].row) < self.first(after)):
                after = joined[beyond].row
        return before, after

    def _push(self, spot: Spot, by: float) -> None:
        """Move all cards after a spot."""
        if by <= 0:
            return
        at = bisect_left(self._slots, spot[0])
        if at == len(self._slots) or self._slots[at] != spot[0]:
            self._slots.insert(at, spot[0])
            self._pushes.insert(at, self._pushes[at - 1] if at else 0.0)
        for i in range(at, len(self._slots)):
            self._pushes[i] += by
        self._steps = None
        for newcomer in self.newcomers:
            if newcomer.spot > spot:
                self._middles[newcomer.row] += by

    def _pushed(self, place: int) -> float:
        at = bisect_right(self._slots, place)
        return self._pushes[at - 1] if at else 0.0

    def _stepped(self) -> tuple[Ints, Floats]:
        if self._steps is None:
            self._steps = np.array(self._slots, np.int64), np.array([0.0, *self._pushes])
        return self._steps


def _with_room(values: NDArray[Number]) -> NDArray[Number]:
    room = np.zeros(len(values) + SPARE, values.dtype)
    room[: len(values)] = values
    return room
