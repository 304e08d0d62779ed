"""Moments in milliseconds since 1970, and their text in ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias

Milliseconds: TypeAlias = int  # since 1970-01-01T00:00Z

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE_MS = 60_000
_MILLISECOND = timedelta(milliseconds=1)
# Looked up: a hash of every node has a time in it.
_SECONDS = tuple(f"{number:02d}." for number in range(60))
_THOUSANDTHS = tuple(f"{number:03d}Z" for number in range(1000))


def iso_time(at: Milliseconds) -> str:
    """ISO 8601 in UTC with milliseconds: `2026-11-21T12:00:00.000Z`."""
    minutes, ms = divmod(at, MINUTE_MS)
    return _minute(minutes) + _SECONDS[ms // 1000] + _THOUSANDTHS[ms % 1000]


@lru_cache(maxsize=1024)
def _minute(minutes: int) -> str:
    moment = (EPOCH + timedelta(minutes=minutes)).replace(tzinfo=None)
    return moment.isoformat(timespec="minutes") + ":"


@lru_cache(maxsize=1024)
def minute_words(minutes: int) -> str:
    """A minute since the epoch for people to read, in UTC: `2026-11-21 12:00`."""
    return _minute(minutes).replace("T", " ")[:-1]


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
