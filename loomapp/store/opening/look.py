"""Looking at a file before it is opened: whether it is a grove, of which version, and may be written."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from loomapp.core.errors import GroveError
from loomapp.core.sentences import sentence, worded
from loomapp.open_files import beside, is_open_here
from loomapp.store import faults, schema
from loomapp.store.connections import Access
from loomapp.store.opening.file_systems import is_networked, is_writable
from loomapp.store.opening.foreign_schema import foreign_in, stands_for_a_table
from loomapp.store.opening.foreign_wal import last_step, refuse_foreign_wal
from loomapp.store.opening.readers import reader

_SQLITE_MAGIC = b"SQLite format 3\0"
_MAGIC_AT = slice(68, 72)  # application_id in SQLite's header. Source: sqlite.org/fileformat2.html


@dataclass(frozen=True, slots=True)
class Looked:
    """A look at a grove file, which changed nothing."""

    path: Path
    version: int
    is_writable: bool
    reading_access: Access  # for what nobody can write
    foreign: tuple[str, ...] = ()  # what it holds that Loomapp did not make, see `foreign_schema`

    @property
    def is_sealed(self) -> bool:
        """Tell whether its change log is a chain, which begins with version 2."""
        return self.version >= schema.SEALED_FROM

    @property
    def wanted_access(self) -> Access:
        """Return how to read it: others may begin to write meanwhile; where nobody can, a plainer way will
        do.
        """
        return "query" if self.is_writable and not is_networked(self.path) else self.reading_access


def look(path: Path) -> Looked:
    """Look at a grove file without writing a byte to it or its folder.

    Raises: GroveError missing, walAlone, foreignWal, empty, notAGrove, newerSchema, damaged, locked,
    cannotOpen.
    """
    alone = None
    if not is_open_here(path):  # closing a file lets go of the locks that this process has on it
        _look_at_header(path)
        alone = last_step(path)
    # With a -wal beside it the newest pages are there; without, nobody is writing.
    access: Access = "ro" if beside(path, "-wal").exists() else "immutable"
    with faults.named(path), reader(path, access) as connection:
        application_id, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        columns = _columns(connection)
        refuse_foreign_wal(path, alone, connection)
        is_known = application_id == schema.APPLICATION_ID and 1 <= version <= schema.VERSION
        foreign = foreign_in(connection, version) if is_known else ()
        instead = stands_for_a_table(connection, version) if is_known else None
    if application_id != schema.APPLICATION_ID:
        _refuse(path, "notAGrove", "is a database of another program, not a grove; choose another file")
    if version > schema.VERSION:
        what = worded(
            "was written by a newer Loomapp (format {version}, this one reads up to {known}); update "
            "Loomapp to open it",
            version=version,
            known=schema.VERSION,
        )
        _refuse(path, "newerSchema", what, version=version)
    if version < 1:
        _refuse(
            path,
            "damaged",
            worded("is damaged: it says that its format is {version}; open a backup", version=version),
        )
    if instead is not None:
        what = worded("is damaged: a view stands in place of its table {name}; open a backup", name=instead)
        _refuse(path, "damaged", what)
    if not schema.columns_of(version) <= columns:
        _refuse(path, "damaged", "is damaged: some of its tables or columns are missing; open a backup")
    if schema.columns_of(schema.VERSION) <= columns and version < schema.VERSION:
        _refuse(path, "damaged", "is damaged: its tables are newer than the format it names; open a backup")
    return Looked(path, version, is_writable(path) and is_writable(path.absolute().parent), access, foreign)


def is_there(path: Path) -> bool:
    """Tell whether there is a file. Raises: GroveError cannotOpen where its folder does not let that
    be seen.
    """
    try:
        return path.exists()
    except OSError as error:
        _refuse(
            path,
            "cannotOpen",
            worded("cannot be read ({why}); look at its name and its folder", why=error.strerror),
        )


def refuse_wal_alone(path: Path) -> None:
    """Refuse to make a file where the -wal of a grove lies whose file is gone: SQLite would throw it away, or
    read it into the new file, and it holds what was saved last.

    Raises: GroveError walAlone.
    """
    wal = beside(path, "-wal")
    if not is_there(path) and _has_bytes(wal):
        words = (
            "{path} is gone, but {wal} still lies there, and holds what was saved in it last. Put {name} "
            "back in that folder under this name and open it: then all of it is there. If nobody needs it "
            "any more, move {wal} away."
        )
        text = worded(words, path=path, name=path.name, wal=wal.name)
        raise GroveError("walAlone", text, path=str(path), what=wal.name)


def wals_alone_beside(path: Path) -> tuple[str, ...]:
    """Return the names of the -wal files in a grove's folder whose own groves are gone: a grove that was
    renamed under a program that was killed then is without what is in them.
    """
    try:
        files = sorted(path.absolute().parent.glob("*-wal"))
    except OSError:
        return ()
    return tuple(
        file.name
        for file in files
        if file != beside(path, "-wal")
        and not file.name.startswith(".")
        and _has_bytes(file)
        and not file.with_name(file.name.removesuffix("-wal")).exists()
    )


def _has_bytes(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except OSError:
        return False


def _look_at_header(path: Path) -> None:
    refuse_wal_alone(path)
    if not is_there(path):
        _refuse(path, "missing", "does not exist; look at the name, or start a new grove")
    if not path.is_file():
        _refuse(path, "notAGrove", "is not a file; choose a grove file")
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        _refuse(
            path, "cannotOpen", worded("cannot be read ({why}); look at its permissions", why=error.strerror)
        )
    if not header:
        _refuse(path, "empty", "is empty, not a grove; restore a backup, or remove it and start a new one")
    if not header.startswith(_SQLITE_MAGIC):
        _refuse(path, "notAGrove", "is not a grove; choose another file")
    if header[_MAGIC_AT] != schema.APPLICATION_ID.to_bytes(4, "big"):
        _refuse(path, "notAGrove", "is a database of another program, not a grove; choose another file")
    if not beside(path, "-wal").exists() and path.stat().st_size < _size_said(header):
        _refuse(path, "damaged", "is damaged: its end is missing; open a backup")


def _size_said(header: bytes) -> int:
    page_size = int.from_bytes(header[16:18], "big")  # 1 stands for 65536
    return (65536 if page_size == 1 else page_size) * int.from_bytes(header[28:32], "big")


def _columns(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    query = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'"
    return set(connection.execute(query))


def _refuse(path: Path, code: str, what: str, **details: object) -> NoReturn:
    raise GroveError(
        code, worded("{path} {what}.", path=path, what=sentence(what)), path=str(path), **details
    )
