"""Backups of a grove: made whole or not at all, listed, restored, and thinned out, but never to none."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds
from loomapp.files import alone_in, begin_private
from loomapp.store import connections, soundness
from loomapp.store.connections import Access, connect
from loomapp.store.files.media import copy_media, media_folder
from loomapp.store.files.settings_file import read_settings
from loomapp.store.identity import now
from loomapp.store.opening.file_names import is_networked, is_writable
from loomapp.store.opening.look import look, refuse_reserved_name, refuse_wal_alone
from loomapp.store.opening.readers import reader

Stop: TypeAlias = Callable[[], bool]
Opened: TypeAlias = Callable[[], AbstractContextManager[sqlite3.Connection]]

ENDING = ".backups"
PAGES_AT_ONCE = 2000  # 8 MB, some hundredths of a second
_CHOSEN = re.compile(r"(?P<grove>.+)-[0-9a-f]{8}\.backups")  # of a grove, in a folder that was chosen
_NAME = re.compile(
    r"(?P<number>\d+)-(?P<moment>\d{8}T\d{9})Z(-(?P<reason>[a-z][a-z0-9-]*?))?(-(?P<damaged>\d+)-damaged)?\.loom"
)
_JOURNALS = ("-journal", "-wal", "-shm")
_MOMENT = "%Y%m%dT%H%M%S"


def backups_folder(path: Path) -> Path:
    """Return where the backups of a grove lie: beside it, or in a folder of its own in the one the user
    chose.
    """
    chosen = read_settings().settings.backup_folder
    if not chosen:
        return path.with_name(path.name + ENDING)
    place = str(path.absolute().parent).encode("utf-8", "surrogateescape")
    return Path(chosen).expanduser() / f"{path.name}-{hashlib.sha256(place).hexdigest()[:8]}{ENDING}"


def backups_of(path: Path) -> list[Backup]:
    """The backups of a grove, newest first; files of other names are nobody's business."""
    try:
        files = list(backups_folder(path).iterdir())
    except OSError:
        return []
    found = [backup for backup in map(_read_name, files) if backup is not None]
    return sorted(found, key=lambda backup: backup.number, reverse=True)


def back_up(
    path: Path,
    to: Path | None = None,
    *,
    reason: str = "",
    source: sqlite3.Connection | None = None,
    stop: Stop = lambda: False,
    progress: Progress = unheard,
) -> Backup:
    """Copy a grove, also while it is written, and make sure that the copy holds what it should.

    Without `to` it becomes the newest of the grove's backups, and those that have had their time go. `reason`
    is a word for its name, such as `closing`. `source` is a connection to read by, for a grove that nobody
    else can open. `stop` is asked again and again while it copies and proves, on this
    thread, and may take its time. A node that is not as its
    hash says is counted, not refused: it is all there is.

    `progress` counts pages, and knows of no end while the copy is proved.

    Raises: GroveError exists, damaged, full, readOnly, noBackup, cancelled and as `look` does; there is no
    copy then.
    """
    with connections.named(path):
        access = look(path).wanted_access if source is None else "query"
    opened = partial(_opened, path, access, source)
    folder = backups_folder(path) if to is None else to.absolute().parent
    _look_at_place(path, folder)
    try:
        folder.mkdir(mode=0o777 if to is not None else 0o700, parents=True, exist_ok=True)
        with alone_in(folder):
            if to is not None:
                return _make(path, to, 0, reason, _Copier(opened, stop, progress))
            for left in folder.glob("*.part*"):
                left.unlink()
            made = _make_numbered(path, folder, reason, _Copier(opened, stop))
            _thin_out(path)
            return made
    except OSError as error:
        where = folder if to is None else to
        text = worded(
            "{path} could not be backed up to {where} ({why}); make room or check permissions.",
            path=path,
            where=where,
            why=error.strerror,
        )
        raise GroveError("noBackup", text, path=str(path)) from error


def restore(backup: Path, to: Path, progress: Progress = unheard) -> Backup:
    """Make a new grove of a backup, with the media of the grove it was made of. The backup stays.

    Raises: GroveError exists if there is a file of that name, which is never written over, walAlone if there
    is the -wal of one; and as `back_up`.
    """
    return back_up(backup, to, progress=progress)


def _look_at_place(path: Path, folder: Path) -> None:
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if there.is_dir() and not is_writable(there):
        text = worded(
            "{there} is read-only, so {name} cannot be backed up there; choose another place.",
            there=there,
            name=path.name,
        )
        raise GroveError("readOnly", text, path=str(path))


def _make_numbered(path: Path, folder: Path, reason: str, copier: _Copier) -> Backup:
    number = max((backup.number for backup in backups_of(path)), default=0) + 1
    return _make(path, folder / _name(number, now(), reason, 0), number, reason, copier)


