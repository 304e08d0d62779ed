"""A damaged file read by ranges of keys, around what is broken, also without its first pages."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import JSON, Boolean, Column, Integer, LargeBinary, Table

from loomapp.store import schema
from loomapp.store.connections import connect
from loomapp.store.schema_versions import making_statements, names_in, tables_in
from loomapp.store.soundness import PAGE_SIZE, is_lost, value_faults

ON_A_PAGE = 100  # rows, at most: with it the size of the file says how many keys there can be

_UNREADABLE = (
    sqlite3.Error,
    OverflowError,
    UnicodeDecodeError,
)  # the last: what SQLite says of it is no text

Row = tuple[object, ...]

_CHOICES: Mapping[
    tuple[str, str], tuple[str | None, ...]
] = {  # what code relies on; anything else becomes the first
    ("agents", "type"): ("model", "human"),
    ("trees", "mode"): ("dialogue", "buffer"),
    ("nodes", "author_type"): ("human", "model"),
    ("edges", "type"): ("continuation", "annotation"),
    ("edge_sources", "role"): ("primary", "context", "instruction"),
    ("nodes", "role"): (None, "user", "assistant"),
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
        for other in tables_in(connection)
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


# Places in the file format. Source: sqlite.org/fileformat2.html
_IN_PAGES, _FREE_LIST = slice(28, 32), slice(32, 40)
_INNER, _CELLS, _LAST_CHILD, _POINTERS = 5, slice(103, 105), slice(108, 112), 112


def put_back(path: Path, backups: Iterable[Path] = ()) -> bool:
    """Write the first page and those of the table of tables, as a sister grove has them, into a file.

    Sisters are the file's own backups, then a new grove of each version, the newest first: made by the same
    statements, its tables begin on the same pages. The first under which rows look like rows of their tables
    is taken; if there is none, nothing is written, and the answer is False. Pages that the file counted as
    free are not used again.
    """
    size = path.stat().st_size
    for model in (*backups, *(_empty(path, version) for version in range(schema.VERSION, 0, -1))):
        pages = _first_pages(model, size // PAGE_SIZE)
        with path.open("rb") as file:
            before = {number: _page(file, number) for number in pages}
        _write_pages(path, pages)
        if not is_lost(path) and _rows_fit(path):
            return True
        _write_pages(path, before)
        os.truncate(path, size)
    return False


def _empty(path: Path, version: int) -> Path:
    """Make a grove of a version beside a file, with all tables and nothing in them."""
    fresh = path.with_name(f"{path.name}.model-{version}")
    with closing(connect(fresh, create=True)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN")
        connection.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={version}")
        for statement in making_statements(version).values():
            connection.execute(statement)
        connection.execute("COMMIT")
    return fresh


def _rows_fit(path: Path) -> bool:
    """Tell whether the rows that can be read are of the kinds their tables hold, and there are some."""
    fitting = 0
    with closing(connect(path)) as connection:
        for table in tables_in(connection):
            try:
                strange = next(iter(value_faults(connection, [table])), None)
            except (sqlite3.Error, UnicodeDecodeError):
                continue
            if strange is not None:
                return False
            fitting += connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0]
    return fitting > 0


def _first_pages(model: Path, count: int) -> dict[int, bytes]:
    """The first page of a file and those below it, by their numbers, for a file of so many pages."""
    with model.open("rb") as file:
        first = bytearray(_page(file, 1))
        first[_IN_PAGES] = count.to_bytes(4, "big")
        first[_FREE_LIST] = bytes(8)
        return {1: bytes(first), **{number: _page(file, number) for number in _children(first)}}


def _page(file: BinaryIO, number: int) -> bytes:
    file.seek((number - 1) * PAGE_SIZE)
    return file.read(PAGE_SIZE)


def _write_pages(path: Path, pages: Mapping[int, bytes]) -> None:
    with path.open("r+b") as file:
        for number, page in pages.items():
            file.seek((number - 1) * PAGE_SIZE)
            file.write(page)


def _children(first: bytearray) -> list[int]:
    if first[100] != _INNER:
        return []
    count = int.from_bytes(first[_CELLS], "big")
    places = (_POINTERS + 2 * i for i in range(count))
    cells = (int.from_bytes(first[place : place + 2], "big") for place in places)
    return [
        int.from_bytes(first[_LAST_CHILD], "big"),
        *(int.from_bytes(first[c : c + 4], "big") for c in cells),
    ]
