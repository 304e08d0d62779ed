"""Tidy trees: where each subtree goes beside its siblings, by card, by level or by runs without a fork.

Both ways join the outlines of a family's subtrees two by two, then the pairs two by two, and so on, and give
the same result. Card by card suits deep trees, level by level wide ones: numpy has a price for every call.

Source: after the contours of E. M. Reingold and J. S. Tilford, "Tidier Drawings of Trees", 1981.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loomapp.core.dataclass import dataclass
from loomapp.core.layout.cards import Flags, Floats, Ints

WIDE = 60  # cards a level, from which on whole levels are faster


def tidy(parents: Ints, starts: Ints, heights: Floats, counts: Flags, gap: float) -> Floats:
    """The middle of each row, for rows as in `layout.Layout`.

    A parent stands in the middle between the first and the last child that `counts`.
    """
    if len(parents) >= WIDE * (len(starts) - 1):
        return tidy_by_level(parents, starts, heights, counts, gap)
    found = runs(parents, alone_in_rows(parents))
    if found.are_long:
        return tidy_by_run(found, parents, heights, counts, gap)
    return tidy_by_card(parents, heights, counts, gap)


# Card by card.


class _Outline:
    """The upper and lower outline of a subtree, a pair a level, deepest level first.

    Stored values plus `shift` are relative to the middle of the subtree's root.
    """

    __slots__ = ("lower", "shift", "upper")

    def __init__(self) -> None:
        self.upper: list[float] = []
        self.lower: list[float] = []
        self.shift = 0.0

    def join(self, below: _Outline, gap: float) -> tuple[_Outline, float]:
        """This outline and another one pushed under it, and how far that one had to move.

        Takes as many steps as the shorter of the two is deep, so a whole tree takes one a card.
        """
        apart = self.shift - below.shift + gap
        levels = range(-1, -min(len(self.upper), len(below.upper)) - 1, -1)
        lower, upper = self.lower, below.upper
        move = max([lower[i] - upper[i] for i in levels]) + apart
        change = below.shift + move - self.shift
        if len(self.upper) >= len(below.upper):
            for i in levels:
                lower[i] = below.lower[i] + change
            return self, move
        for i in levels:
            upper[i] = self.upper[i] - change
        below.shift += move
        return below, move

    def crown(self, middle: float, height: float) -> None:
        """Put a root in front, its middle where `middle` was."""
        self.shift -= middle
        self.upper.append(-height / 2 - self.shift)
        self.lower.append(height / 2 - self.shift)

    def lead(self, heights: Floats) -> None:
        """Put cards in front, the last of `heights` first, all in the middle of the root."""
        self.upper += (-heights / 2 - self.shift).tolist()
        self.lower += (heights / 2 - self.shift).tolist()


def tidy_by_card(parents: Ints, heights: Floats, counts: Flags, gap: float) -> Floats:
    above, tall, counted = parents.tolist(), heights.tolist(), counts.tolist()
    outlines: list[_Outline | None] = [None] * len(above)
    offsets = [0.0] * len(above)  # from the parent's middle
    end = len(above)
    for row in range(len(above) - 1, -2, -1):
        first = end
        while first > 0 and above[first - 1] == row:
            first -= 1
        outline, middle = _join_family(outlines, offsets, counted, range(first, end), gap)
        end = first
        if row >= 0:
            outline.crown(middle, tall[row])
            outlines[row] = outline
    for row, parent in enumerate(above):
        if parent >= 0:
            offsets[row] += offsets[parent]
    return np.array(offsets, dtype=np.float64)


def tidy_by_run(found: Runs, parents: Ints, heights: Floats, counts: Flags, gap: float) -> Floats:
    """See `tidy`. Of a run only the first card has a place of its own; the others stand right behind it."""
    outlines: list[_Outline | None] = [None] * len(parents)
    offsets = [0.0] * len(parents)
    counted = counts.tolist()
    ends = np.cumsum(found.lengths)
    tall = np.empty(len(parents))  # upwards, run by run
    tall[ends[found.numbers] - 1 - found.steps] = heights
    below = np.searchsorted(parents, found.lasts), np.searchsorted(parents, found.lasts, side="right")
    each = (found.firsts, ends - found.lengths, ends, *below)
    for head, begin, end, first, until in zip(*(values[::-1].tolist() for values in each), strict=True):
        outline, middle = _join_family(outlines, offsets, counted, range(first, until), gap)
        outline.crown(middle, float(tall[begin]))
        outline.lead(tall[begin + 1 : end])
        outlines[head] = outline
    roots = int(np.searchsorted(parents, 0))
    _join_family(outlines, offsets, counted, range(roots), gap)
    firsts = found.firsts.tolist()
    middles = [offsets[head] for head in firsts]
    for run, host in enumerate(found.numbers[parents[found.firsts[roots:]]].tolist(), roots):
        middles[run] += middles[host]
    result: Floats = np.array(middles, dtype=np.float64)[found.numbers]
    return result


def _join_family(
    outlines: list[_Outline | None], offsets: list[float], counted: list[bool], family: range, gap: float
) -> tuple[_Outline, float]:
    """Join the outlines of a family's subtrees; return it, and where their parent's middle is in it."""
    groups: list[tuple[_Outline, range]] = []
    for row in family:
        own = outlines[row]
        outlines[row] = None
        assert own is not None, "children come after their parents"
        groups.append((own, range(row, row + 1)))
    while len(groups) > 1:
        joined = []
        for (upper, above), (lower, below) in zip(groups[::2], groups[1::2], strict=False):
            outline, move = upper.join(lower, gap)
            for row in below:
                offsets[row] += move
            joined.append((outline, range(above.start, below.stop)))
        groups = joined + groups[len(joined) * 2 :]
    if not groups:
        return _Outline(), 0.0
    marks = [offsets[row] for row in family if counted[row]]
    middle = (marks[0] + marks[-1]) / 2 if marks else 0.0
    for row in family:
        offsets[row] -= middle
    return groups[0][0], middle


# Level by level. All outlines live in two arrays of cells; a subtree with its first deepest child, with that
# one's first deepest child, … share one run of cells.


@dataclass(frozen=True, slots=True)
class _Field:
    """Working arrays of the layout, by row; `upper` and `lower` by cell."""

    parents: Ints
    counts: Flags
    depths: Ints
    cells: Ints
    shifts: Floats  # of each subtree's outline, to its root's middle
    offsets: Floats  # from the parent's middle
    upper: Floats
    lower: Floats


def tidy_by_level(parents: Ints, starts: Ints, heights: Floats, counts: Flags, gap: float) -> Floats:
    levels = [slice(first, end) for first, end in pairwise(starts.tolist())]
    depths = _depths(parents, levels)
    cells, size = _cells(parents, levels, depths)
    rows = len(parents)
    field = _Field(
        parents, counts, depths, cells, np.zeros(rows), np.zeros(rows), np.empty(size), np.empty(size)
    )
    for level in reversed(levels):  # what hangs below it is joined by now
        field.upper[cells[level]] = -heights[level] / 2 - field.shifts[level]
        field.lower[cells[level]] = heights[level] / 2 - field.shifts[level]
        above, shifts = _join_level(field, level, gap)
        if level.start:
            field.shifts[above] = shifts
    for level in levels[1:]:
        field.offsets[level] += field.offsets[parents[level]]
    return field.offsets


def firsts(families: Ints) -> Ints:
    """Find the beginning of each run of equal values."""
    begins = np.ones(len(families), bool)  # not by np.r_, whose price shows with every level
    np.not_equal(families[1:], families[:-1], out=begins[1:])
    return begins.nonzero()[0]


def spans(first: Ints, end: int) -> Ints:
    """Measure the stretches that begin at `first`, up to an end."""
    result = np.full(len(first), end, np.int64)
    result[:-1] = first[1:]
    result -= first
    return result


def _depths(parents: Ints, levels: list[slice]) -> Ints:
    depths = np.ones(len(parents), np.int64)
    for level in reversed(levels[1:]):
        first = firsts(parents[level])
        depths[parents[level][first]] = np.maximum.reduceat(depths[level], first) + 1
    return depths


def _cells(parents: Ints, levels: list[slice], depths: Ints) -> tuple[Ints, int]:
    """The cell of each root's own level, the deeper levels following it, and how many cells there are."""
    cells = np.zeros(len(parents), np.int64)
    size = 0
    for number, level in enumerate(levels):
        own = depths[level]
        heir = np.zeros(len(own), bool)
        if number:
            above = parents[level]
            places = np.where(own == depths[above] - 1, np.arange(len(own)), len(own))
            heirs = np.minimum.reduceat(places, firsts(above))
            heir[heirs] = True
            cells[level][heirs] = cells[above[heirs]] + 1
        others = (~heir).nonzero()[0]
        sizes = own[others]
        ends = sizes.cumsum()
        cells[level][others] = size + ends - sizes
        size += int(ends[-1]) if len(ends) else 0
    return cells, size


