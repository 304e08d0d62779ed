"""Triggers, views, tables and indexes of a grove file that Loomapp did not make: they could rewrite it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from sqlalchemy import MetaData
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from loomapp.store import schema

Name: TypeAlias = tuple[str, str]  # kind and name, as `sqlite_schema` has them
Made: TypeAlias = tuple[str, ...]  # the parts of a statement that makes something

# Tables that SQLite makes and keeps itself: the last numbers, and what ANALYZE counted.
_OF_SQLITE = {
    "sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
LONGEST_NAME = 60  # characters that are told of a name
_AROUND_SIGNS = re.compile(r"\s*([(),])\s*")
_SIGNS = re.compile(r"([(),])")


def foreign_in(connection: sqlite3.Connection, version: int) -> tuple[str, ...]:
    """Return what a grove file of a version holds that Loomapp did not make, or made otherwise, each in some
    words.

    The statements that made each table and index are compared, so that an added column, a check, another
    collation or a virtual table is found too. Raises: sqlite3.Error.
    """
    ours = statements_of(version)
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid"
    found = [
        _told(kind, name, table, is_known=(kind, name) in ours)
        for kind, name, table, sql in connection.execute(query)
        if ours.get((kind, name)) != _parts(sql) and not (kind == "index" and sql is None)  # of a constraint
    ]
    return tuple(dict.fromkeys(found))


def stands_for_a_table(connection: sqlite3.Connection, version: int) -> str | None:
    """The name of a table of ours in whose place a view stands. Raises: sqlite3.Error."""
    names = {name for kind, name in statements_of(version) if kind == "table"}
    views = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'")
    return next((name for (name,) in views if name in names), None)


@lru_cache
def statements_of(version: int) -> Mapping[Name, Made]:
    """The statement that makes each table and index of a version, taken apart."""
    dialect = SQLiteDialect_pysqlite()
    found = {("table", name): _parts(sql) for name, sql in _OF_SQLITE.items()}
    for table in _metadata_of(version).sorted_tables:
        found["table", table.name] = _parts(str(CreateTable(table).compile(dialect=dialect)))
        for index in table.indexes:
            made = str(CreateIndex(index).compile(dialect=dialect))
            found["index", str(index.name)] = _parts(made)
    return found


def _metadata_of(version: int) -> MetaData:
    """The tables of a version: those of today without what came later."""
    if version == schema.VERSION:
        return schema.metadata
    found = MetaData(naming_convention=schema.metadata.naming_convention)
    for table in schema.metadata.sorted_tables:
        copy = table.to_metadata(found)
        for column in copy.columns:
            name = table.name, column.name
            column.system = any(name in came for at, came in schema.ADDED.items() if at > version)
            if any(name in freed for at, freed in schema.FREED.items() if at > version):
                column.nullable = False
    return found


def _parts(sql: object) -> Made:
    """A statement, its columns in order and its constraints in any: SQLAlchemy keeps none among those."""
    text = _AROUND_SIGNS.sub(r"\1", " ".join(str(sql).split()))
    head, _, rest = text.partition("(")
    inside, _, tail = rest.rpartition(")")
    parts, depth = [""], 0
    for piece in _SIGNS.split(inside):
        depth += (piece == "(") - (piece == ")")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    is_constraint = [part.startswith("CONSTRAINT ") for part in parts]
    columns = (part for part, is_one in zip(parts, is_constraint, strict=True) if not is_one)
    constraints = (part for part, is_one in zip(parts, is_constraint, strict=True) if is_one)
    return (head, *columns, *sorted(constraints), tail)


def _told(kind: object, name: object, table: object, *, is_known: bool) -> str:
    kind = kind if kind in ("table", "view", "index", "trigger") else "entry"
    if is_known:
        return f"the {kind} {_quoted(name)} in another form"
    return f"the {kind} {_quoted(name)}" + (f" on {_quoted(table)}" if kind in ("index", "trigger") else "")


def _quoted(name: object) -> str:
    text = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in str(name))
    return f"“{text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + '…'}”"
