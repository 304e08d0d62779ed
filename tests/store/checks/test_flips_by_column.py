"""One bit of every column of every table: something finds that it is another."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Integer, LargeBinary

from loomapp.store.checks.check import check
from loomapp.store.schema import VERSION, metadata
from tests.data.golden.make_grove import golden


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grove in which no table is empty."""
    path = tmp_path_factory.mktemp("golden") / "grove.loom"
    shutil.copy(golden(VERSION), path)
    return path


def other(column: Column[Any], value: Any) -> Any:
    """The value with one bit changed, of the same kind; None if there is none such."""
    match column.type:
        case JSON():
            return _other_json(value)
        case Boolean() | Integer():
            return value ^ 1
        case LargeBinary():
            return value[:-1] + bytes([value[-1] ^ 1])
        case _:
            return _other_text(value)


def _other_text(value: str) -> str | None:
    place = next((i for i, letter in enumerate(value) if letter.isascii() and letter.isalnum()), None)
    return None if place is None else value[:place] + chr(ord(value[place]) ^ 1) + value[place + 1 :]


def _other_json(value: str) -> str | None:
    """Another letter or digit, with which it is JSON still, and says something else."""
    for place, letter in enumerate(value):
        if letter.isascii() and letter.isalnum():
            said = value[:place] + chr(ord(letter) ^ 1) + value[place + 1 :]
            try:
                if json.loads(said) != json.loads(value):
                    return said
            except ValueError:
                continue
    return None


def flipped(path: Path, table: str, column: Column[Any]) -> bool:
    """Changes a bit in a row that has one there, in a tree with true hashes where there is such a row."""
    keys = ", ".join(key.name for key in metadata.tables[table].primary_key)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        made_up = database.execute("SELECT id FROM trees WHERE tree_id = 'everything'").fetchone()[0]
        columns = metadata.tables[table].columns
        first = f"tree = {made_up}, " if "tree" in columns else ""
        first += "NOT present, " if "present" in columns else ""
        found = database.execute(
            f"SELECT {keys}, {column.name} FROM {table} WHERE {column.name} IS NOT NULL "
            f"ORDER BY {first}{keys} DESC"
        )
        for *key, value in found.fetchall():
            changed = other(column, value)
            if changed is None:
                continue
            where = " AND ".join(f"{name} = ?" for name in keys.split(", "))
            database.execute(f"UPDATE OR IGNORE {table} SET {column.name} = ? WHERE {where}", (changed, *key))
            if database.execute("SELECT changes()").fetchone() == (1,):
                return True
    return False


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_every_column_is_sealed(sound: Path, tmp_path: Path, every: int) -> None:
    """One column of eight of each table, another from table to table, or all of them."""
    path = tmp_path / "flipped.loom"
    path.write_bytes(sound.read_bytes())
    before = set(check(path).problems)  # the hashes of one of its trees are made up, its images are not there
    unseen: dict[str, set[str]] = defaultdict(set)
    places = 0

    for number, table in enumerate(metadata.sorted_tables):
        for column in [*table.columns][number % 3 if every > 1 else 0 :: every]:
            if column.name == "id":
                continue  # names nothing: rows are known by their tree and text id
            path.write_bytes(sound.read_bytes())
            if not flipped(path, table.name, column):
                continue
            places += 1
            kinds = sorted({problem.kind for problem in {*check(path).problems} ^ before})
            print(f"{table.name}.{column.name}: {', '.join(kinds) or 'nothing finds it'}")
            if not kinds:
                unseen[table.name].add(column.name)

    assert places >= (40 if every == 1 else 12)
    assert unseen == {}
