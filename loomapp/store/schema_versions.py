"""The tables of older grove files: which of them a version has, and how they are read as those of today."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import Column, MetaData, Table
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from loomapp.store.schema import ADDED, FREED, REMOVED, VERSION, former_metadata, metadata


@cache
def columns_of(version: int) -> frozenset[tuple[str, str]]:
    """The columns, each with its table, that a grove of a version has."""
    tables = (*metadata.tables.values(), *_former_of(version))
    every = {(table.name, column.name) for table in tables for column in table.columns}
    return frozenset(every - added_after(version))


def added_after(version: int) -> set[tuple[str, str]]:
    """The columns, each with its table, that came after a version."""
    return {column for came, columns in ADDED.items() if came > version for column in columns}


def _former_of(version: int) -> list[Table]:
    """The tables of a version that newer ones no longer have."""
    names = {name for went, removed in REMOVED.items() if went > version for name in removed}
    return [table for table in former_metadata.sorted_tables if table.name in names]


def tables_of(version: int) -> list[Table]:
    """The tables that a grove of a version has, those first that others point at."""
    names = {table for table, _ in columns_of(version)}
    present = [table for table in metadata.sorted_tables if table.name in names]
    return [*present, *_former_of(version)]


@cache
def _metadata_of(version: int) -> MetaData:
    """The tables of a version: those of today and former ones, without what came later."""
    if version == VERSION:
        return metadata
    found = MetaData(naming_convention=metadata.naming_convention)
    later = added_after(version)
    for table in tables_of(version):
        copy = table.to_metadata(found)
        for column in copy.columns:
            name = table.name, column.name
            column.system = name in later
            if any(name in freed for at, freed in FREED.items() if at > version):
                column.nullable = False
    return found


@cache
def making_statements(version: int) -> Mapping[tuple[str, str], str]:
    """Return the statements that make a new grove of a version, in order, by kind and name of the table or
    index; each as SQLite keeps it. They are compiled once: it is the same for every grove.
    """
    dialect, found = SQLiteDialect_pysqlite(), {}
    for table in _metadata_of(version).sorted_tables:
        found["table", table.name] = str(CreateTable(table).compile(dialect=dialect)).strip()
        for index in table.indexes:
            found["index", str(index.name)] = str(CreateIndex(index).compile(dialect=dialect)).strip()
    return found


_HAS = "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?"


def tables_in(connection: sqlite3.Connection) -> list[Table]:
    """The tables that a file should have by the version it says it is of."""
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error:  # whoever reads the tables is told
        version = VERSION
    return tables_of(version if 1 <= version <= VERSION else VERSION)


def names_in(connection: sqlite3.Connection, table: Table) -> str:
    """The columns of a table for a query, in the schema's order; what the file lacks is told as empty."""
    lacking = lacking_in(connection, table)
    return ", ".join(_empty(c) if c.name in lacking else c.name for c in table.columns)


def _empty(column: Column[Any]) -> str:
    return f"{'NULL' if column.nullable else repr('')} AS {column.name}"


def lacking_in(connection: sqlite3.Connection, table: Table) -> set[str]:
    """The columns of a table that a file does not have yet."""
    later = {column for added in ADDED.values() for name, column in added if name == table.name}
    return {column for column in later if not _has(connection, table, column)}


def _has(connection: sqlite3.Connection, table: Table, column: str) -> bool:
    try:
        return bool(connection.execute(_HAS, (table.name, column)).fetchone()[0])
    except sqlite3.Error:  # whoever reads the table is told
        return True


def stand_in(connection: sqlite3.Connection) -> None:
    """Let an older grove that is only read look like one of this version: for this connection alone a view
    stands in for each table that lacks something, and says of it what is so where nothing is noted.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    later = added_after(version)
    has_table = {table.name for table in tables_of(version)}
    for table in metadata.sorted_tables:
        more = [_empty(column) for column in table.columns if (table.name, column.name) in later]
        if table.name not in has_table:
            connection.execute(f"CREATE TEMP VIEW {table.name} AS SELECT {', '.join(more)} WHERE 0")
        elif more:
            of_file = f"*, {', '.join(more)} FROM main.{table.name}"
            connection.execute(f"CREATE TEMP VIEW {table.name} AS SELECT {of_file}")
