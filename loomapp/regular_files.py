"""Regular files: what people and other programs name is read only if it is one, and only up to a size.

A device never ends, a pipe without a writer never begins, and a link may lead to either.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO

from loomapp.core.sentences import sentence, worded
from loomapp.open_files import is_open_here

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
