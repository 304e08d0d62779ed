"""A grove whose first pages are gone: what they said is known from its backups, or from a new grove."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from loomapp.store import schema
from loomapp.store.connections import connect
from loomapp.store.grove import create
from loomapp.store.rows.columns import names_in
from loomapp.store.soundness import value_faults

# Places in the file format. Source: sqlite.org/fileformat2.html
_PAGE_SIZE, _IN_PAGES, _FREE_LIST = 4096, slice(28, 32), slice(32, 40)
_INNER, _CELLS, _LAST_CHILD, _POINTERS = 5, slice(103, 105), slice(108, 112), 112
_TABLE = b"CREATE TABLE change_log"
_SEARCHED_BYTES = 1 << 30  # from the beginning, where the table of tables nearly always is
_AT_ONCE = 1 << 20


def is_lost(path: Path) -> bool:
    """Whether the tables of a grove can no longer be found by what the file says of itself."""
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
    """Whether a file that says something else of itself is in pages and has a table of ours written in it."""
    if path.stat().st_size == 0 or path.stat().st_size % _PAGE_SIZE:
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


def put_back(path: Path, backups: Iterable[Path] = ()) -> bool:
    """Write the first page and those of the table of tables, as a sister grove has them, into a file.

    Sisters are the file's own backups, then a new grove: made by the same statements, its tables begin on the
    same pages. The first under which rows look like rows of their tables is taken; if there is none, nothing
    is written, and the answer is False. Pages that the file counted as free are not used again.
    """
    fresh = path.with_name(f"{path.name}.model")
    create.create(fresh)
    size = path.stat().st_size
    for model in (*backups, fresh):
        pages = _first_pages(model, size // _PAGE_SIZE)
        with path.open("rb") as file:
            before = {number: _page(file, number) for number in pages}
        _write_pages(path, pages)
        if not is_lost(path) and _rows_fit(path):
            return True
        _write_pages(path, before)
        os.truncate(path, size)
    return False


def _rows_fit(path: Path) -> bool:
    """Whether the rows that can be read are of the kinds their tables hold, and there are some."""
    fitting = 0
    with closing(connect(path)) as connection:
        for table in schema.metadata.sorted_tables:
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
    file.seek((number - 1) * _PAGE_SIZE)
    return file.read(_PAGE_SIZE)


def _write_pages(path: Path, pages: Mapping[int, bytes]) -> None:
    with path.open("r+b") as file:
        for number, page in pages.items():
            file.seek((number - 1) * _PAGE_SIZE)
            file.write(page)


def _children(first: bytearray) -> list[int]:
    """The pages below the first one."""
    if first[100] != _INNER:
        return []
    count = int.from_bytes(first[_CELLS], "big")
    places = (_POINTERS + 2 * i for i in range(count))
    cells = (int.from_bytes(first[place : place + 2], "big") for place in places)
    return [
        int.from_bytes(first[_LAST_CHILD], "big"),
        *(int.from_bytes(first[c : c + 4], "big") for c in cells),
    ]
