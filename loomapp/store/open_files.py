"""Which grove files this process has open: SQLite's locks on them must not be lost by a glance.

POSIX gives up every lock that a process holds on a file as soon as the process closes any descriptor of that
file (https://sqlite.org/howtocorrupt.html, section 2.2). Without its lock, another program that closes the
grove believes itself to be the last, takes the -wal away, and what we write from then on is lost.
"""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import TypeAlias

Identity: TypeAlias = tuple[int, int]  # device and inode

_open: Counter[Identity] = Counter()
_lock = threading.Lock()


def note_open(path: Path) -> Identity:
    """A connection to this file is being opened; gives what `note_closed` takes."""
    status = path.stat()
    identity = (status.st_dev, status.st_ino)
    with _lock:
        _open[identity] += 1
    return identity


def note_closed(identity: Identity) -> None:
    """The connection is closed."""
    with _lock:
        _open[identity] -= 1
        if _open[identity] <= 0:
            del _open[identity]


def is_open_here(path: Path) -> bool:
    """True if this process holds the file by SQLite: then nobody here may open it by other means."""
    try:
        status = path.stat()
    except OSError:
        return False
    with _lock:
        return (status.st_dev, status.st_ino) in _open
