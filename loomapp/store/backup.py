"""Copies of a grove, whole or not at all."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.store import faults
from loomapp.store.connections import connect


def backups_folder(path: Path) -> Path:
    """Where the backups of a grove lie: beside it."""
    return path.with_name(f"{path.name}.backups")


def back_up(path: Path, to: Path) -> None:
    """Copy a grove, also while it is written, and make sure that the copy can be read.

    Raises: GroveError if there is no room or no right to write; the copy is then not there.
    """
    part = to.with_name(f"{to.name}.part")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with faults.named(to):
            _copy(path, part)
        _reach_the_disk(part)
        part.replace(to)
        _reach_the_disk(to.parent)
    except OSError as error:
        text = f"{path} could not be backed up to {to} ({error.strerror}); make room or check permissions."
        raise GroveError("noBackup", text, path=str(path)) from error
    finally:
        with suppress(OSError):  # where its folder could not be made there is nothing to take away
            part.unlink(missing_ok=True)


def _copy(path: Path, part: Path) -> None:
    with closing(connect(path)) as source, closing(connect(part, create=True)) as copy:
        source.backup(copy)
        # One file, to be moved and copied by hand.
        copy.execute("PRAGMA journal_mode=DELETE")
        if copy.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the copy is damaged")


def _reach_the_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
