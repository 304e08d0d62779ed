"""The columns of a table as a file has them: one of an older version lacks what came later."""

from __future__ import annotations

import sqlite3

from sqlalchemy import Table

from loomapp.store.schema import ADDED

_HAS = "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?"


def names_in(connection: sqlite3.Connection, table: Table) -> str:
    """The columns of a table for a query, in the schema's order; an empty text for what the file lacks."""
    lacking = lacking_in(connection, table)
    return ", ".join(f"'' AS {c.name}" if c.name in lacking else c.name for c in table.columns)


def lacking_in(connection: sqlite3.Connection, table: Table) -> set[str]:
    """The columns of a table that a file does not have yet."""
    later = {column for added in ADDED.values() for name, column in added if name == table.name}
    return {column for column in later if not _has(connection, table, column)}


def _has(connection: sqlite3.Connection, table: Table, column: str) -> bool:
    try:
        return bool(connection.execute(_HAS, (table.name, column)).fetchone()[0])
    except sqlite3.Error:  # whoever reads the table is told
        return True
