"""Beginnings and ends that two long sequences have in common, compared slice by slice."""

from __future__ import annotations

from collections.abc import Sequence

SLICE = 4_096  # elements that are compared at once


def common_length(a: Sequence[object], b: Sequence[object], known: int = 0) -> int:
    """Count the elements that two sequences have in common at their beginning, where so many are known."""
    high = min(len(a), len(b))
    if a is b or (not known and len(a) == len(b) and a == b):  # which is seen without copying anything
        return high
    # Small slices stay in the processor's cache; a copy of a long path does not.
    low = next((n for n in range(known, high, SLICE) if a[n : n + SLICE] != b[n : n + SLICE]), high)
    places = range(low, min(low + SLICE, high))  # nodes are mostly the same ones: no need to look into them
    return next((n for n in places if a[n] is not b[n] and a[n] != b[n]), high)


def common_end(a: Sequence[object], b: Sequence[object], most: int) -> int:
    """Count the elements that two sequences have in common at their end, up to so many."""
    high = min(len(a), len(b), most)
    same = 0
    while same < high:
        size = min(SLICE, high - same)
        one, other = _before_end(a, same, size), _before_end(b, same, size)
        if one != other:
            pairs = zip(reversed(one), reversed(other), strict=True)
            return same + next(n for n, (x, y) in enumerate(pairs) if x is not y and x != y)
        same += size
    return high


def _before_end(a: Sequence[object], skipped: int, size: int) -> Sequence[object]:
    return a[len(a) - skipped - size : len(a) - skipped]