def _make(path: Path, to: Path, number: int, reason: str, copier: _Copier) -> Backup:
    refuse_reserved_name(to)
    refuse_wal_alone(to)
    if to.exists() or to.is_symlink():
        raise GroveError("exists", worded("{to} exists already; choose another name.", to=to), path=str(to))
    part = to.with_name(f".{to.name}.part")
    moment = now()
    try:
        with connections.named(to):
            copier.copy_to(part)
        copier.look()
        copier.progress(0, 0)
        damaged = _proved(path, part, copier.look)
        copier.progress(0, 0)
        if number:
            to = to.with_name(_name(number, moment, reason, damaged))
            if to.parent.name != path.name + ENDING and media_folder(path).is_dir():
                copy_media(path, _grove_of(to))
        elif media_folder(_grove_of(path)).is_dir():
            copy_media(_grove_of(path), to)
        _reach_the_disk(part)
        _publish(part, to)
        _reach_the_disk(to.parent)
        return Backup(to, number, moment, reason, to.stat().st_size, damaged)
    finally:
        with suppress(OSError):
            for ending in ("", *_JOURNALS):
                part.with_name(part.name + ending).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Copier:
    """A copier that goes on, a part at a time, until it is told to stop."""

    opened: Opened
    stop: Stop
    progress: Progress = unheard

    def copy_to(self, part: Path) -> None:
        for ending in ("", *_JOURNALS):
            part.with_name(part.name + ending).unlink(missing_ok=True)
        begin_private(part)
        # Held while it copies and no longer: proving may be slow, and a window that closes meanwhile could
        # not bring everything into its one file.
        with closing(connect(part, create=True)) as copy, self.opened() as source, _snapshot(source):
            source.backup(copy, pages=PAGES_AT_ONCE, progress=self._check)
            # As a new grove has it; closed, it is one file, to be moved and copied by hand.
            copy.execute(f"PRAGMA journal_mode={'DELETE' if is_networked(part) else 'WAL'}")

    def look(self) -> None:
        """Raises: GroveError cancelled if it is not wanted any more."""
        if self.stop():
            raise GroveError("cancelled", "The backup was stopped; there is no copy.")

    def _check(self, _status: int, left: int, of: int) -> None:
        self.look()
        self.progress(of - left, of)


@contextmanager
def _opened(path: Path, access: Access, given: sqlite3.Connection | None) -> Iterator[sqlite3.Connection]:
    """The given connection to the grove that is backed up, or one of its own."""
    if given is not None:
        yield given
        return
    with ExitStack() as stack:
        with connections.named(path):
            source = stack.enter_context(reader(path, access))
        yield source


@contextmanager
def _snapshot(source: sqlite3.Connection) -> Iterator[None]:
    """Reads what the file holds now: else the copy begins anew whenever somebody writes between two parts."""
    if source.in_transaction:
        yield
        return
    source.execute("BEGIN")
    try:
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        yield
    finally:
        source.execute("ROLLBACK")


def _proved(path: Path, part: Path, between: Callable[[], None]) -> int:
    """Return how many nodes are not as their hashes say. Raises: GroveError damaged if SQLite cannot
    read it.
    """
    with connections.named(part):
        if soundness.is_broken(part):
            text = worded(
                "{path} is damaged and cannot be backed up; let `loomapp check` look at it.", path=path
            )
            raise GroveError("damaged", text, path=str(path))
        return soundness.count_failing(part, between)


def _publish(part: Path, to: Path) -> None:
    """Give the finished copy its name; what has that name already stays."""
    try:
        try:
            to.hardlink_to(part)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: the name is taken first
            begin_private(to)
            part.replace(to)
    except FileExistsError as error:
        raise GroveError(
            "exists", worded("{to} exists already; choose another name.", to=to), path=str(to)
        ) from error


def _reach_the_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _thin_out(path: Path) -> None:
    cap = read_settings().settings.backup_cap_gb * 1024**3
    for backup in expired(backups_of(path), now(), size_cap=cap):
        backup.path.unlink(missing_ok=True)


def _grove_of(path: Path) -> Path:
    """The grove whose media belong to a file: for a backup, the one that it was made of, or the copy of its
    media in a folder that the user chose.
    """
    folder = path.absolute().parent
    if not folder.name.endswith(ENDING) or not _NAME.fullmatch(path.name):
        return path
    beside = folder.with_name(folder.name.removesuffix(ENDING))
    chosen = _CHOSEN.fullmatch(folder.name)
    return folder / chosen["grove"] if chosen and not beside.exists() else beside


# Names: a number that rises, the moment, why, and how much was damaged.


def _name(number: int, at: Milliseconds, reason: str, damaged: int) -> str:
    seconds, rest = divmod(at, 1000)
    moment = f"{datetime.fromtimestamp(seconds, UTC):{_MOMENT}}{rest:03d}Z"
    parts = [
        f"{number:05d}",
        moment,
        *([reason] if reason else []),
        *([f"{damaged}-damaged"] if damaged else []),
    ]
    return "-".join(parts) + ".loom"


def _read_name(file: Path) -> Backup | None:
    found = _NAME.fullmatch(file.name)
    if found is None:
        return None
    try:
        seconds = datetime.strptime(found["moment"][:-3], _MOMENT).replace(tzinfo=UTC).timestamp()
        size = file.stat().st_size
    except (ValueError, OSError):
        return None
    moment = round(seconds) * 1000 + int(found["moment"][-3:])
    return Backup(file, int(found["number"]), moment, found["reason"] or "", size, int(found["damaged"] or 0))


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
