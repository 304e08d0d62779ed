"""Runs: cards that follow one another without a fork, taken as one: deep trees are laid out by forks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from loomapp.core.layout.arrays import Flags, Ints

LONG = 2  # cards a run on average, from which on it is worth looking at runs


class Runs(NamedTuple):
    """Of each card the number of its run, and how many steps below the first one it is; of the runs, by their
    first cards ascending: these, their last cards, and how many cards they have.
    """

    numbers: Ints
    steps: Ints
    firsts: Ints
    lasts: Ints
    lengths: Ints

    @property
    def are_long(self) -> bool:
        return len(self.numbers) >= LONG * len(self.firsts)

    @property
    def longest(self) -> int:
        return int(self.lengths.max(initial=0))


def runs(parents: Ints, alone: Flags) -> Runs:
    """The runs of cards of which those that are `alone` are their parent's only ones.

    `parents` are places in the same array, -1 for none. Who stands right behind its parent is found at once;
    of the others each look goes twice as far up as the one before.
    """
    places = np.arange(len(parents))
    heads = np.maximum.accumulate(np.where(alone & (parents == places - 1), 0, places))
    steps = places - heads
    apart = alone & (heads == places)
    heads[apart], steps[apart] = parents[apart], 1
    while not np.array_equal(above := heads[heads], heads):
        steps += steps[heads]
        heads = above
    counts = np.bincount(heads, minlength=len(parents))
    lasts = np.empty(len(parents), np.int64)
    ends = np.flatnonzero(steps == counts[heads] - 1)
    lasts[heads[ends]] = ends
    firsts = np.flatnonzero(~alone)
    return Runs((np.cumsum(~alone) - 1)[heads], steps, firsts, lasts[firsts], counts[firsts])


def alone_in_rows(parents: Ints) -> Flags:
    """Flag the rows that are their parent's only ones, where parents never descend."""
    differs = np.r_[True, parents[1:] != parents[:-1], True]
    result: Flags = differs[:-1] & differs[1:] & (parents >= 0)
    return result
