"""A -wal that lies beside a file which is not its own: one that was put there after a program was killed.

SQLite would apply it to whatever file has the name. Nothing in either file names the other, but the log does:
a grove whose own last step is gone once the -wal is applied was never written by that -wal. Nor was an older
state of the same grove, as a backup is, where steps are missing between its last one and the last that SQLite
counted: every change of a grove adds one. That state is not told from the grove's own where the steps between
lie all in pages that the -wal holds, too: at most the last few.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.open_files import beside
from loomapp.store.connections import connect

COUNTED = "(SELECT seq FROM sqlite_sequence WHERE name = 'change_log')"
LAST = f"SELECT sequence, made_at, sequence = {COUNTED} FROM change_log ORDER BY sequence DESC LIMIT 1"
THERE = "SELECT 1 FROM change_log WHERE sequence = ? AND made_at = ?"
MISSING = f"SELECT {COUNTED} - ? - (SELECT count(*) FROM change_log WHERE sequence > ?)"
FOREIGN = (
    "{wal} lies beside {path} and belongs to another file, which had this name before. Opened together, the "
    "two would be mixed. Move {wal} away, or put the file back that it belongs to; nothing was changed."
)


class Step(NamedTuple):
    """The last entry of a log."""

    number: int
    made_at: int
    is_last_counted: int  # no later one was taken out again, as a repair may do


def last_step(path: Path) -> Step | None:
    """Return the last step in the log of a file alone, without the -wal beside it; None if that has none, or
    the file cannot be read so.
    """
    with suppress(OSError, sqlite3.Error):
        if beside(path, "-wal").stat().st_size:
            with closing(connect(path, "immutable")) as alone:
                found = alone.execute(LAST).fetchone()
                return None if found is None else Step(*found)
    return None


def refuse_foreign_wal(path: Path, last: Step | None, together: sqlite3.Connection) -> None:
    """Refuse a file whose last step, or one after it, is not in what a connection reads, which applies the
    -wal.

    Raises: GroveError foreignWal.
    """
    if last is None:
        return
    with suppress(sqlite3.Error):  # a log that cannot be read is told of as what it is
        is_gone = together.execute(THERE, (last.number, last.made_at)).fetchone() is None
        if is_gone or (last.is_last_counted and _misses_steps(together, last.number)):
            wal = beside(path, "-wal").name
            text = worded(FOREIGN, wal=wal, path=path)
            raise GroveError("foreignWal", text, path=str(path), what=wal)


def _misses_steps(together: sqlite3.Connection, number: int) -> bool:
    """Tell whether steps after one are missing that were counted."""
    (missing,) = together.execute(MISSING, (number, number)).fetchone()
    return missing is not None and missing > 0
