"""Families of cases of which an ordinary run takes some: the others are marked `slow`, so none is lost."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import pytest
from _pytest.mark import ParameterSet


def one_in(every: int, cases: Iterable[object]) -> list[ParameterSet]:
    """The cases, tuples of several values too, all but each so-manieth marked `slow`."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if number % every == 0 else pytest.mark.slow,
        )
        for number, case in enumerate(cases)
    ]


def each_once(first: Iterable[object], second: Iterable[object]) -> list[ParameterSet]:
    """All pairs, those marked `slow` without which each of either side still comes once at least."""
    ones, others = list(first), list(second)
    count = max(len(ones), len(others))
    kept = {(ones[number % len(ones)], others[number % len(others)]) for number in range(count)}
    return [
        pytest.param(one, other, marks=() if (one, other) in kept else pytest.mark.slow)
        for one, other in product(ones, others)
    ]
