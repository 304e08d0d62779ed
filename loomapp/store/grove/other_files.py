"""Questions to another grove's file: its trees, and whether it has all steps of a second one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.store import faults
from loomapp.store.opening.look import look
from loomapp.store.opening.readers import reader

NOTHING_THERE = frozenset({"missing", "walAlone", "empty", "notAGrove"})
STEPS = "SELECT sequence, made_at, made_by, label FROM change_log"


def tree_ids_in(path: Path) -> frozenset[str]:
    """The ids of its trees; none where no grove is. Raises: GroveError if it cannot be read."""
    try:
        with _reading(path) as connection:
            return frozenset(tree_id for (tree_id,) in connection.execute("SELECT tree_id FROM trees"))
    except GroveError as error:
        if error.code in NOTHING_THERE:
            return frozenset()
        raise


def holds_all(path: Path, of: Path) -> bool:
    """Tell whether the log of one grove has every step of another's; False if one cannot be read."""
    with suppress(GroveError):
        return not _steps(of) - _steps(path)
    return False


def _steps(path: Path) -> set[tuple[object, ...]]:
    with _reading(path) as connection:
        return set(connection.execute(STEPS))


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    looked = look(path)
    with faults.named(path), reader(path, looked.wanted_access) as connection:
        yield connection
