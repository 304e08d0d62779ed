"""Connections to a grove file: pragmas, transactions, journal mode, and faults told so that one can act."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool
from sqlalchemy.util import LRUCache

from loomapp.core.errors import GroveError, InvalidInput
from loomapp.core.sentences import sentence, worded
from loomapp.files import (
    BESIDE,
    Identity,
    beside,
    identity_of,
    is_open_here,
    note_closed,
    note_forgotten,
    note_open,
)
from loomapp.store import schema, schema_versions
from loomapp.store.statements import driver, json_value

# In this order on every connection. Source: measured, see the README's promises.
PRAGMAS = (
    ("busy_timeout", 5000),
    ("foreign_keys", "ON"),
    ("synchronous", "FULL"),
    ("trusted_schema", "OFF"),
    ("cell_size_check", "ON"),
)

LOOK_AGAIN_S = 0.003  # between two looks whether another program has ended its transaction

# Where nobody keeps a log, what its pool could not do is not told beside the line that says why.
logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())


def as_far_as_readable(text: bytes) -> str:
    """A text; where another hand left bytes that are none, the rest still opens and its hash says so."""
    return text.decode("utf-8", "replace")


Access = Literal["rw", "query", "ro", "immutable"]

STATEMENTS_KEPT = 500
"""Compiled statements that every grove shares; as many as SQLAlchemy keeps for each engine."""

# Python 3.12 and later can ask SQLite to leave the -wal as it is when a connection is closed.
_LEAVE_WAL: int | None = getattr(sqlite3, "SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE", None)


def connect(path: Path, access: Access = "rw", *, create: bool = False) -> sqlite3.Connection:
    """A bare connection in autocommit, with every pragma set.

    Three ways to read: `query` beside others that write, where the place is writable; `ro`, which may leave a
    `-wal`; `immutable` a file that nobody writes, leaving nothing beside it. None changes a byte of the file
    or of a `-wal` that holds something; beside such a `-wal` stays the `-shm` that SQLite reads it by.

    Raises: sqlite3.Error; GroveError notAFileBeside, foreignJournal.
    """
    refuse_no_files_beside(path)
    refuse_foreign_journal(path)
    mode = {"rw": "rwc" if create else "rw", "query": "rw", "ro": "ro", "immutable": "ro&immutable=1"}[access]
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, factory=CountedConnection
    )
    connection.count(path)
    connection.text_factory = as_far_as_readable
    try:
        for name, value in PRAGMAS:
            connection.execute(f"PRAGMA {name}={value}")
        if access == "query":
            connection.execute("PRAGMA query_only=ON")
            connection.leave_wal(path)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def refuse_no_files_beside(path: Path) -> None:
    """Refuse a grove beside which a pipe, a device or a folder has a name of SQLite's own: SQLite opens what
    has the name, and waits for ever for a pipe, or reads a device without end.

    Raises: GroveError notAFileBeside.
    """
    for ending in BESIDE:
        file = beside(path, ending)
        with suppress(OSError):  # nothing there, or nothing that can be seen
            if stat.S_ISREG(file.stat().st_mode):
                continue
            words = (
                "{path} is not opened: {what} beside it is not a file, but SQLite would use it as one. Move "
                "{what} away; nothing was changed."
            )
            text = worded(words, path=path, what=file.name)
            raise GroveError("notAFileBeside", text, path=str(path), what=file.name)


JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


def refuse_foreign_journal(path: Path) -> None:
    """Refuse a grove whose `-journal` ends with the name of another file, as where several databases are
    changed at once, which no Loomapp does: SQLite deletes that file once the journal was put back.

    Raises: GroveError foreignJournal.
    """
    file = beside(path, "-journal")
    if is_open_here(path) or not file.is_file():
        return
    with suppress(OSError), file.open("rb") as journal:  # what cannot be read is no journal to SQLite either
        journal.seek(-min(len(JOURNAL_MAGIC), file.stat().st_size), os.SEEK_END)
        if journal.read() == JOURNAL_MAGIC:
            words = (
                "{path} is not opened: {what} beside it was not made by Loomapp, and names another file that "
                "would be deleted. Move {what} away; nothing was changed."
            )
            text = worded(words, path=path, what=file.name)
            raise GroveError("foreignJournal", text, path=str(path), what=file.name)


class CountedConnection(sqlite3.Connection):
    """A connection that is known of until it is closed: see `open_files`."""

    _identity: Identity | None = None
    _left: Path | None = None  # the grove whose -wal it leaves

    def leave_wal(self, path: Path) -> None:
        """Bring nothing from the -wal of this file into it on closing, which SQLite does for the last one."""
        self._left = path

    def count(self, path: Path) -> None:
        """Count it from now on as one to this file."""
        self._identity = note_open(path)

    def close(self) -> None:
        """Close it, and count it no more."""
        left, self._left = self._left, None
        with ExitStack() as beside_it:
            if left is not None and _holds_something(beside(left, "-wal")):  # an empty one is taken away
                self._keep_wal(left, beside_it)
            super().close()
        identity, self._identity = self._identity, None
        if identity is not None:
            note_closed(identity)

    def _keep_wal(self, path: Path, beside_it: ExitStack) -> None:
        if _LEAVE_WAL is not None:
            getattr(self, "setconfig")(_LEAVE_WAL, True)  # noqa: B009
            return
        if identity_of(path) != self._identity:
            return  # SQLite itself leaves the -wal of a file that was moved
        with suppress(sqlite3.Error):
            other = beside_it.enter_context(closing(connect(path, "ro")))  # which may not write either
            other.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()

    def __del__(self) -> None:
        if self._identity is not None:
            note_forgotten(self._identity)


def _holds_something(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except OSError:
        return False


def open_engine(path: Path, access: Access = "rw", *, exclusive: bool = False) -> Engine:
    """An engine on an existing file. `exclusive`: one connection that keeps the file to itself, without WAL.

    A plain transaction reads a snapshot; with `execution_options(writes=True)` it takes the write lock at
    once, so that what it read cannot change under it.
    """

    def make() -> Any:  # the driver's connection; what SQLAlchemy calls one asks for less than that
        connection = connect(path, access)
        if access != "rw":
            _stand_in(connection, access)
        elif exclusive:
            keep_to_itself(connection)
        return connection

    first = _first_engine()
    pool = QueuePool(make, pool_size=1, max_overflow=0 if exclusive else 2, dialect=first.dialect)
    engine = Engine(pool, first.dialect, first.url, execution_options=first.get_execution_options())
    event.listen(engine, "begin", _begin)
    return engine


def _stand_in(connection: sqlite3.Connection, access: Access) -> None:
    """Let an older grove look like one of today to its reader; nothing of that is written anywhere."""
    try:
        if 1 <= connection.execute("PRAGMA user_version").fetchone()[0] < schema.VERSION:
            connection.execute("PRAGMA temp_store=MEMORY")
            connection.execute("PRAGMA query_only=OFF")  # which views of one's own would count as writing
            schema_versions.stand_in(connection)
            connection.execute(f"PRAGMA query_only={'ON' if access == 'query' else 'OFF'}")
    except sqlite3.Error:
        connection.close()
        raise


@cache
def _first_engine() -> Engine:
    """An engine on no file, whose dialect and compiled statements serve every other one.

    A dialect of each engine's own would compile the same statements anew for every grove that is opened.
    """
    compiled: LRUCache[Any, Any] = LRUCache(STATEMENTS_KEPT)
    options = {"compiled_cache": compiled}
    engine = create_engine("sqlite://", json_deserializer=json_value, execution_options=options)
    engine.connect().close()  # the dialect learns SQLite's version
    engine.dispose()
    return engine


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    if writes:
        begin_writing(driver(connection))
    else:
        driver(connection).execute("BEGIN")


def begin_writing(database: sqlite3.Connection) -> None:
    """Begin a transaction that has the write lock; wait for it as long as the connection is patient.

    SQLite itself soon looks only ten times a second whether the file is free, and so misses most of the
    moments between the commits of a program that writes all the time.

    Raises: sqlite3.OperationalError.
    """
    patience_ms = database.execute("PRAGMA busy_timeout").fetchone()[0]
    end_s = time.monotonic() + patience_ms / 1000
    database.execute("PRAGMA busy_timeout=0")
    try:
        while not _has_begun(database, is_last=time.monotonic() >= end_s):
            time.sleep(LOOK_AGAIN_S)
    finally:
        database.execute(f"PRAGMA busy_timeout={patience_ms}")


def _has_begun(database: sqlite3.Connection, *, is_last: bool) -> bool:
    try:
        database.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if is_last or not getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise
        return False
    return True


def keep_to_itself(connection: sqlite3.Connection) -> None:
    """Keep a file to one program and in a plain journal: in network folders no memory is shared."""
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("PRAGMA journal_mode=DELETE")


def set_patience(engine: Engine, wait_ms: int) -> None:
    """Set how long the engine's one lasting connection waits for other programs."""
    connection = engine.raw_connection()
    try:
        connection.cursor().execute(f"PRAGMA busy_timeout={wait_ms}")
    finally:
        connection.close()


