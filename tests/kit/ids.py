"""Ids for trees made by tests."""

from __future__ import annotations

from collections.abc import Callable


def counted_ids() -> Callable[[], str]:
    """A maker of ids: made1, made2, …"""
    numbers = iter(range(1, 1_000_000))
    return lambda: f"made{next(numbers)}"
