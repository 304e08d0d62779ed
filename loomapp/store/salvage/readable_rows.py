"""Readable rows of the tables of a damaged file: by ranges of keys, row by row around what is broken."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Integer, LargeBinary, Table

from loomapp.store.rows.columns import names_in

ON_A_PAGE = 100  # rows, at most: with it the size of the file says how many keys there can be

_UNREADABLE = (
    sqlite3.Error,
    OverflowError,
    UnicodeDecodeError,
)  # the last: what SQLite says of it is no text

Row = tuple[object, ...]

_CHOICES = {  # what code relies on; anything else becomes the first
    ("agents", "type"): ("model", "human"),
    ("trees", "mode"): ("dialogue", "buffer"),
    ("nodes", "author_type"): ("human", "model"),
    ("edges", "type"): ("continuation", "annotation"),
    ("edge_sources", "role"): ("primary", "context", "instruction"),
}
_LISTS = {("nodes", "parent_hashes")}
_ANYTHING = {("settings", "value")}


def readable_rows(connection: sqlite3.Connection, table: Table, lost: Callable[[], None]) -> Iterator[Row]:
    """Every row of a table that can be read, mended, most of them twice; `lost` is called for each key at
    which reading fails, also where there was none; not where no part of the file says how many there were
    (see `greatest_key`).

    A range that cannot be read to its end is halved, so a broken page costs no more than what it held.
    """
    has_rowid = table.dialect_options["sqlite"]["with_rowid"]
    key = _key(table)
    names = names_in(connection, table)
    with suppress(*_UNREADABLE):  # first as they lie, which finds rows under wrong keys too
        for row in connection.execute(f"SELECT {names} FROM {table.name} NOT INDEXED"):
            yield tuple(map(_mended, table.columns, row))
    query = f"SELECT {key}, {names} FROM {table.name} WHERE {key} BETWEEN ? AND ? ORDER BY {key}"
    greatest = greatest_key(connection, table)
    waiting = [(0, _most_keys(connection) if greatest is None else greatest)]
    while waiting:
        low, high = waiting.pop()
        start = low
        try:
            for found, cells in _rows_between(connection, query, low, high, once=has_rowid):
                yield tuple(map(_mended, table.columns, cells))
                start = found + 1 if has_rowid else found  # of one edge there may be more
            # A row whose key is too great hides those behind it from a reader who comes from before.
            for _, cells in _rows_between(connection, f"{query} DESC", start, high, once=has_rowid):
                yield tuple(map(_mended, table.columns, cells))
        except _UNREADABLE:
            if start >= high:
                if greatest is not None and start > 0:  # the first key is 1
                    lost()
                continue
            middle = (start + high) // 2
            waiting += [(middle + 1, high), (start, middle)]


def _rows_between(
    connection: sqlite3.Connection, query: str, low: int, high: int, *, once: bool
) -> Iterator[tuple[int, list[object]]]:
    """Rows with their keys, in the order in which the file has them, which need not be that of the keys."""
    for count, (found, *row) in enumerate(connection.execute(query, (low, high)), 1):
        if not isinstance(found, int) or not low <= found <= high or (once and count > high - low + 1):
            raise sqlite3.DatabaseError("a row that is not where it belongs")
        yield found, row


def greatest_key(connection: sqlite3.Connection, table: Table) -> int | None:
    """The greatest key of a table, by whatever part of the file still says it; None if none does."""
    key = _key(table)
    searches = [f"SELECT max({key}) FROM {table.name}"]
    with suppress(*_UNREADABLE):
        indexes = [row[1] for row in connection.execute(f"PRAGMA index_list({table.name})")]
        searches += [f'SELECT max({key}) FROM {table.name} INDEXED BY "{index}"' for index in indexes]
    searches += [
        f"SELECT max({column.name}) FROM {other.name}"
        for other in table.metadata.sorted_tables
        for column in other.columns
        if any(reference.column.table is table for reference in column.foreign_keys)
    ]
    found = []
    for search in searches:
        with suppress(*_UNREADABLE):
            [greatest] = connection.execute(search).fetchone()
            if greatest is None or isinstance(greatest, int):
                found.append(greatest or 0)
    return max(found, default=None)


def _most_keys(connection: sqlite3.Connection) -> int:
    """Return how many keys there can be in a file of this size."""
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    return pages * ON_A_PAGE


def _key(table: Table) -> str:
    has_rowid = table.dialect_options["sqlite"]["with_rowid"]
    return "rowid" if has_rowid else next(iter(table.primary_key)).name


def _mended(column: Column[Any], value: object) -> object:
    """A cell as its column holds it: what is of another kind gives way to as little as possible."""
    name = column.table.name, column.name
    match column.type:
        case Boolean():
            return value if value in (0, 1) else 0
        case Integer():
            return value if isinstance(value, int) or (value is None and column.nullable) else 0
        case LargeBinary():
            return value if isinstance(value, bytes) else str(value or "").encode()
        case JSON():
            shape = list if name in _LISTS else object if name in _ANYTHING else dict
            return value if _is_json(value, shape) else None if column.nullable else "{}"
    if value is None and column.nullable:
        return None
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
    choices = _CHOICES.get(name)
    return text if choices is None or text in choices else choices[0]


def _is_json(value: object, shape: type) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return isinstance(json.loads(value), shape)
    except (ValueError, RecursionError):
        return False
