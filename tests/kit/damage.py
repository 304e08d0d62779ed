"""Damage to files, and what shows that others were left alone."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

PAGE_SIZE = 4096


def state(folder: Path) -> dict[str, str]:
    """Every file below a folder with the digest of its bytes, or where it leads."""
    files = (Path(where) / name for where, _, names in os.walk(folder) for name in names)
    return {str(file): _said(file) for file in files}


def _said(file: Path) -> str:
    return str(file.readlink()) if file.is_symlink() else hashlib.sha256(file.read_bytes()).hexdigest()


def flip(path: Path, to: Path, at: int, bit: int) -> None:
    """A copy of a file in which one bit is another."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    to.write_bytes(data)


def wreck(path: Path, pages: Iterable[int]) -> None:
    """Fill pages, which count from 1, with what is no page."""
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE_SIZE)
            file.write(b"\xa5" * PAGE_SIZE)


def leaves_of(path: Path, table: str) -> list[int]:
    """The pages that hold the rows of a table, in the order of its keys."""
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        [(root,)] = database.execute(query, (table,)).fetchall()
    data = path.read_bytes()
    leaves: list[int] = []
    waiting = [root]
    while waiting:
        number = waiting.pop()
        page = data[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        if page[0] in (10, 13):
            leaves.append(number)
            continue
        cells = [12 + 2 * i for i in range(int.from_bytes(page[3:5], "big"))]
        places = [int.from_bytes(page[at : at + 2], "big") for at in cells]
        children = [int.from_bytes(page[at : at + 4], "big") for at in places]
        waiting += reversed([*children, int.from_bytes(page[8:12], "big")])
    return leaves


def renumber(path: Path, page: int, cell: int, rowid: int) -> None:
    """Give a row on a leaf another number, where it was below 128 and is again: one byte."""
    data = bytearray(path.read_bytes())
    start = (page - 1) * PAGE_SIZE
    pointer = start + 8 + 2 * cell
    at = start + int.from_bytes(data[pointer : pointer + 2], "big")
    while data[at] & 0x80:  # the length of the row comes first
        at += 1
    assert data[at + 1] < 128
    data[at + 1] = rowid
    path.write_bytes(data)
