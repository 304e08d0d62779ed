"""Spatial index: cards as rectangles by row, those in a piece of canvas, and references that come near it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.cards import Flags, Floats, Ints, Reference, ReferenceKind
from loomapp.core.layout.incremental import Growth

FEW_CHILDREN = 50  # boxes that are looked at one by one
MANY_LEVELS = 60  # from here on one look at all rows is faster than one look a level

Direction: TypeAlias = Literal["right", "down"]


class Box(NamedTuple):
    """Rectangle of the canvas in px at 100 %: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> Box:
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def united(self, other: Box) -> Box:
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def meets(self, other: Box) -> bool:
        across = self.left <= other.right and self.right >= other.left
        return across and self.top <= other.bottom and self.bottom >= other.top

    def holds(self, other: Box) -> bool:
        across = self.left <= other.left and self.right >= other.right
        return across and self.top <= other.top and self.bottom >= other.bottom


class CanvasMeasures(NamedTuple):
    """The measures of the canvas: which way the tree grows, a card's width, the tallest card, and how far
    one level is from the next.
    """

    direction: Direction
    width: float
    tallest: float
    gap: float

    @property
    def breadth(self) -> float | None:
        """The size of every card along its level, if that is not its height."""
        return None if self.direction == "right" else self.width

    @property
    def depth(self) -> float:
        """A card's size across the levels, at most."""
        return self.width if self.direction == "right" else self.tallest

    @property
    def pitch(self) -> float:
        """Distance from one level to the next."""
        return self.depth + self.gap


