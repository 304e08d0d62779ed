"""Files that are written whole: a reader sees all of it or what was there before, also after a crash."""

from __future__ import annotations

import os
from pathlib import Path

OWNER_ONLY = 0o600


def begin_private(file: Path) -> None:
    """Make an empty file that is its owner's alone, before anybody writes in it. Raises: FileExistsError."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def write_whole(file: Path, data: bytes, mode: int = OWNER_ONLY) -> None:
    """Write aside, reach the disk, take the name. Raises: OSError, and nothing of it is left."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        begin_private(part)
        part.chmod(mode)
        with part.open("r+b") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
