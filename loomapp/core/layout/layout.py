"""Layout of cards: those that are shown with branches folded or pruned, and their tidy places in levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loomapp.core.dataclass import dataclass
from loomapp.core.layout.breadth_first import Ranks, rank, subtrees
from loomapp.core.layout.cards import Flags, Floats, Ints
from loomapp.core.layout.tidy_tree import tidy

SMALL_TREE = 300  # cards that need no folding
NEWEST = 200  # cards that came last, whose branches stay open
SMALL_BRANCH = 3  # cards below a branch's first one that are not worth a fold


@dataclass(frozen=True, slots=True)
class Shape:
    """Input of a layout, by number of the card: its parent's number or -1, its size along the level, and
    flags for a card that stands beside another rather than under its parent, is pruned, is there at all.

    Below a `folded` card nothing is shown; with a `hoisted` one nothing but it and what is below it.
    Siblings come in the order of their `orders`, without any in that of their numbers. `views` are cards
    that are no nodes: nobody counts them, and nothing is folded for their sake.
    """

    parents: Ints
    sizes: Floats
    asides: Flags
    pruned: Flags
    there: Flags
    folded: tuple[int, ...] = ()
    hoisted: int = -1
    orders: Ints | None = None
    views: tuple[int, ...] = ()


class Shown(NamedTuple):
    """Cards that are shown, the number of nodes hidden by each folded one, and the tree as it was read for
    that, if it was.
    """

    flags: Flags
    folded: dict[int, int]
    reading: DepthFirst | None = None


def shown(shape: Shape, reading: DepthFirst | None = None) -> Shown:
    """Find the shown cards of a shape; `reading` is the tree read already, with the cards and the order of
    the shape.
    """
    if not shape.folded and shape.hoisted < 0 and not shape.pruned.any():
        return Shown(shape.there, {}, reading)
    if reading is None:
        reading = DepthFirst(shape.parents, shape.there, shape.orders)
    wanted = reading.counted(~shape.pruned) > 0
    wanted[reading.numbers[0]] = True  # the root, whatever it is
    result = np.zeros(len(shape.parents), bool)
    result[reading.numbers] = wanted[reading.numbers]
    counts = reading.counted(_without(result, shape.views))
    hides = {number: int(counts[number]) - 1 for number in shape.folded if result[number]}
    result &= ~reading.below([number for number in shape.folded if hides.get(number)])
    if shape.hoisted >= 0 and result[shape.hoisted]:
        result &= reading.subtree(shape.hoisted)
    folded = {number: count for number, count in hides.items() if count and result[number]}
    return Shown(result, folded, reading)


def _without(flags: Flags, numbers: tuple[int, ...]) -> Flags:
    if not numbers:
        return flags
    result = flags.copy()
    result[list(numbers)] = False
    return result


class DepthFirst:
    """A tree read card by card, each followed by all that is below it: by number, places and ends; by row
    `in_rows`, the rows being those of `ranks`.
    """

    def __init__(self, parents: Ints, there: Flags, orders: Ints | None = None) -> None:
        ranks = rank(parents, there, orders)
        places, ends = subtrees(ranks.parents, ranks.starts)
        self.ranks, self.in_rows = ranks, (places, ends)
        self.numbers = ranks.numbers
        self._size = len(parents)
        self.places = np.zeros(len(parents), np.int64)
        self.ends = np.zeros(len(parents), np.int64)
        self.places[self.numbers], self.ends[self.numbers] = places, ends

    def counted(self, flags: Flags) -> Ints:
        """Count the flags in each subtree, its first card included."""
        sums = np.zeros(len(self.numbers) + 1, np.int64)
        in_order = np.zeros(len(self.numbers), np.int64)
        in_order[self.places[self.numbers]] = flags[self.numbers]
        np.cumsum(in_order, out=sums[1:])
        counts: Ints = sums[self.ends] - sums[self.places]
        return counts

    def below(self, numbers: list[int]) -> Flags:
        """The cards below any of some cards."""
        edges = np.zeros(len(self.numbers) + 2, np.int64)
        np.add.at(edges, self.places[numbers] + 1, 1)
        np.add.at(edges, self.ends[numbers], -1)
        covered = np.cumsum(edges) > 0
        result = np.zeros(self._size, bool)
        result[self.numbers] = covered[self.places[self.numbers]]
        return result

    def subtree(self, number: int) -> Flags:
        """A card and all below it."""
        result = np.zeros(self._size, bool)
        places = self.places[self.numbers]
        result[self.numbers] = (places >= self.places[number]) & (places < self.ends[number])
        return result


def old_branches(shape: Shape, reading: DepthFirst, path: Ints, kept: Ints, ages: Ints) -> list[int]:
    """The cards to fold so that a large tree can be taken in, the same for the same tree and path.

    They hang beside the `path`, have more than a few cards below them, and neither one of the newest by
    age (the greater the newer) nor one that is `kept` is among these. Of nested ones the outermost.
    """
    if len(reading.numbers) <= SMALL_TREE:
        return []
    protected = np.zeros(len(shape.parents), bool)
    protected[path] = protected[kept] = True
    there = reading.numbers
    protected[there[_newest(ages[there])]] = True
    inside = reading.counted(protected)
    foldable = np.zeros(len(shape.parents), bool)
    foldable[there] = (inside[there] - protected[there] == 0) & (
        reading.ends[there] - reading.places[there] > SMALL_BRANCH + 1
    )
    foldable[path] = False
    chosen = np.flatnonzero(foldable)
    outer = chosen[~reading.below(chosen.tolist())[chosen]]
    return [int(number) for number in outer]


def _newest(ages: Ints) -> Ints:
    """The places of the newest, of equal ones the last."""
    late = np.flatnonzero(ages >= np.partition(ages, -NEWEST)[-NEWEST])
    newest: Ints = late[np.argsort(ages[late], kind="stable")[-NEWEST:]]
    return newest


@dataclass(frozen=True, slots=True)
class Layout:
    """Cards in rows: breadth first, so a level is one stretch of rows with `middles` ascending in it.

    `middles` and `sizes` run along the level, in logical pixels at 100 %, the first card's edge at 0.
    `parents` are rows, -1 in the first level. Level c holds the rows `starts[c]` to `starts[c + 1]`.
    `rows` gives the row of a number, -1 for cards without one. Reading the tree card by card, a subtree is
    the stretch of places `places[row]` to `ends[row]`.
    """

    numbers: Ints
    rows: Ints
    parents: Ints
    starts: Ints
    sizes: Floats
    middles: Floats
    places: Ints
    ends: Ints
    folded: dict[int, int]  # number of a card -> how many cards it hides

    @property
    def levels(self) -> int:
        return len(self.starts) - 1


def lay_out(shape: Shape, gap: float, seen: Shown | None = None) -> Layout:
    """The layout of the cards that are shown; `seen` says which, if that is known.

    No two cards of a level come nearer than `gap`; a parent stands in the middle between its first and
    last child that is no aside; siblings keep their order. Works at any depth. Pure: it may
    run on a thread of its own.
    """
    seen = shown(shape) if seen is None else seen
    ranks, places, ends = _in_rows(shape, seen)
    sizes = shape.sizes[ranks.numbers].astype(np.float32)
    counts = ~shape.asides[ranks.numbers]
    middles = tidy(ranks.parents, ranks.starts, sizes.astype(np.float64), counts, gap)
    if len(middles):
        middles -= (middles - sizes / 2).min()
    rows = np.full(len(shape.parents), -1, np.int32)
    rows[ranks.numbers] = np.arange(len(ranks.numbers), dtype=np.int32)
    return Layout(ranks.numbers, rows, ranks.parents, ranks.starts, sizes, middles, places, ends, seen.folded)


def _in_rows(shape: Shape, seen: Shown) -> tuple[Ranks, Ints, Ints]:
    """The rows of the cards that are shown, and their places and ends when they are read from the top."""
    reading, parents = seen.reading, shape.parents
    if reading is not None and seen.flags[reading.numbers].all():
        return reading.ranks, *reading.in_rows
    if shape.hoisted >= 0 and seen.flags[shape.hoisted]:
        parents = parents.copy()
        parents[shape.hoisted] = -1
    ranks = rank(parents, seen.flags, shape.orders)
    return ranks, *subtrees(ranks.parents, ranks.starts)
