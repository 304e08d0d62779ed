"""Files with several names: under each of them SQLite would keep a -wal of its own, and destroy the file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from loomapp import places
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded


def name_lock(grove: Path) -> Path:
    """The lock that a window holds on a grove by its name: beside the file, wherever links to it are."""
    file = grove.resolve()
    return file.with_name(f"{file.name}.lock")


def file_lock(grove: Path) -> Path | None:
    """The lock that a window holds on the file whatever it is called; None if there is no file."""
    try:
        status = grove.stat()
    except OSError:
        return None
    return places.state_folder() / "open-files" / f"{status.st_dev:x}-{status.st_ino:x}.lock"


def refuse_second_name(grove: Path) -> None:
    """Refuse a file that a window has open under another of its names.

    Raises: GroveError openElsewhere.
    """
    lock = file_lock(grove)
    if lock is None or grove.stat().st_nlink < 2 or name_lock(grove).exists():
        return
    holder = _holder_of(lock)
    if holder is not None and holder != os.getpid() and _is_alive(holder):
        text = worded(
            "{grove} is open in a window (process {holder}) under another name of the same file; use "
            "that name, or close the window.",
            grove=grove,
            holder=holder,
        )
        raise GroveError("openElsewhere", text, path=str(grove), pid=holder)


def _holder_of(lock: Path) -> int | None:
    """The process in a QLockFile, whose first line is its number."""
    with suppress(OSError, ValueError, IndexError):
        return int(lock.read_text(encoding="utf-8").splitlines()[0])
    return None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
