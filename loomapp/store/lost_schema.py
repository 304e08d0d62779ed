"""A grove whose first pages are gone: what they said is known from its backups, or from a new grove."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from mmap import ACCESS_READ, mmap
from pathlib import Path

from loomapp.store import creating, schema
from loomapp.store.columns import names_in
from loomapp.store.connections import connect
from loomapp.store.soundness import value_faults

# Places in the file format. Source: sqlite.org/fileformat2.html
_PAGE_SIZE, _IN_PAGES, _FREE_LIST = 4096, slice(28, 32), slice(32, 40)
_INNER, _CELLS, _LAST_CHILD, _POINTERS = 5, slice(103, 105), slice(108, 112), 112
_TABLE = b"CREATE TABLE change_log"


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
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(_TABLE) >= 0


def put_back(path: Path, backups: Iterable[Path] = ()) -> bool:
    """Write the first page and those of the table of tables, as a sister grove has them, into a file.

    Sisters are the file's own backups, then a new grove: made by the same statements, its tables begin on the
    same pages. The first under which rows look like rows of their tables is taken; if there is none, nothing
    is written, and the answer is False. Pages that the file counted as free are not used again.
    """
    fresh = path.with_name(f"{path.name}.model")
    creating.create(fresh)
    before = path.read_bytes()
    for model in (*backups, fresh):
        _write_first_pages(path, model.read_bytes())
        if not is_lost(path) and _rows_fit(path):
            return True
        path.write_bytes(before)
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


def _write_first_pages(path: Path, pages: bytes) -> None:
    first = bytearray(pages[:_PAGE_SIZE])
    first[_IN_PAGES] = (path.stat().st_size // _PAGE_SIZE).to_bytes(4, "big")
    first[_FREE_LIST] = bytes(8)
    with path.open("r+b") as file:
        file.write(first)
        for number in _children(first):
            file.seek((number - 1) * _PAGE_SIZE)
            file.write(pages[(number - 1) * _PAGE_SIZE : number * _PAGE_SIZE])


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
