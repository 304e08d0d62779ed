"""A -wal that lies beside a file which is not its own: one that was put there after a program was killed.

SQLite would apply it to whatever file has the name. Nothing in either file names the other, but the log does:
a grove whose own last step is gone once the -wal is applied was never written by that -wal.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.open_files import beside
from loomapp.store.connections import connect

Step = tuple[int, int]  # its number, and when it was made
LAST = "SELECT sequence, made_at FROM change_log ORDER BY sequence DESC LIMIT 1"
FOREIGN = (
    "{wal} lies beside {path} and belongs to another file, which had this name before. Opened together, the "
    "two would be mixed. Move {wal} away, or put the file back that it belongs to; nothing was changed."
)


def last_step(path: Path) -> Step | None:
    """Return the last step in the log of a file alone, without the -wal beside it; None if that has none, or
    the file cannot be read so.
    """
    with suppress(OSError, sqlite3.Error):
        if beside(path, "-wal").stat().st_size:
            with closing(connect(path, "immutable")) as alone:
                found: Step | None = alone.execute(LAST).fetchone()
                return found
    return None


def refuse_foreign_wal(path: Path, last: Step | None, together: sqlite3.Connection) -> None:
    """Refuse a file whose last step is not in what a connection reads, which applies the -wal.

    Raises: GroveError foreignWal.
    """
    if last is None:
        return
    number, made_at = last
    said = "SELECT 1 FROM change_log WHERE sequence = ? AND made_at = ?"
    with suppress(sqlite3.Error):  # a log that cannot be read is told of as what it is
        if together.execute(said, (number, made_at)).fetchone() is None:
            wal = beside(path, "-wal").name
            text = worded(FOREIGN, wal=wal, path=path)
            raise GroveError("foreignWal", text, path=str(path), what=wal)
