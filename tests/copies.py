"""Copies as a kill leaves them, by another process: to open an open grove in this one drops its locks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def copy_as_killed(folder: Path, to: Path) -> None:
    """All that is in a folder, without the locks of windows; the copy may be within it."""
    aside = folder.with_name(f"{folder.name}-copied")
    subprocess.run(["cp", "-r", str(folder), str(aside)], check=True)
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(aside, to)
    for lock in to.rglob("*.lock"):
        lock.unlink()
