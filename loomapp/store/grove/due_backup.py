"""When a backup is due: every ten minutes if something changed, and on closing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from loomapp.core.times import Milliseconds
from loomapp.store.backups.backup import Backup, back_up, backups_of
from loomapp.store.connections import connect
from loomapp.store.statements import driver

if TYPE_CHECKING:
    from loomapp.store.grove.grove import Grove

EVERY_MS = 10 * 60_000


def is_due(grove: Grove, at: Milliseconds, *, every_ms: int = EVERY_MS) -> bool:
    """Tell whether the grove has changed since its newest backup, and that is some time ago; 0 asks when
    closing.

    A backup from the future, where the clock was set back, counts as old.
    """
    newest = next(iter(backups_of(grove.path)), None)
    if newest is None:
        return bool(grove.known_trees())
    if 0 <= at - newest.made_at < every_ms:
        return False
    with grove.snapshot() as connection:
        here = _state(driver(connection))
    return here != _state_of(newest)


def back_up_grove(grove: Grove, reason: str = "") -> Backup:
    """Back up an open grove by its own connection, which is the only one there can be in a network folder.

    Raises: GroveError as `back_up` does.
    """
    with grove.snapshot() as connection:
        return back_up(grove.path, reason=reason, source=driver(connection))


def _state_of(backup: Backup) -> object:
    try:
        with closing(connect(backup.path, "immutable")) as connection:
            return _state(connection)
    except sqlite3.Error:
        return None  # no longer a backup of anything


def _state(connection: sqlite3.Connection) -> object:
    """Return what differs between two moments of a grove if anything of worth does."""
    newest: object = connection.execute("SELECT coalesce(max(sequence), 0) FROM change_log").fetchone()
    return newest
