"""Retention of a grove's backups: all of today's, then fewer and fewer, and never none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, tzinfo
from itertools import islice
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.times import Milliseconds

OF_TODAY, OF_DAYS, OF_WEEKS, OF_MONTHS = 12, 7, 4, 12
NEWEST = 2  # stay whatever their size
SIZE_CAP_BYTES = 4 * 1024**3
BEFORE_VERSION = "before-version"  # how the reason of a backup begins that an update made
TAKEN_AWAY = "taken-away"  # of one that was made because the file or its -wal was taken away while open
OF_TAKEN_AWAY = 12  # of these: one may be all that there is of a grove


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file. `number` rises with each one; `damaged`: nodes that are not as their hash says."""

    path: Path
    number: int
    made_at: Milliseconds
    reason: str = ""
    size: int = 0
    damaged: int = 0


def expired(
    backups: Iterable[Backup],
    now: Milliseconds,
    *,
    zone: tzinfo | None = None,
    size_cap: int = SIZE_CAP_BYTES,
) -> list[Backup]:
    """The backups that may go, oldest first.

    Newer and older is by number, never by time: a clock that was wrong for a while neither throws away what
    was made meanwhile nor keeps it forever. What claims to be from tomorrow counts as of today. Days are
    those of `zone`, None for the computer's own.
    """
    newest_first = sorted(backups, key=lambda backup: backup.number, reverse=True)
    precious = {*_precious(newest_first)}
    kept = precious | {*_by_calendar(newest_first, now, zone)}
    size = sum(backup.size for backup in kept)
    for backup in reversed(newest_first):
        if backup in kept - precious and size > size_cap:
            kept.remove(backup)
            size -= backup.size
    return [backup for backup in reversed(newest_first) if backup not in kept]


def _precious(newest_first: Sequence[Backup]) -> Iterator[Backup]:
    """Return what stays even if it takes more room than there should be."""
    yield from newest_first[:NEWEST]
    # Of several with least damage, min takes the first: the newest.
    yield from islice(sorted(newest_first, key=lambda backup: backup.damaged), 1)
    yield from islice((b for b in newest_first if b.reason.startswith(BEFORE_VERSION)), 1)
    yield from islice((b for b in newest_first if b.reason == TAKEN_AWAY), OF_TAKEN_AWAY)


def _by_calendar(newest_first: Sequence[Backup], now: Milliseconds, zone: tzinfo | None) -> Iterator[Backup]:
    def day(moment: Milliseconds) -> date:
        return datetime.fromtimestamp(moment / 1000, UTC).astimezone(zone).date()

    days = {backup: day(backup.made_at) for backup in newest_first}
    yield from islice((b for b in newest_first if days[b] >= day(now)), OF_TODAY)
    yield from _first_of_each(newest_first, lambda b: days[b], OF_DAYS)
    yield from _first_of_each(newest_first, lambda b: days[b].isocalendar()[:2], OF_WEEKS)
    yield from _first_of_each(newest_first, lambda b: (days[b].year, days[b].month), OF_MONTHS)


def _first_of_each(
    newest_first: Sequence[Backup], period: Callable[[Backup], object], count: int
) -> Iterator[Backup]:
    """The newest backup of each of the last periods that have one."""
    newest: dict[object, Backup] = {}
    for backup in newest_first:
        newest.setdefault(period(backup), backup)
    yield from islice(newest.values(), count)
