"""Damage to files, and what shows that others were left alone."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def state(folder: Path) -> dict[str, str]:
    """Every file below a folder with the digest of its bytes, or where it leads."""
    files = (Path(where) / name for where, _, names in os.walk(folder) for name in names)
    return {str(file): _said(file) for file in files}


def _said(file: Path) -> str:
    return str(file.readlink()) if file.is_symlink() else hashlib.sha256(file.read_bytes()).hexdigest()
