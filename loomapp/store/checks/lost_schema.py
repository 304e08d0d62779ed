"""Schemas that are lost: a file whose first pages no longer lead to the tables of a grove."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from loomapp.store import schema
from loomapp.store.connections import connect
from loomapp.store.schema import names_in

PAGE_SIZE = 4096  # of every grove
_TABLE = b"CREATE TABLE change_log"
_SEARCHED_BYTES = 1 << 30  # from the beginning, where the table of tables nearly always is
_AT_ONCE = 1 << 20


def is_lost(path: Path) -> bool:
    """Tell whether the tables of a grove can no longer be found by what the file says of itself."""
    try:
        with closing(connect(path)) as connection:
            query = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL"
            roots = dict(connection.execute(query).fetchall())
            for table in schema.metadata.sorted_tables:
                connection.execute(f"SELECT {names_in(connection, table)} FROM {table.name} LIMIT 0")
            return any(not roots.get(table.name) for table in schema.metadata.sorted_tables)
    except (sqlite3.Error, UnicodeDecodeError):  # what SQLite says of it need not be text either
        return True


def was_a_grove(path: Path) -> bool:
    """Tell whether a file that says something else of itself is in pages and has a table of ours written in
    it.
    """
    if path.stat().st_size == 0 or path.stat().st_size % PAGE_SIZE:
        return False
    with path.open("rb") as file:
        before = b""
        for _ in range(_SEARCHED_BYTES // _AT_ONCE):
            part = file.read(_AT_ONCE)
            if _TABLE in before + part:
                return True
            if not part:
                return False
            before = part[-len(_TABLE) :]
    return False
