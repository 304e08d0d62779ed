"""Families of cases of which an ordinary run takes some: the others are marked `slow`, so none is lost."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import pytest
from _pytest.mark import ParameterSet


def one_in(every: int, cases: Iterable[object], first: int = 0) -> list[ParameterSet]:
    """The cases, tuples of several values too, all but each so-manieth from a first one on marked `slow`."""
    return [
        _case(case) if number % every == first else _slow(_case(case)) for number, case in enumerate(cases)
    ]


def _case(case: object) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return case
    return pytest.param(*(case if isinstance(case, tuple) else (case,)))


def _slow(case: ParameterSet) -> ParameterSet:
    return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)


def each_once(first: Iterable[object], second: Iterable[object]) -> list[ParameterSet]:
    """All pairs, those marked `slow` without which each of either side still comes once at least."""
    ones, others = list(first), list(second)
    count = max(len(ones), len(others))
    kept = {(ones[number % len(ones)], others[number % len(others)]) for number in range(count)}
    return [
        pytest.param(one, other, marks=() if (one, other) in kept else pytest.mark.slow)
        for one, other in product(ones, others)
    ]
