"""Order of rows in a file against that in which the change log told of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

H = TypeVar("H")
S = TypeVar("S")
_NOTHING = None, None


def in_step(here: Mapping[str, H], said: Mapping[str, S]) -> Iterator[tuple[str, H, S | None]]:
    """Each of these rows with what was said of it, None if nothing was. Both nearly always come in the same
    order: what is next is looked at, and hardly anything looked up.
    """
    coming = iter(said.items())
    name, word = next(coming, _NOTHING)
    for key, row in here.items():
        while name != key and name is not None and name not in here:
            name, word = next(coming, _NOTHING)
        if name == key:
            yield key, row, word
            name, word = next(coming, _NOTHING)
        else:
            yield key, row, said.get(key)


def is_as_said(here: Iterable[str], said: Mapping[str, object]) -> bool:
    """Tell whether the rows here are those that were said to be there, in that order."""
    return list(here) == [key for key, state in said.items() if state is not None]


def out_of_place(here: Sequence[str], said: Iterable[str]) -> list[str]:
    """The fewest ids that must have moved if `here` is to come in the order of `said`."""
    place = {name: i for i, name in enumerate(said)}
    known = [name for name in here if name in place]
    if all(place[a] < place[b] for a, b in pairwise(known)):
        return []
    kept = _longest_rise([place[name] for name in known])
    return [name for name in known if place[name] not in kept]


def _longest_rise(numbers: Sequence[int]) -> set[int]:
    """The numbers of a longest rising row within a row of different numbers."""
    lowest_end: list[int] = []  # the lowest number that ends a rising row of each length
    before: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(lowest_end, number)
        before[number] = lowest_end[length - 1] if length else None
        lowest_end[length : length + 1] = [number]
    rise: set[int] = set()
    number_or_none: int | None = lowest_end[-1] if lowest_end else None
    while number_or_none is not None:
        rise.add(number_or_none)
        number_or_none = before[number_or_none]
    return rise
