"""Grove files that this process has open: SQLite's locks on them must not be lost by a glance.

POSIX gives up every lock that a process holds on a file as soon as the process closes any descriptor of that
file (https://sqlite.org/howtocorrupt.html, section 2.2). Without its lock, another program that closes the
grove believes itself to be the last, takes the -wal away, and what we write from then on is lost; one that
opens it empties the -shm under us. So whoever reads or replaces a file of the user's asks here first.
"""

from __future__ import annotations

import os
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded

Identity: TypeAlias = tuple[int, int]  # device and inode
BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps next to a database

_open: Counter[Identity] = Counter()
_paths: dict[Identity, Path] = {}
_to_close: dict[Identity, list[int]] = {}
_forgotten: deque[Identity] = deque()  # of connections that nobody closed
_lock = threading.Lock()


def identity_of(path: Path) -> Identity | None:
    """Return the identity of the file a path leads to, by whatever links; None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
    return status.st_dev, status.st_ino


def beside(path: Path, ending: str) -> Path:
    """The file that SQLite keeps beside a grove under an ending such as `-wal`."""
    file = path.resolve()  # SQLite follows links before it looks for its journal
    return file.with_name(file.name + ending)


def note_open(path: Path) -> Identity | None:
    """Count a connection that was opened to this file; gives what `note_closed` takes."""
    identity = identity_of(path)
    if identity is not None:
        with _lock:
            _open[identity] += 1
            _paths[identity] = path.resolve()
    return identity


def note_forgotten(identity: Identity) -> None:
    """Note a connection that ended because nobody had it any more, in the middle of anything: of the very
    lines below too, which is why it is counted later.
    """
    _forgotten.append(identity)


def _count_forgotten() -> None:
    with suppress(IndexError):
        while True:
            note_closed(_forgotten.popleft())


def note_closed(identity: Identity) -> None:
    """Count a connection that was closed; with the last one go the descriptors that waited for that."""
    with _lock:
        _open[identity] -= 1
        if _open[identity] > 0:
            return
        del _open[identity]
        _paths.pop(identity, None)
        waiting = _to_close.pop(identity, [])
    _close(waiting)


def close_after(identity: Identity, descriptors: Iterable[int]) -> None:
    """Close descriptors of a grove's files once no connection to it is left, which would lose its locks."""
    _count_forgotten()
    with _lock:
        if _open[identity] > 0:
            _to_close.setdefault(identity, []).extend(descriptors)
            return
        del _open[identity]
    _close(descriptors)


def connections_to(identity: Identity) -> int:
    """Count the connections that this process has to a file."""
    _count_forgotten()
    with _lock:
        return _open.get(identity, 0)


def is_open_here(path: Path) -> bool:
    """Tell whether SQLite holds this file in this process, as a grove or beside one: then nobody here may
    open it by other means, or put another in its place.
    """
    _count_forgotten()
    with _lock:
        held = dict(_paths)
    if not held:
        return False
    identity = identity_of(path)
    return identity is not None and any(identity in _files_of(one, at) for one, at in held.items())


def refuse_open_here(path: Path) -> None:
    """Refuse a file that someone chose for another use, if it is a grove that is open.

    Raises: InvalidInput.
    """
    if is_open_here(path):
        text = worded(
            "{name} belongs to a grove that is open in Loomapp. Choose another file.", name=path.name
        )
        raise InvalidInput(text, path=str(path))


def _files_of(grove: Identity, path: Path) -> Iterator[Identity | None]:
    yield grove
    for ending in BESIDE:
        yield identity_of(path.with_name(path.name + ending))


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)