def close_leaving_wal(engine: Engine) -> None:
    """Close every connection and bring nothing from the -wal into the file: it is no longer the file's own.

    SQLite does that by itself where another lock on the file keeps it from being the last user.
    """
    option = _LEAVE_WAL
    assert isinstance(engine.pool, QueuePool), "see `open_engine`"
    if option is not None and engine.pool.checkedin():
        connection = engine.raw_connection()
        try:
            getattr(connection.driver_connection, "setconfig")(option, True)  # noqa: B009
        finally:
            connection.close()
    engine.dispose()


def checkpoint(engine: Engine) -> None:
    """Bring everything into the one file, as far as other programs that have it open allow.

    On a full disk it stays in the journal beside the file, where it is as safe: a grove can always be closed.
    """
    connection = engine.raw_connection()
    try:
        with suppress(sqlite3.OperationalError):
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


_BY_NAME = (  # the start of SQLite's name of an error, our code, what to tell
    ("SQLITE_BUSY", "locked", "is being written by another program; try again when it is done"),
    ("SQLITE_LOCKED", "locked", "is being written by another program; try again when it is done"),
    ("SQLITE_READONLY", "readOnly", "cannot be written; make it writable or copy it to another folder"),
    ("SQLITE_FULL", "full", "could not be saved: the disk is full; make room and try again"),
    ("SQLITE_IOERR", "ioError", "could not be read or written: the disk reports a fault or is full"),
    ("SQLITE_CORRUPT", "damaged", "is damaged; open a backup, or copy it and let `loomapp check` look"),
    ("SQLITE_NOTADB", "notAGrove", "is not a grove; choose another file"),
    ("SQLITE_CANTOPEN", "cannotOpen", "cannot be opened; look at the permissions of the file and its folder"),
)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Turns SQLite's complaints about a grove into GroveError with one line that names the file.

    A text that is no Unicode becomes InvalidInput.
    """
    try:
        yield
    except DBAPIError as error:
        raise _fault(path, error.orig) from error
    except sqlite3.Error as error:
        raise _fault(path, error) from error
    except UnicodeEncodeError as error:
        text = worded(
            "A text for {name} holds half of a character ({character!a}); take it out.",
            name=path.name,
            character=error.object[error.start],
        )
        raise InvalidInput(text, path=str(path)) from error


def _fault(path: Path, error: BaseException | None) -> BaseException:
    name = getattr(error, "sqlite_errorname", "")
    for start, code, what in _BY_NAME:
        if name.startswith(start):
            return GroveError(
                code, worded("{path} {what}.", path=path, what=sentence(what)), path=str(path), sqlite=name
            )
    return (
        error if error is not None else GroveError("unknown", worded("{path} could not be used.", path=path))
    )


CACHE_KIB = 16 << 10
"""Memory for pages while trees come in. SQLite's usual 2 MB hold no index of a hundred thousand random ids:
for each new one a page is then read again and written again."""


@contextmanager
def wide_cache(connection: Connection) -> Iterator[None]:
    """Give a transaction that writes very many rows more memory for pages."""
    database = driver(connection)
    [before] = database.execute("PRAGMA cache_size").fetchone()
    database.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
    try:
        yield
    finally:
        database.execute(f"PRAGMA cache_size={before}")