class Index:
    """Positions made ready for painting, searched by level and along it."""

    def __init__(self, growth: Growth, roster: CardTable, frame: CanvasMeasures) -> None:
        self.growth = growth
        self.frame = frame
        self.width = frame.width
        self.pitch = frame.pitch
        self._roster = roster
        self._right = frame.direction == "right"

    def __len__(self) -> int:
        return self.growth.count

    @property
    def bounds(self) -> Box:
        if not len(self):
            return Box(0, 0, self.width, 0)
        low, high = self.growth.extent
        deep = self.growth.depth * self.pitch - self.frame.gap
        return Box(0, low, deep, high) if self._right else Box(low, 0, high, deep)

    def number(self, row: int) -> int:
        return int(self.growth.numbers[row])

    def parent(self, row: int) -> int:
        return int(self.growth.parents[row])

    def rows_by_level(self) -> Ints:
        """Return every row that is shown, level by level."""
        growth = self.growth
        rows = np.flatnonzero(~growth.hidden[: growth.count])
        if growth.newcomers or growth.any_hidden:
            order = np.lexsort((growth.middles(rows), growth.levels[rows]))
            rows = rows[order]
        return rows

    def linked(self, rows: Ints) -> Ints:
        """Return those of some rows to which an edge leads."""
        growth = self.growth
        chosen: Ints = rows[(growth.parents[rows] >= 0) & ~self._roster.asides[growth.numbers[rows]]]
        return chosen

    def heights(self, rows: Ints) -> Floats:
        growth = self.growth
        heights: Floats = growth.sizes[rows] if self._right else self._roster.heights[growth.numbers[rows]]
        return heights

    def box(self, row: int) -> Box:
        growth = self.growth
        deep, middle = growth.level(row) * self.pitch, growth.middle(row)
        if self._right:
            half = float(growth.sizes[row]) / 2
            return Box(deep, middle - half, deep + self.width, middle + half)
        high = float(self._roster.heights[growth.numbers[row]])
        return Box(middle - self.width / 2, deep, middle + self.width / 2, deep + high)

    def corners(self, rows: Ints) -> tuple[Floats, Floats]:
        growth = self.growth
        deep = growth.levels[rows] * self.pitch
        along: Floats = growth.middles(rows) - growth.sizes[rows] / 2
        return (deep, along) if self._right else (along, deep)

    def ends(self, rows: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """x and y of where the edges into cards leave their parents, and of where they arrive."""
        growth = self.growth
        parents = np.where(growth.parents[rows] < 0, rows, growth.parents[rows])
        along, above = growth.middles(rows), growth.middles(parents)
        deep = growth.levels[rows] * self.pitch
        if self._right:
            return deep - self.frame.gap, above, deep, along
        return above, growth.levels[parents] * self.pitch + self.heights(parents), along, deep

    def edge(self, row: int) -> tuple[float, float, float, float]:
        growth, parent = self.growth, self.parent(row)
        along, above = growth.middle(row), growth.middle(parent)
        deep = growth.level(row) * self.pitch
        if self._right:
            return deep - self.frame.gap, above, deep, along
        high = float(self._roster.heights[growth.numbers[parent]])
        return above, growth.level(parent) * self.pitch + high, along, deep

    def level(self, row: int) -> int:
        return self.growth.level(row)

    def rows_in(self, box: Box) -> Ints:
        """Return the cards that a box touches, level by level, in order."""
        growth = self.growth
        low, high, near, far = self._along(box)
        levels = self._levels(near, far)

        def chosen(rows: Ints) -> Flags:
            middles, halves = growth.middles(rows), growth.sizes[rows] / 2
            reaches: Flags = (middles + halves >= low) & (middles - halves <= high)
            return reaches

        rows = self._found(levels, low, high, growth.first, growth.last, chosen)
        if self._right or not len(rows):
            return rows
        top = growth.levels[rows] * self.pitch
        touched: Ints = rows[top + self.heights(rows) >= box.top]
        return touched

    def edges_in(self, box: Box) -> Ints:
        """Return the cards whose edge from their parent may cross a box."""
        growth = self.growth
        low, high, near, far = self._along(box)
        levels = self._levels(near, far + self.pitch)

        def upper(row: int) -> float:
            return min(growth.middle(max(0, self.parent(row))), growth.middle(row))

        def lower(row: int) -> float:
            return max(growth.middle(max(0, self.parent(row))), growth.middle(row))

        def chosen(rows: Ints) -> Flags:
            own, above = growth.middles(rows), growth.middles(np.maximum(growth.parents[rows], 0))
            reaches: Flags = (np.maximum(own, above) >= low) & (np.minimum(own, above) <= high)
            return reaches

        return self.linked(self._found(levels, low, high, upper, lower, chosen))

    def _found(
        self,
        levels: range,
        low: float,
        high: float,
        first: Callable[[int], float],
        last: Callable[[int], float],
        chosen: Callable[[Ints], Flags],
    ) -> Ints:
        """The rows of some levels that reach into low…high; `first` and `last` ascend in each level."""
        growth, starts = self.growth, self.growth.starts
        based = range(levels.start, min(levels.stop, len(starts) - 1))
        found: list[Ints] = []
        if len(based) > MANY_LEVELS:
            rows = np.arange(starts[based.start], starts[based.stop])
            found.append(rows[chosen(rows)])
        else:
            for level in based:
                rows_of = range(int(starts[level]), int(starts[level + 1]))
                begin = bisect_left(rows_of, low, key=last)
                end = begin
                while end < len(rows_of) and end - begin < 8 and first(rows_of[end]) <= high:
                    end += 1
                if end - begin == 8:  # more than a handful: search for the end too
                    end = bisect_left(rows_of, True, lo=end, key=lambda row: first(row) > high)
                if end > begin:
                    found.append(np.arange(rows_of[begin], rows_of[end - 1] + 1))
        if growth.newcomers:
            late = [n.row for n in growth.newcomers if n.level in levels]
            reaching = [row for row in late if last(row) >= low and first(row) <= high]
            found.append(np.array(reaching, np.int64))
        rows = np.concatenate(found) if found else np.zeros(0, np.int64)
        return rows[~growth.hidden[rows]] if growth.any_hidden else rows

    def row_at(self, x: float, y: float) -> int | None:
        """Return the card under a point, or None."""
        rows = self.rows_in(Box(x, y, x, y))
        return int(rows[0]) if len(rows) else None

    def beside(self, row: int, by: int) -> int | None:
        """Return the next shown card of the level, whoever its parent is; `by` is 1 or -1."""
        growth, starts, level, here = (
            self.growth,
            self.growth.starts,
            self.level(row),
            self.growth.middle(row),
        )
        found = []
        if level < len(starts) - 1:
            base = range(int(starts[level]), int(starts[level + 1]))
            at = bisect_left(base, here, key=growth.middle)
            at = at - 1 if by < 0 else at + (at < len(base) and base[at] == row)
            while 0 <= at < len(base) and growth.hidden[base[at]]:
                at += by
            found += [base[at]] if 0 <= at < len(base) else []
        late = [n.row for n in growth.joined(level) if not growth.hidden[n.row]]
        found += [other for other in late if (growth.middle(other) - here) * by > 0]
        return min(found, key=lambda other: abs(growth.middle(other) - here), default=None)

    def children(self, row: int) -> list[int]:
        return self.growth.children(row)

    def has_children(self, row: int) -> bool:
        return self.growth.has_children(row)

    def bounding_children(self, row: int) -> list[int]:
        """Children around which there is room for all: of very many, who stand in order, first and last."""
        children = self.children(row)
        return children if len(children) <= FEW_CHILDREN else [children[0], children[-1]]

    def _along(self, box: Box) -> tuple[float, float, float, float]:
        """Return a box along the levels, from and to, and across them."""
        if self._right:
            return box.top, box.bottom, box.left, box.right
        return box.left, box.right, box.top, box.bottom

    def _levels(self, near: float, far: float) -> range:
        first = max(0, int((near - self.frame.depth) // self.pitch) + 1)
        return range(first, max(first, min(self.growth.depth, int(far // self.pitch) + 1)))


class ReferenceLine(NamedTuple):
    """Reference between two rows."""

    source: int
    target: int
    kind: ReferenceKind


KINDS: tuple[ReferenceKind, ...] = ("note", "context", "instruction", "primary")
NONE: Ints = np.zeros(0, np.int64)


class References:
    """The references of a roster by the numbers of their cards, and those to come: they are few, and last."""

    def __init__(self) -> None:
        self._known: tuple[Reference, ...] = ()
        self._columns: tuple[Ints, ...] = (NONE, NONE, NONE)  # sources, targets, kinds

    def near(
        self, roster: CardTable, index: Index, box: Box, coming: Sequence[Reference] = ()
    ) -> ReferenceLines:
        """Return the references both of whose cards are shown and that may cross a box."""
        self._follow(roster)
        sources, targets, kinds = self._columns
        if coming:
            sources, targets, kinds = _joined(self._columns, _numbered(coming, roster))
        if not len(kinds):
            return ReferenceLines(NONE, NONE, NONE)
        rows = index.growth.each_row(np.concatenate((sources, targets)))
        sources, targets = rows[: len(kinds)], rows[len(kinds) :]
        shown = np.flatnonzero((sources >= 0) & (targets >= 0))
        sources, targets, kinds = sources[shown], targets[shown], kinds[shown]
        meets = _meets(index, sources, targets, box)
        return ReferenceLines(sources[meets], targets[meets], kinds[meets])

    def _follow(self, roster: CardTable) -> None:
        """Take over new references; of a roster that only grew, only the new ones."""
        known, now = self._known, roster.references
        if now is known:
            return
        grew = (
            len(known) < len(now) and bool(known) and now[len(known) - 1] is known[-1] and now[0] is known[0]
        )
        fresh = _numbered(now[len(known) :] if grew else now, roster)
        self._columns = _joined(self._columns, fresh) if grew else fresh
        self._known = now


class ReferenceLines(NamedTuple):
    """References as rows of their cards and places in KINDS."""

    sources: Ints
    targets: Ints
    kinds: Ints

    def chosen(self, which: Flags | Ints) -> ReferenceLines:
        return ReferenceLines(self.sources[which], self.targets[which], self.kinds[which])

    def touching(self, rows: Flags) -> Flags:
        touches: Flags = rows[self.sources] | rows[self.targets]
        return touches

    def each(self) -> list[ReferenceLine]:
        ends = zip(self.sources.tolist(), self.targets.tolist(), self.kinds.tolist(), strict=True)
        return [ReferenceLine(source, target, KINDS[kind]) for source, target, kind in ends]


def _joined(before: tuple[Ints, ...], after: tuple[Ints, ...]) -> tuple[Ints, ...]:
    return tuple(np.concatenate(pair) for pair in zip(before, after, strict=True))


def _numbered(references: Sequence[Reference], roster: CardTable) -> tuple[Ints, ...]:
    numbers = roster.numbers
    rows = [
        (numbers.get(source, -1), numbers.get(target, -1), KINDS.index(kind))
        for source, target, kind in references
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2]


def _meets(index: Index, sources: Ints, targets: Ints, box: Box) -> Flags:
    """Tell of each line whether the box around both ends, with room for the bend, meets another."""
    (x1, y1), (x2, y2) = index.corners(sources), index.corners(targets)
    high1, high2 = index.heights(sources), index.heights(targets)
    room = index.pitch
    across = (np.minimum(x1, x2) - room <= box.right) & (np.maximum(x1, x2) + index.width + room >= box.left)
    down = (np.minimum(y1, y2) - room <= box.bottom) & (np.maximum(y1 + high1, y2 + high2) + room >= box.top)
    meets: Flags = across & down
    return meets
