"""Layout of cards: breadth-first rows of those that are shown with branches folded, and their tidy places."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loomapp.core.dataclass import dataclass
from loomapp.core.layout.cards import Flags, Floats, Ints
from loomapp.core.layout.tidy_tree import Runs, alone_in_rows, firsts, runs, spans, tidy

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


MANY_LEVELS = 400  # from so many levels on card by card is faster: numpy has a price for every call
NARROW = 40  # and below so many cards a level
BROAD = 110  # cards a level, from which on their subtrees are counted level by level
FIRST_LEVELS = 16  # a look at so many tells whether a tree is narrow


class Ranks(NamedTuple):
    """Rows breadth first: whose they are, the row of each one's parent, and where each level begins."""

    numbers: Ints
    parents: Ints
    starts: Ints


def rank(parents: Ints, shown: Flags, orders: Ints | None = None) -> Ranks:
    """The rows of the cards that are shown and hang, over cards that are shown, on one without a parent.

    `parents` are numbers, -1 for none; siblings come in the order of their `orders`, else of their numbers.
    """
    chosen = np.flatnonzero(shown)
    if orders is not None:
        chosen = chosen[np.argsort(orders[chosen], kind="stable")]
    above = parents[chosen]
    by_parent = chosen[np.argsort(above, kind="stable")]
    counts = np.bincount(above + 1, minlength=len(parents) + 1)
    first = np.cumsum(counts) - counts  # of number n's children in `by_parent` at n + 1
    ranks = _rank_by_level(by_parent, first, counts)
    if ranks is not None:
        return ranks
    alone = np.zeros(len(parents), bool)
    alone[chosen] = (above >= 0) & (counts[above + 1] == 1)
    found = runs(parents, alone)
    if found.are_long:
        return _rank_by_run(found, parents, by_parent, first, counts)
    return _rank_by_card(by_parent, first, counts)


def _rank_by_level(by_parent: Ints, first: Ints, counts: Ints, narrow: int = NARROW) -> Ranks | None:
    """Return None if there are too many levels, or fewer cards in each than `narrow`."""
    level = by_parent[: counts[0]]
    numbers, parents, starts = [level], [np.full(len(level), -1, np.int64)], [0, len(level)]
    while len(level):
        if len(starts) > MANY_LEVELS or (len(starts) > FIRST_LEVELS and starts[-1] < narrow * len(starts)):
            return None
        broods = counts[level + 1]
        size = int(broods.sum())
        rows = np.arange(starts[-2], starts[-1])
        offsets = np.cumsum(broods) - broods
        level = by_parent[np.repeat(first[level + 1] - offsets, broods) + np.arange(size)]
        numbers.append(level)
        parents.append(np.repeat(rows, broods))
        starts.append(starts[-1] + size)
    return _ranks(np.concatenate(numbers), np.concatenate(parents), starts[:-1])


def _rank_by_card(by_parent: Ints, first: Ints, counts: Ints) -> Ranks:
    cards, firsts_of, broods = by_parent.tolist(), first.tolist(), counts.tolist()
    numbers: list[int] = cards[: broods[0]]
    parents = [-1] * len(numbers)
    starts = [0]
    while starts[-1] < len(numbers):
        begin, end = starts[-1], len(numbers)
        starts.append(end)
        for row in range(begin, end):
            number = numbers[row] + 1
            if broods[number]:
                numbers += cards[firsts_of[number] : firsts_of[number] + broods[number]]
                parents += [row] * broods[number]
    return _ranks(np.array(numbers, np.int64), np.array(parents, np.int64), starts)


def _rank_by_run(found: Runs, parents: Ints, by_parent: Ints, first: Ints, counts: Ints) -> Ranks:
    """Runs are walked from the top, so cards that hang on nothing that is shown are not met."""
    begins = found.steps[by_parent] == 0
    under = found.numbers[
        by_parent[begins]
    ].tolist()  # the runs that begin under each card, one after another
    before = np.r_[0, np.cumsum(begins)]
    free, until = before[first[found.lasts + 1]], counts[found.lasts + 1]
    firsts_of, ends_of, lengths = free.tolist(), (free + until).tolist(), found.lengths.tolist()
    orders, depths = [-1] * len(lengths), [0] * len(lengths)
    waiting = [(run, 0) for run in reversed(under[: int(counts[0])])]
    met = 0
    while waiting:
        run, depth = waiting.pop()
        orders[run], depths[run] = met, depth
        met += 1
        waiting += [(other, depth + lengths[run]) for other in reversed(under[firsts_of[run] : ends_of[run]])]
    order = np.array(orders, np.int64)
    hanging = np.flatnonzero(order[found.numbers] >= 0)
    runs_of = found.numbers[hanging]
    deep = np.array(depths, np.int64)[runs_of] + found.steps[hanging]
    numbers = hanging[np.argsort(deep * (met + 1) + order[runs_of], kind="stable")]
    rows = np.full(len(parents) + 1, -1, np.int64)  # its last is the row of no parent
    rows[numbers] = np.arange(len(numbers))
    return _ranks(numbers, rows[parents[numbers]], [0, *np.cumsum(np.bincount(deep)).tolist()])


def _ranks(numbers: Ints, parents: Ints, starts: list[int]) -> Ranks:
    return Ranks(numbers.astype(np.int32), parents.astype(np.int32), np.array(starts, np.int64))


def subtrees(parents: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """For each row its place when the tree is read card, then all below it, then the next; and the place
    after the last card below it.
    """
    if len(starts) > MANY_LEVELS or len(parents) < BROAD * len(starts):
        return _subtrees_by_run(runs(parents, alone_in_rows(parents)), parents)
    return _subtrees_by_level(parents, starts)


def _subtrees_by_level(parents: Ints, starts: Ints) -> tuple[Ints, Ints]:
    sizes = np.ones(len(parents), np.int64)
    levels = [slice(begin, end) for begin, end in pairwise(starts.tolist())]
    for level in reversed(levels[1:]):
        first = firsts(parents[level])
        sizes[parents[level][first]] += np.add.reduceat(sizes[level], first)
    places = np.zeros(len(parents), np.int64)
    for level in levels:
        above, own = parents[level], sizes[level]
        before = np.cumsum(own) - own
        first = firsts(above)
        base = np.repeat(before[first], spans(first, len(own)))
        places[level] = before - base + np.where(above < 0, 0, places[above] + 1)
    return places.astype(np.int32), (places + sizes).astype(np.int32)


def _subtrees_by_run(found: Runs, parents: Ints) -> tuple[Ints, Ints]:
    over = parents[found.firsts]
    above = np.where(over < 0, -1, found.numbers[over]).tolist()
    lengths = found.lengths.tolist()
    sizes = list(lengths)
    for run in range(len(sizes) - 1, -1, -1):
        if above[run] >= 0:
            sizes[above[run]] += sizes[run]
    places = [0] * len(sizes)
    free = [0] * (len(sizes) + 1)  # of each run the next free place among those below it; last: of no run
    for run, host in enumerate(above):
        places[run] = free[host]
        free[host] += sizes[run]
        free[run] = places[run] + lengths[run]
    begins = np.array(places, np.int64)[found.numbers] + found.steps
    ends = begins + np.array(sizes, np.int64)[found.numbers] - found.steps
    return begins.astype(np.int32), ends.astype(np.int32)
