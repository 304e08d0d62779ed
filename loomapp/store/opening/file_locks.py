"""The locks on an open grove, held a second time, and whether its files and their content are still its.

SQLite keeps two locks as long as a connection is open: one on the grove, so that no other program takes
itself for the last user, and one on the -shm, so that none empties it. Both can be lost by a glance of any
library of this process at these files (see `open_files`), and SQLite does not notice. Here they are held by
descriptors of our own: on Linux by locks that belong to the descriptor and that nothing else in the process
can give up, and on every POSIX system by taking SQLite's own again.

Such a program leaves the file its name and number, so only the bytes tell. SQLite itself writes to the file
only when it brings the -wal home, and counts that in the -shm first: a file that is another one while the
count is the same was written over, as by `cp backup.loom grove.loom`.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple, TypeAlias

from loomapp.files import beside, close_after, identity_of

Range: TypeAlias = tuple[int, int]  # start and length

SHARED: Range = (0x40000002, 510)  # in the grove. Source: SHARED_FIRST, SHARED_SIZE in SQLite's os.h
IN_USE: Range = (128, 1)  # in the -shm. Source: UNIX_SHM_DMS in SQLite's os_unix.c
_LOCK = "hhqqi"  # type, whence, start, length, process. Source: struct flock in fcntl(2)
_LONGEST_PATH = 1024  # Source: F_GETPATH in fcntl(2) of macOS
_COUNTS = struct.Struct("=16xI76xI")  # frames written, and brought home. Source: walformat.html, 2.1

ASIDE = "-kept"  # after the name of a -wal that belongs to nothing any more

_log = logging.getLogger(__name__)


class Whereabouts(Enum):
    """The place of the files that an open grove is written to."""

    IN_PLACE = auto()
    WAL_GONE = auto()  # the -wal in the folder is another one, or none
    GONE = auto()  # no file has the grove's name
    REPLACED = auto()  # another file has it
    OVERWRITTEN = auto()  # it is the same file, and holds what another program wrote there


class FileLocks:
    """Made when SQLite has the grove open, released before it closes it. The descriptors stay open as long as
    any connection of this process to the grove does: closing one would lose what it guards.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._wal = path, beside(path, "-wal")
        self.identity, self._wal_identity = identity_of(path), identity_of(self._wal)
        self._memory = beside(path, "-shm")
        self._memory_identity = identity_of(self._memory)
        self._descriptors: list[int] = []
        self._held: list[tuple[int, Range]] = []  # a descriptor, and what it holds
        self._content: FileContent | None = None
        if self._wal_identity is not None:  # without one SQLite has no lasting locks
            with contextlib.suppress(OSError):
                self._begin()

    def _begin(self) -> None:
        for file, where in ((self._path, SHARED), (self._memory, IN_USE)):
            descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            self._descriptors.append(descriptor)
            if not _is_free(descriptor, where):
                self._held.append((descriptor, where))
                _take(descriptor, where)
        if sys.platform != "win32":
            self._content = FileContent(*self._descriptors)

    def take(self) -> None:
        """Take the locks again if they are gone; nothing waits. Locks that are there stay."""
        if any(_is_free(descriptor, where) for descriptor, where in self._held):
            _log.warning("the locks on %s were gone and are taken again", self._path)
        for descriptor, where in self._held:
            _take(descriptor, where)

    def whereabouts(self) -> Whereabouts:
        """Compare what SQLite has open with what is in the folder."""
        there = identity_of(self._path)
        if self.identity is None or there is None:
            return Whereabouts.GONE
        if there != self.identity:
            return Whereabouts.REPLACED
        content = self._content
        if content is not None and content.was_other:
            return Whereabouts.OVERWRITTEN
        if self._wal_identity is not None and identity_of(self._wal) != self._wal_identity:
            return Whereabouts.WAL_GONE
        with contextlib.suppress(OSError):
            if content is not None and content.is_other():
                return Whereabouts.OVERWRITTEN
        return Whereabouts.IN_PLACE

    def has_all_in_grove(self) -> bool:
        """Tell whether everything that was written to the -wal has been brought into the grove."""
        if len(self._descriptors) < 2 or sys.platform == "win32":
            return False
        head = os.pread(self._descriptors[1], _COUNTS.size, 0)
        if len(head) < _COUNTS.size:
            return False
        written, brought = _COUNTS.unpack(head)
        return bool(written == brought)

    def own_files_beside(self) -> Iterator[Path]:
        """List the -wal that is written and its -shm, as far as they are still in the folder: whoever opens
        another file by the grove's name would take them for that file's own.
        """
        for file, own in ((self._wal, self._wal_identity), (self._memory, self._memory_identity)):
            if own is not None and identity_of(file) == own:
                yield file

    def set_wal_aside(self) -> Path | None:
        """Take the -wal that is written, and its -shm, from beside the grove's name and keep what was saved
        in it under another name; None if it is gone already. It stays open.
        """
        aside = None
        for file in self.own_files_beside():
            with contextlib.suppress(OSError):
                if file == self._wal and file.stat().st_size:
                    aside = file.with_name(f"{file.name}{ASIDE}")
                    file.replace(aside)
                else:
                    file.unlink()
        return aside

    def moved_to(self) -> Path | None:
        """Return where the grove that is open lies by now; None if it was deleted, or the system does not
        say.
        """
        place = _place_of(self._descriptors[0]) if self._descriptors else None
        is_it = place is not None and place != self._path and identity_of(place) == self.identity
        return place if is_it else None

    def may_end_wal(self) -> bool:
        """Tell whether SQLite may bring the -wal into the file and delete it, which it does by its name. A
        grove that was moved takes what is in it along.
        """
        where = self.whereabouts()
        return where is Whereabouts.IN_PLACE or (
            where is Whereabouts.GONE and self._wal in self.own_files_beside()
        )

    def release(self) -> None:
        """Let SQLite close the grove as its last user, if it is that."""
        for descriptor, where in self._held:
            _let_go(descriptor, where)

    def close(self) -> None:
        """Close the descriptors, once the last connection of this process to the grove is closed."""
        if self.identity is not None:
            close_after(self.identity, self._descriptors)
        self._descriptors, self._held, self._content = [], [], None


