"""Temporary folders of our own: held while their process lives, swept by another once it was killed."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

PREFIX = "loomapp-"
_NAME = re.compile(r"loomapp-(icons-)?[a-z0-9_]{8}")  # as `tempfile` makes them of that
OLD_S = 24 * 3600.0  # what is younger may belong to somebody who has not come to hold it yet


class TemporaryFolder:
    """A private folder that goes when it is closed, or with the block; `within` another than the usual place.

    Raises: OSError.
    """

    def __init__(self, within: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=within))
        self._hold = _held(self.path)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete the folder with all that is in it; a second time does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None


def usual_place() -> Path:
    """Return the folder in which the system keeps temporary files."""
    return Path(tempfile.gettempdir())


def sweep_folders(within: Path) -> None:
    """Take away what killed processes left of such folders: old ones, of this user, that nobody holds."""
    with suppress(OSError):
        for folder in [entry for entry in within.iterdir() if _NAME.fullmatch(entry.name)]:
            with suppress(OSError):
                if _is_left(folder.lstat(), stat.S_ISDIR):
                    _take_away(folder)


def sweep_parts(files: Iterable[Path]) -> None:
    """Delete old files of these, which a process was killed while it wrote."""
    with suppress(OSError):
        for file in list(files):
            with suppress(OSError):
                if _is_left(file.lstat(), stat.S_ISREG):
                    file.unlink()


def _is_left(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return is_ours and is_kind(status.st_mode) and time.time() - status.st_mtime > OLD_S


def _take_away(folder: Path) -> None:
    hold = _held(folder)
    if hold is None:
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(hold)


def _held(folder: Path) -> int | None:
    """A lock on a folder, for as long as the descriptor is open; None if another process has it."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
