"""Whether a grove file is sound: SQLite's own check, its foreign keys, and the hash of every node."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Connection, Integer, LargeBinary, Table, func, select

from loomapp.core.errors import LoomError
from loomapp.core.provenance import verify
from loomapp.store import reading, responses, schema
from loomapp.store.connections import connect, open_engine
from loomapp.store.opening import look

# What a damaged value raises in code that trusts the types of the file.
BROKEN_VALUE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, LoomError)


def is_broken(path: Path) -> bool:
    """Whether SQLite finds its own structure damaged in a file that nobody writes."""
    with closing(connect(path, "immutable")) as connection:
        try:
            return bool(structure_faults(connection))
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
                return True
            raise


def has_faults(path: Path) -> bool:
    """Whether anything in a grove that nobody has open is not what it should be: its structure or a value."""
    with closing(connect(path, look(path).reading_access)) as connection:
        return are_faults_in(connection)


def are_faults_in(connection: sqlite3.Connection) -> bool:
    """The same by a connection to a grove that may be open."""
    try:
        return bool(structure_faults(connection)) or any(True for _ in value_faults(connection))
    except sqlite3.DatabaseError:
        return True


def structure_faults(connection: sqlite3.Connection) -> list[str]:
    """What SQLite says of damaged pages, indexes and constraints, and rows that point at nothing."""
    lines = [line for (line,) in connection.execute("PRAGMA integrity_check")]
    lost = connection.execute("PRAGMA foreign_key_check").fetchall()
    return [line for line in lines if line != "ok"] + [
        f"row {row} of {table} points at a row of {parent} that is not there"
        for table, row, parent, _ in lost
    ]


def value_faults(
    connection: sqlite3.Connection, tables: Iterable[Table] = tuple(schema.metadata.sorted_tables)
) -> Iterator[str]:
    """Cells that are not of the kind that their column holds, which a bit or another hand can change."""
    connection.text_factory = bytes
    for table in tables:
        names = ", ".join(column.name for column in table.columns)
        for row in connection.execute(f"SELECT {names} FROM {table.name}"):  # noqa: S608 - names of ours
            for column, value in zip(table.columns, row, strict=True):
                if not _fits(column, value):
                    yield f"{table.name} {row[0]!a}: {column.name} is not what it should be"


def _fits(column: Column[Any], value: object) -> bool:
    if value is None:
        return column.nullable is True
    match column.type:
        case Boolean():
            return value in (0, 1)
        case Integer():
            return isinstance(value, int)
        case LargeBinary():
            return isinstance(value, bytes)
        case JSON():
            return isinstance(value, bytes) and _is_json(value)
        case _:
            return isinstance(value, bytes) and _is_text(value)


def _is_text(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_json(value: bytes) -> bool:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


def count_failing(path: Path) -> int:
    """How many nodes of a file that nobody writes are not as their hash says; 0 for older versions."""
    engine = open_engine(path, "immutable")
    try:
        with engine.begin() as connection:
            if connection.exec_driver_sql("PRAGMA user_version").scalar_one() != schema.VERSION:
                return 0  # read in the words of its day by its migrations only
            tree_ids = connection.execute(select(schema.trees.c.tree_id)).scalars().all()
            return sum(_count_failing_in(connection, tree_id) for tree_id in tree_ids)
    finally:
        engine.dispose()


def _count_failing_in(connection: Connection, tree_id: str) -> int:
    try:
        tree = reading.read_tree(connection, tree_id)
        digests = responses.read_digests(connection, reading.tree_number(connection, tree_id))
        return sum(finding.verdict == "failed" for finding in verify(tree, digests))
    except BROKEN_VALUE:
        query = select(func.count()).join(schema.trees, schema.trees.c.id == schema.nodes.c.tree)
        return connection.execute(query.where(schema.trees.c.tree_id == tree_id)).scalar_one()