def _place_of(descriptor: int) -> Path | None:
    """Return the path of an open file as the system tells it."""
    with contextlib.suppress(OSError):
        if sys.platform == "linux":
            return Path(f"/proc/self/fd/{descriptor}").readlink()
        if sys.platform == "darwin":
            import fcntl

            room = bytes(_LONGEST_PATH)
            return Path(os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, room).partition(b"\0")[0]))
    return None


def _take(descriptor: int, where: Range) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    start, length = where
    # Somebody may be closing the grove as its last user right now, and lets nobody in for a moment.
    with contextlib.suppress(OSError):
        _ask_linux(descriptor, "F_OFD_SETLK", fcntl.F_RDLCK, where)
    with contextlib.suppress(OSError):
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB, length, start)


def _let_go(descriptor: int, where: Range) -> None:
    """Give up our own; SQLite's it gives up itself."""
    if sys.platform != "win32":
        import fcntl

        with contextlib.suppress(OSError):
            _ask_linux(descriptor, "F_OFD_SETLK", fcntl.F_UNLCK, where)


def _is_free(descriptor: int, where: Range) -> bool:
    """Tell whether nobody at all has a lock there but this descriptor; False where that can't be asked."""
    if sys.platform == "win32":
        return False
    import fcntl

    with contextlib.suppress(OSError):
        answer = _ask_linux(descriptor, "F_OFD_GETLK", fcntl.F_WRLCK, where)
        return answer is not None and answer == fcntl.F_UNLCK
    return False


def _ask_linux(descriptor: int, command: str, kind: int, where: Range) -> int | None:
    """Run a command on locks that belong to a descriptor; the kind in the answer, None where there are none.

    Raises: OSError.
    """
    if sys.platform != "linux":
        return None
    import fcntl

    number: int | None = getattr(fcntl, command, None)
    if number is None:
        return None
    asked = struct.pack(_LOCK, kind, os.SEEK_SET, *where, 0)
    answer = fcntl.fcntl(descriptor, number, asked)
    return int(struct.unpack_from("h", answer)[0])


_BROUGHT_COUNTS = struct.Struct("=32xQ56xI28xI")  # salts of the -wal; frames brought home, and about to be
# Source: walformat.html, 2.1 and 2.2
PIECE_BYTES = 4096
MOST_PIECES = 64  # that are compared: all of a small file, the first and the last of a large one
_State: TypeAlias = tuple[int, int]  # when it was written last, in ns, and its size


class _Brought(NamedTuple):
    """The count of what was brought home from which -wal."""

    salts: int
    frames: int
    begun: int

    @property
    def is_done(self) -> bool:
        return self.begun <= self.frames


class FileContent:
    """The content of a grove by its open descriptor and that of its -shm, compared with what it was.

    `was_other`: at some look it had been written over. What two programs write between two looks while one of
    them is SQLite cannot be told apart.
    """

    def __init__(self, grove: int, memory: int) -> None:
        self._grove, self._memory = grove, memory
        self.was_other = False
        self._brought: _Brought | None = None
        self._state: _State = (0, 0)
        self._digest = b""
        with suppress(OSError):
            self._note(self._count())

    def is_other(self) -> bool:
        """Tell whether the file was written over since it was opened; it stays so then. Raises: OSError."""
        brought = self._count()
        if self.was_other or brought is None or brought != self._brought:
            self._note(brought)
        elif (state := self._stat()) != self._state:
            self.was_other = self._sample(state[1]) != self._digest and self._count() == brought
            self._state = state
        return self.was_other

    def _note(self, brought: _Brought | None) -> None:
        """Take the content as the grove's own, if SQLite is not writing to it just now."""
        self._brought = None
        if brought is not None and brought.is_done:
            self._state = self._stat()
            self._digest = self._sample(self._state[1])
            if self._count() == brought:
                self._brought = brought

    def _count(self) -> _Brought | None:
        head = os.pread(self._memory, _BROUGHT_COUNTS.size, 0)
        return _Brought(*_BROUGHT_COUNTS.unpack(head)) if len(head) == _BROUGHT_COUNTS.size else None

    def _stat(self) -> _State:
        status = os.fstat(self._grove)
        return status.st_mtime_ns, status.st_size

    def _sample(self, size: int) -> bytes:
        last = max(0, -(-size // PIECE_BYTES) - 1)
        step = max(1, MOST_PIECES - 1)
        places = range(last + 1) if last < MOST_PIECES else [last * one // step for one in range(MOST_PIECES)]
        digest = hashlib.blake2b(str(size).encode())
        for place in places:
            digest.update(os.pread(self._grove, PIECE_BYTES, place * PIECE_BYTES))
        return digest.digest()
