"""Locks as the system lists them, and the files that somebody opens in a folder."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from loomapp.store import connections

LASTING = {0x40000002, 128}  # where the locks begin that SQLite keeps while a grove is open
IN_OPEN, IS_FOLDER = 0x20, 0x40000000  # Source: inotify(7)
_EVENT = struct.Struct("iIII")


def lasting_locks(grove: Path, pid: int | None = None) -> int:
    """How many of the two locks a process has that SQLite keeps on an open grove and its -shm.

    The system gives its list in parts: a lock that anybody takes or lets go between two of them moves others,
    which are then told twice or not at all. So it is read until it says the same again.
    """
    files = [grove, grove.with_name(f"{grove.name}-shm")]
    inodes = {str(file.stat().st_ino) for file in files if file.exists()}
    found, before = _locks_of(pid or os.getpid(), inodes), None
    while found != before:
        found, before = _locks_of(pid or os.getpid(), inodes), found
    return len(found)


def _locks_of(pid: int, inodes: set[str]) -> set[tuple[str, str]]:
    """The file and the place of each lock of these that a process has."""
    found = set()
    for line in Path("/proc/locks").read_text().splitlines():
        _, kind, *_, owner, file, start, _end = line.replace(" -> ", " ").split()
        is_here = file.rpartition(":")[2] in inodes and int(start) in LASTING
        if kind == "POSIX" and int(owner) == pid and is_here:
            found.add((file, start))
    return found


def drop_locks(grove: Path) -> None:
    """Do what any library may do: look at each file, and close it again."""
    for ending in ("", "-shm"):
        with grove.with_name(grove.name + ending).open("rb") as file:
            file.read(16)


def wait_little(patch: pytest.MonkeyPatch) -> None:
    """Let connections that are made from now on wait a moment for others, not seconds: they wait in vain."""
    pragmas = [(name, 200 if name == "busy_timeout" else value) for name, value in connections.PRAGMAS]
    patch.setattr(connections, "PRAGMAS", tuple(pragmas))


@contextmanager
def opened_in(folder: Path) -> Iterator[Callable[[], set[str]]]:
    """Gives the names of the files in a folder that any process has opened since it was asked last."""
    system = ctypes.CDLL(None, use_errno=True)
    descriptor = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert system.inotify_add_watch(descriptor, os.fsencode(folder), IN_OPEN) >= 0

    def names() -> set[str]:
        found: set[str] = set()
        with suppress(BlockingIOError):
            while True:
                found |= set(_names(os.read(descriptor, 1 << 16)))
        return found

    try:
        yield names
    finally:
        os.close(descriptor)


def _names(events: bytes) -> Iterator[str]:
    at = 0
    while at < len(events):
        _, kind, _, length = _EVENT.unpack_from(events, at)
        at += _EVENT.size + length
        if not kind & IS_FOLDER:
            yield os.fsdecode(events[at - length : at].rstrip(b"\0"))