def _join_level(field: _Field, level: slice, gap: float) -> tuple[Ints, Floats]:
    """Join the families of a level; returns their parents and the shifts of the outlines to their middles.

    A group is a stretch of siblings that are joined: `cell`, `deep` and `shift` of its outline, siblings
    from `start` to before `until`, `of` which family.
    """
    family = field.parents[level]
    first = firsts(family)
    sizes = spans(first, len(family))
    cell, deep, shift = field.cells[level].copy(), field.depths[level].copy(), field.shifts[level].copy()
    start, until = np.arange(len(family)), np.arange(1, len(family) + 1)
    position = np.zeros(len(family))
    of = np.arange(len(first)).repeat(sizes)
    while len(of) > len(first):
        begins = firsts(of)
        number = np.arange(len(of)) - begins.repeat(spans(begins, len(of)))
        right = (number & 1).astype(bool)
        b = right.nonzero()[0]
        a = b - 1
        deep_a, deep_b, shift_a, shift_b = deep[a], deep[b], shift[a], shift[b]
        taller = deep_a >= deep_b
        pairs = _Pairs(cell[a], cell[b], np.minimum(deep_a, deep_b), taller)
        move = _join_pairs(field, pairs, shift_a, shift_b, gap)
        members = until[b] - start[b]
        ends = members.cumsum()
        rows = (start[b] - (ends - members)).repeat(members) + np.arange(ends[-1])
        position[rows] += move.repeat(members)
        cell[a] = np.where(taller, pairs.left, pairs.right)
        shift[a] = np.where(taller, shift_a, shift_b + move)
        deep[a], until[a] = np.maximum(deep_a, deep_b), until[b]
        left = (~right).nonzero()[0]
        cell, deep, shift = cell[left], deep[left], shift[left]
        of, start, until = of[left], start[left], until[left]
    middles = _middles(position, field.counts[level], first)
    field.offsets[level] = position - middles.repeat(sizes)
    return family[first], shift - middles


