"""Ways to read a grove without writing it: beside those who do, by itself, or from a private copy.

Neither the file nor a `-wal` or `-journal` beside it changes by a byte, also where somebody was killed and
left one: what is in a `-wal` is read, what stands in a `-journal` is put back in a copy. What SQLite keeps
for itself may change: beside a `-wal` that was left a `-shm` is made or written anew, and an empty `-wal`, or
a `-shm` alone, may be taken away.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.files import beside, is_open_here
from loomapp.store.connections import Access, connect
from loomapp.store.opening.file_names import refuse_second_name
from loomapp.temporary import TemporaryFolder, sweep_folders, usual_place

# What SQLite says where there is no room, or no right, for the memory that all who use a -wal share.
_NO_ROOM = ("SQLITE_IOERR", "SQLITE_FULL", "SQLITE_CANTOPEN")
_HALF_DONE = "SQLITE_READONLY_ROLLBACK"  # what it says where only writing could put an old state back
_MEMORY = Path("/dev/shm")  # noqa: S108 - a private folder is made in it


@dataclass(frozen=True, slots=True)
class ReadableFile:
    """A file in which a grove can be read, and how it is opened. `close` it after its last connection."""

    file: Path
    access: Access
    _copy: TemporaryFolder | None = None

    def close(self) -> None:
        """Take a private copy away."""
        if self._copy is not None:
            self._copy.close()


def readable_file(path: Path, wanted: Access) -> ReadableFile:
    """The wanted way, or on a full disk the one that needs no room there, or a copy of what somebody who was
    killed left half done.

    Where somebody has the grove open, what they share is there already, and the wanted way works. Otherwise
    the file alone is whole if no -wal is beside it; and if one is, nobody moves it while both are copied.

    Raises: GroveError full, openElsewhere: what a window saved under another name lies in a -wal that is not
    seen by this one; sqlite3.Error.
    """
    refuse_second_name(path)
    if wanted == "immutable" or is_open_here(path):
        return ReadableFile(path, wanted)
    if beside(path, "-journal").exists() and not _leads(path, "ro"):
        return _copied(path, "-journal")
    if _leads(path, wanted):
        return ReadableFile(path, wanted)
    wal = beside(path, "-wal")
    if not wal.exists() or not wal.stat().st_size:
        return ReadableFile(path, "immutable")
    return _copied(path, "-wal")


@contextmanager
def reader(path: Path, wanted: Access) -> Iterator[sqlite3.Connection]:
    """A connection that reads, in whatever way there is. Raises: as `readable_file`."""
    readable = readable_file(path, wanted)
    try:
        with closing(connect(readable.file, readable.access)) as connection:
            yield connection
    finally:
        readable.close()


def _leads(path: Path, access: Access) -> bool:
    try:
        with closing(connect(path, access)) as connection:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith((*_NO_ROOM, _HALF_DONE)):
            return False
        raise
    return True


def _copied(path: Path, ending: str) -> ReadableFile:
    """A copy with its journal of this ending, in the folder for temporary files, or in memory, whichever has
    room.
    """
    for place in (None, _MEMORY):
        copy: TemporaryFolder | None = None
        sweep_folders(place or usual_place())  # which may be all the room that there is
        try:
            copy = TemporaryFolder(place)
            file = copy.path / path.name
            shutil.copyfile(path, file)
            shutil.copyfile(beside(path, ending), beside(file, ending))
        except OSError:
            if copy is not None:
                copy.close()
        else:
            return ReadableFile(file, "query", copy)
    text = worded(
        "{path} cannot be read where it lies: the disk is full, and nowhere else is room for a copy.",
        path=path,
    )
    raise GroveError("full", worded("{what} Make room and try again.", what=text), path=str(path))
