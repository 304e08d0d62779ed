"""Core statements compiled once and run on the driver: what every commit does, at a tenth of the cost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement

from loomapp.core.times import parse_time

FIRST_MOMENT, LAST_MOMENT = parse_time("0001-01-01T00:00:00.000Z"), parse_time("9999-12-31T23:59:59.999Z")
_DIALECT = SQLiteDialect_pysqlite(paramstyle="qmark")


class Statement:
    """A statement ready to run. Values go to SQLite as they are: JSON as its text."""

    def __init__(self, build: Callable[[], ClauseElement]) -> None:
        """`build` is called when it is first run: most starts run few of all statements."""
        self._build = build

    def run(self, connection: Connection, values: Mapping[str, Any]) -> sqlite3.Cursor:
        sql, fixed, names = self._compiled
        values = {**fixed, **values}
        return driver(connection).execute(sql, [values[name] for name in names])

    def run_taking(self, connection: Connection, values: dict[str, Any]) -> None:
        """Run it once, and take each value out of the mapping as SQLite gets its copy: of a very long one
        there is then no third beside that and the row.
        """
        sql, fixed, names = self._compiled
        assert not fixed, "all its values are those of the mapping"
        driver(connection).execute(sql, _Taken(values, names))

    def run_each(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run it for each row, which need not be there before; how many rows of the file it touched."""
        sql, fixed, names = self._compiled
        if fixed:
            rows = ({**fixed, **row} for row in rows)
        each = ([row[name] for name in names] for row in rows)
        return max(driver(connection).executemany(sql, each).rowcount, 0)

    def run_cells(self, connection: Connection, rows: Iterable[Sequence[Any]]) -> None:
        """Run it for each row of values in the order of its parameters, for a hundred thousand of them: a row
        is not made by names only to be taken apart again.
        """
        sql, fixed, _ = self._compiled
        assert not fixed, "all its values are those of the rows"
        driver(connection).executemany(sql, rows)

    @cached_property
    def _compiled(self) -> tuple[str, Mapping[str, Any], Sequence[str]]:
        """Return its text, the values it always has, and the names of all in the order of their places: by
        name the driver makes a new text of each name for each row.
        """
        compiled = self._build().compile(dialect=_DIALECT)
        assert isinstance(compiled, SQLCompiler), "only statements with a text of their own"
        fixed = {name: value for name, value in compiled.params.items() if value is not None}
        return str(compiled), fixed, tuple(compiled.positiontup or ())


class _Taken:
    """The values of a mapping in the order of their names, each gone from it once it was asked for."""

    def __init__(self, values: dict[str, Any], names: Sequence[str]) -> None:
        self._values, self._names = values, names

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, place: int) -> Any:
        return self._values.pop(self._names[place])


def driver(connection: Connection) -> sqlite3.Connection:
    """The driver's connection under one of SQLAlchemy's."""
    found = connection.connection.driver_connection
    assert isinstance(found, sqlite3.Connection), "groves are SQLite files"
    return found


class BrokenText(Exception):
    """Raised by a text that is no Unicode, where only whole texts are read."""


@contextmanager
def whole_texts(connection: Connection) -> Iterator[None]:
    """Let SQLite's driver itself read texts meanwhile, at half the cost; it knows no more of a broken one.

    Raises: BrokenText.
    """
    database = driver(connection)
    was = database.text_factory
    database.text_factory = str
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", ""):
            raise  # of the file or the disk, not of a text
        raise BrokenText from error
    finally:
        database.text_factory = was


def json_text(value: object) -> str | None:
    """A JSON value as a column of type JSON holds it; NULL for None and for an empty object or list."""
    return _json(value) if value else None


_json = json.JSONEncoder(check_circular=False).encode  # nothing of a tree holds itself


def json_value(text: str | None) -> Any:
    """Return what a column of type JSON holds. A damaged cell is handed on as such: verification then names
    it.
    """
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {"unreadable": str(text)}


def json_object(text: str | None) -> dict[str, Any]:
    """Return what a column holds that is NULL or a JSON object; anything else is handed on as unreadable."""
    value = json_value(text) or {}
    return value if isinstance(value, dict) else {"unreadable": str(text)}


def moment(cell: object) -> int:
    """A time that the calendar holds. What another hand left there is the epoch: verification names it."""
    return cell if type(cell) is int and FIRST_MOMENT <= cell <= LAST_MOMENT else 0