class _Pairs(NamedTuple):
    """Outlines to join two by two: their cells, how many levels both have, and whether the left one has no
    fewer than the right.
    """

    left: Ints
    right: Ints
    shared: Ints
    taller: Flags


def _join_pairs(field: _Field, pairs: _Pairs, shift_a: Floats, shift_b: Floats, gap: float) -> Floats:
    """Write the common outline of each pair into the cells of the one with more levels; returns how far each
    right one has to move.
    """
    upper, lower, shared = field.upper, field.lower, pairs.shared
    ends = shared.cumsum()
    at = ends - shared
    down = np.arange(ends[-1])
    cell_a, cell_b = (pairs.left - at).repeat(shared) + down, (pairs.right - at).repeat(shared) + down
    low = lower[cell_a]
    move = np.maximum.reduceat(low - upper[cell_b], at) + (shift_a - shift_b + gap)
    change = (shift_b + move - shift_a).repeat(shared)
    taller = pairs.taller.repeat(shared)
    kept, given = taller.nonzero()[0], (~taller).nonzero()[0]
    lower[cell_a[kept]] = lower[cell_b[kept]] + change[kept]
    upper[cell_b[given]] = upper[cell_a[given]] - change[given]
    return move


def _middles(position: Floats, counts: Flags, first: Ints) -> Floats:
    """Return the middles between the first and last of each family that counts; 0 where none does."""
    size = len(position)
    earliest = np.minimum.reduceat(np.where(counts, np.arange(size), size), first)
    latest = np.maximum.reduceat(np.where(counts, np.arange(size), -1), first)
    some = latest >= 0
    result = np.zeros(len(first))
    result[some] = (position[earliest[some]] + position[latest[some]]) / 2
    return result


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
