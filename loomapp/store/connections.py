"""Connections to a grove file: pragmas, transactions, journal mode."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from loomapp.store.statements import driver, json_value

# In this order on every connection. Source: measured, see the README's promises.
PRAGMAS = (
    ("busy_timeout", 5000),
    ("foreign_keys", "ON"),
    ("synchronous", "FULL"),
    ("trusted_schema", "OFF"),
    ("cell_size_check", "ON"),
)

Access = Literal["rw", "query", "ro", "immutable"]


def connect(path: Path, access: Access = "rw", *, create: bool = False) -> sqlite3.Connection:
    """A bare connection in autocommit, with every pragma set.

    Three ways to read: `query` beside others that write, where the place is writable; `ro`, which may leave a
    `-wal`; `immutable` a file that nobody writes, leaving nothing beside it.
    """
    mode = {"rw": "rwc" if create else "rw", "query": "rw", "ro": "ro", "immutable": "ro&immutable=1"}[access]
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.text_factory = _as_far_as_readable
    try:
        for name, value in PRAGMAS:
            connection.execute(f"PRAGMA {name}={value}")
        if access == "query":
            connection.execute("PRAGMA query_only=ON")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _as_far_as_readable(data: bytes) -> str:
    """A text; where another hand left bytes that are none, the rest still opens and its hash says so."""
    return data.decode("utf-8", "replace")


def open_engine(path: Path, access: Access = "rw", *, exclusive: bool = False) -> Engine:
    """An engine on an existing file. `exclusive`: one connection that keeps the file to itself, without WAL.

    A plain transaction reads a snapshot; with `execution_options(writes=True)` it takes the write lock at
    once, so that what it read cannot change under it.
    """

    def make() -> sqlite3.Connection:
        connection = connect(path, access)
        if access == "rw" and exclusive:
            keep_to_itself(connection)
        return connection

    extra = 0 if exclusive else 2
    engine = create_engine(
        "sqlite://",
        creator=make,
        poolclass=QueuePool,
        pool_size=1,
        max_overflow=extra,
        json_deserializer=json_value,
    )
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    driver(connection).execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def keep_to_itself(connection: sqlite3.Connection) -> None:
    """For network folders: no memory is shared, so one program at a time, and a plain journal."""
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("PRAGMA journal_mode=DELETE")


def set_patience(engine: Engine, wait_ms: int) -> None:
    """How long the engine's one lasting connection waits for other programs."""
    connection = engine.raw_connection()
    try:
        connection.cursor().execute(f"PRAGMA busy_timeout={wait_ms}")
    finally:
        connection.close()


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
