"""A grove whose first pages are gone: what they said is known from its backups, or from a new grove."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from loomapp.store import schema
from loomapp.store.checks.lost_schema import PAGE_SIZE, is_lost
from loomapp.store.connections import connect
from loomapp.store.grove import create
from loomapp.store.soundness import value_faults

# Places in the file format. Source: sqlite.org/fileformat2.html
_IN_PAGES, _FREE_LIST = slice(28, 32), slice(32, 40)
_INNER, _CELLS, _LAST_CHILD, _POINTERS = 5, slice(103, 105), slice(108, 112), 112


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
        pages = _first_pages(model, size // PAGE_SIZE)
        with path.open("rb") as file:
            before = {number: _page(file, number) for number in pages}
        _write_pages(path, pages)
        if not is_lost(path) and _rows_fit(path):
            return True
        _write_pages(path, before)
        os.truncate(path, size)
    return False


def _rows_fit(path: Path) -> bool:
    """Tell whether the rows that can be read are of the kinds their tables hold, and there are some."""
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
    file.seek((number - 1) * PAGE_SIZE)
    return file.read(PAGE_SIZE)


def _write_pages(path: Path, pages: Mapping[int, bytes]) -> None:
    with path.open("r+b") as file:
        for number, page in pages.items():
            file.seek((number - 1) * PAGE_SIZE)
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
