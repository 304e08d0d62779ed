"""Ranking: cards in breadth-first rows, and where each subtree begins and ends when read from the top."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loomapp.core.tidy import Flags, Ints, firsts

MANY_LEVELS = 400  # from so many levels on card by card is faster: numpy has a price for every call


class Ranks(NamedTuple):
    """Rows breadth first: whose they are, the row of each one's parent, and where each level begins."""

    numbers: Ints
    parents: Ints
    starts: Ints


def rank(parents: Ints, shown: Flags) -> Ranks:
    """The rows of the cards that are shown and hang, over cards that are shown, on one without a parent.

    `parents` are numbers, -1 for none; siblings come in the order of their numbers.
    """
    chosen = np.flatnonzero(shown)
    above = parents[chosen]
    by_parent = chosen[np.argsort(above, kind="stable")]
    counts = np.bincount(above + 1, minlength=len(parents) + 1)
    first = np.cumsum(counts) - counts  # of number n's children in `by_parent` at n + 1
    ranks = _rank_by_level(by_parent, first, counts)
    return ranks if ranks is not None else _rank_by_card(by_parent, first, counts)


def _rank_by_level(by_parent: Ints, first: Ints, counts: Ints) -> Ranks | None:
    """None if there are too many levels."""
    level = by_parent[: counts[0]]
    numbers, parents, starts = [level], [np.full(len(level), -1, np.int64)], [0, len(level)]
    while len(level):
        if len(starts) > MANY_LEVELS:
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


def _ranks(numbers: Ints, parents: Ints, starts: list[int]) -> Ranks:
    return Ranks(numbers.astype(np.int32), parents.astype(np.int32), np.array(starts, np.int64))


def subtrees(parents: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """For each row its place when the tree is read card, then all below it, then the next; and the place
    after the last card below it.
    """
    if len(starts) > MANY_LEVELS:
        return _subtrees_by_card(parents)
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
        base = np.repeat(before[first], np.diff(np.r_[first, len(own)]))
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
