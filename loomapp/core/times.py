"""Moments in milliseconds since 1970, and their text in ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias

Milliseconds: TypeAlias = int  # since 1970-01-01T00:00Z

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS = 86_400_000
_MILLISECOND = timedelta(milliseconds=1)
_TWO = tuple(f"{number:02d}" for number in range(60))  # looked up: a hash of every node has a time in it


def iso_time(at: Milliseconds) -> str:
    """ISO 8601 in UTC with milliseconds: `2026-11-21T12:00:00.000Z`."""
    days, ms = divmod(at, _DAY_MS)
    seconds = ms // 1000
    clock = f"{_TWO[seconds // 3600]}:{_TWO[seconds // 60 % 60]}:{_TWO[seconds % 60]}"
    return f"{_day(days)}T{clock}.{ms % 1000:03d}Z"


@lru_cache(maxsize=1024)
def _day(days: int) -> str:
    return (EPOCH + timedelta(days=days)).date().isoformat()


def parse_time(text: str) -> Milliseconds:
    """Milliseconds since the epoch of an ISO 8601 time; without a zone it is UTC.

    Raises: ValueError, OverflowError past the calendar.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    elif moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return (moment - EPOCH) // _MILLISECOND
