"""A grove whose first pages are gone: what they said is the same in every grove of its version."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from mmap import ACCESS_READ, mmap
from pathlib import Path

from loomapp.store import creating, schema
from loomapp.store.connections import connect

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
                names = ", ".join(column.name for column in table.columns)
                connection.execute(f"SELECT {names} FROM {table.name} LIMIT 0")  # noqa: S608 - names of ours
            return any(not roots.get(table.name) for table in schema.metadata.sorted_tables)
    except (sqlite3.Error, UnicodeDecodeError):  # what SQLite says of it need not be text either
        return True


def was_a_grove(path: Path) -> bool:
    """Whether a file that says something else of itself is in pages and has a table of ours written in it."""
    if path.stat().st_size == 0 or path.stat().st_size % _PAGE_SIZE:
        return False
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(_TABLE) >= 0


def put_back(path: Path) -> None:
    """Write the first page and those of the table of tables, as a new grove has them, into a file.

    Groves of one version are made by the same statements, so each table begins on the same page in all of
    them. Nothing else of the file is touched; the pages it counted as free are not used again.
    """
    model = path.with_name(f"{path.name}.model")
    creating.create(model)
    pages = model.read_bytes()
    model.unlink()
    length = path.stat().st_size // _PAGE_SIZE
    first = bytearray(pages[:_PAGE_SIZE])
    first[_IN_PAGES] = length.to_bytes(4, "big")
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
