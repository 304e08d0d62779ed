"""Files that are written whole: a reader sees all of it or what was there before, also after a crash."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(file: Path, data: bytes) -> None:
    """Write aside, reach the disk, take the name. Raises: OSError, and nothing of it is left."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
