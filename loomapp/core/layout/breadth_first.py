"""Ranking: cards in breadth-first rows, and where each subtree begins and ends when read from the top."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loomapp.core.layout.cards import Flags, Ints
from loomapp.core.layout.tidy_tree import Runs, alone_in_rows, firsts, runs, spans

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
    if len(starts) > MANY_LEVELS:
        found = runs(parents, alone_in_rows(parents))
        return _subtrees_by_run(found, parents) if found.are_long else _subtrees_by_card(parents)
    if len(parents) < BROAD * len(starts):
        return _subtrees_by_card(parents)
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


def _subtrees_by_card(parents: Ints) -> tuple[Ints, Ints]:
    above = parents.tolist()
    sizes = [1] * len(above)
    for row in range(len(above) - 1, -1, -1):
        if above[row] >= 0:
            sizes[above[row]] += sizes[row]
    places = [0] * len(above)
    free = [0] * (len(above) + 1)  # of each row the next free place among its children; last: of no row
    for row, parent in enumerate(above):
        places[row] = free[parent]
        free[parent] += sizes[row]
        free[row] = places[row] + 1
    starts = np.array(places, np.int32)
    return starts, (starts + np.array(sizes, np.int32)).astype(np.int32)


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
