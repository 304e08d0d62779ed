"""Files that are written whole: a reader sees all of it or what was there before, also after a crash."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

OWNER_ONLY = 0o600


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
