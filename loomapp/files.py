"""Files: only regular ones are read, those that SQLite has open are known, others are written whole.

A device never ends, a pipe without a writer never begins, and a link may lead to either.
POSIX gives up every lock that a process holds on a file as soon as the process closes any descriptor of that
file (https://sqlite.org/howtocorrupt.html, section 2.2). Without its lock, another program that closes the
grove believes itself to be the last, takes the -wal away, and what we write from then on is lost; one that
opens it empties the -shm under us. So whoever reads or replaces a file of the user's asks here first.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import sentence, worded

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


MOST_TREE_BYTES = 1 << 30  # a file that trees come from
MOST_MEDIA_BYTES = 1 << 28
MOST_DRAFT_BYTES = 1 << 29  # an answer with the response that it rests on
MOST_SETTINGS_BYTES = 1 << 22  # what a person writes by hand, and lists of the program's own

_KINDS = (
    (stat.S_ISDIR, "it is a folder; choose a file in it"),
    (stat.S_ISFIFO, "it is a pipe, not a file; save what comes from it in a file first"),
    (stat.S_ISSOCK, "it is a socket, not a file; choose a file"),
    (stat.S_ISCHR, "it is a device, not a file; choose a file"),
    (stat.S_ISBLK, "it is a device, not a file; choose a file"),
)


def check_regular(path: Path, most_bytes: int) -> None:
    """Raises: OSError, saying why, for what is no regular file, or is larger than that."""
    _check(path, path.stat(), most_bytes)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file of any size, to be read. Raises: OSError as `check_regular`."""
    _check(path, path.stat(), None)
    # Looked at before, as to open some devices does something; and again, as it may be another by now.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check(path, os.fstat(descriptor), None)
    except OSError:
        os.close(descriptor)
        raise
    return RegularFile(io.FileIO(descriptor))


class RegularFile(io.BufferedReader):
    """A regular file as it is read. Some of the system's own say that they are such and are streams: where
    they have nothing yet they give a reason, not nothing at all, which no reader expects.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        return _there(super().read(size))


def _there(data: bytes | None) -> bytes:
    if data is None:
        words = sentence("it is a stream of the system, with no end; save what comes from it in a file first")
        raise OSError(errno.EINVAL, words)
    return data


def read_regular(path: Path, most_bytes: int) -> bytes:
    """Read all of a regular file. Raises: OSError as `check_regular`, also if it grows while it is read."""
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
        _check(path, status, most_bytes)
        parts = [file.read(status.st_size + 1)]
        size = len(parts[0])
        while size > status.st_size and (more := file.read(1 << 20)):
            size += len(more)
            if size > most_bytes:
                raise _too_large(path, most_bytes)
            parts.append(more)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_text(path: Path, most_bytes: int = MOST_SETTINGS_BYTES) -> str:
    """Read a regular file as UTF-8. Raises: OSError as `read_regular`; UnicodeDecodeError."""
    return read_regular(path, most_bytes).decode("utf-8")


def what_else(mode: int) -> str | None:
    """The words on something of this mode that is no regular file; None for one."""
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISLNK(mode):
        return "it is a link, and links in a folder are not followed"
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "it is not a file")


def _check(path: Path, status: os.stat_result, most_bytes: int | None) -> None:
    if is_open_here(path):  # its locks go as soon as any descriptor of it is closed
        words = sentence("it belongs to a grove that is open in Loomapp; choose another file")
        raise OSError(errno.EBUSY, words, str(path))
    if (said := what_else(status.st_mode)) is not None:
        code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise OSError(code, sentence(said), str(path))
    if most_bytes is not None and status.st_size > most_bytes:
        raise _too_large(path, most_bytes)


def _too_large(path: Path, most_bytes: int) -> OSError:
    said = worded(
        "it is larger than {most} MiB, the most that is read from such a file; choose a smaller one",
        most=most_bytes >> 20,
    )
    return OSError(errno.EFBIG, said, str(path))


OWNER_ONLY = 0o600
LOCK_PAUSE_S = 0.05
LOCK_FILE = ".loomapp.lock"  # of Windows, where no folder can be locked
IS_LOCKED = PermissionError if sys.platform == "win32" else BlockingIOError


@contextmanager
def alone_in(folder: Path, stop: Callable[[], bool] = lambda: False) -> Iterator[bool]:
    """Allow one at a time in a folder, whichever process it is of: what is half written there was left by one
    that ended. Gives False if `stop` ended the waiting. Raises: OSError if there is no such folder.
    """
    if sys.platform == "win32":
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
    else:
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        is_alone = _lock_alone(descriptor)
        while not is_alone and not stop():
            time.sleep(LOCK_PAUSE_S)  # a lock that the system waits for could not be stopped
            is_alone = _lock_alone(descriptor)
        yield is_alone
    finally:
        os.close(descriptor)
        if sys.platform == "win32":
            with suppress(OSError):  # somebody waits for it
                (folder / LOCK_FILE).unlink()


def _lock_alone(descriptor: int) -> bool:
    with suppress(OSError):  # a file system without locks
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except IS_LOCKED:
            return False
    return True


def begin_private(file: Path) -> None:
    """Make an empty file that is its owner's alone, before anybody writes in it. Raises: FileExistsError."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def write_whole(file: Path, data: bytes, mode: int = OWNER_ONLY) -> None:
    """Write aside, reach the disk, take the name. Raises: OSError, and nothing of it is left."""
    _write(file, data, mode, reach_disk=True)


def remember(file: Path, text: str) -> None:
    """Write what is only remembered, in a folder made for it, without waiting for the disk.

    One that takes nothing costs only the memory of it.
    """
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(file, text.encode("utf-8"), OWNER_ONLY, reach_disk=False)


def _write(file: Path, data: bytes, mode: int, *, reach_disk: bool) -> None:
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        begin_private(part)
        part.chmod(mode)
        with part.open("r+b") as handle:
            handle.write(data)
            handle.flush()
            if reach_disk:
                os.fsync(handle.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
