"""Content of an open grove file: whether a program that is not SQLite has written over it.

Such a program leaves the file its name and number, so only the bytes tell. SQLite itself writes to the file
only when it brings the -wal home, and counts that in the -shm first: a file that is another one while the
count is the same was written over, as by `cp backup.loom grove.loom`.
"""

from __future__ import annotations

import hashlib
import os
import struct
from contextlib import suppress
from typing import NamedTuple, TypeAlias

_COUNTS = struct.Struct("=32xQ56xI28xI")  # salts of the -wal; frames brought home, and about to be
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
        head = os.pread(self._memory, _COUNTS.size, 0)
        return _Brought(*_COUNTS.unpack(head)) if len(head) == _COUNTS.size else None

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
