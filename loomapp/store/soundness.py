"""Soundness of a grove file: SQLite's own check, its foreign keys, hashes, and whether its schema is lost."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    Table,
    Text,
    bindparam,
    func,
    select,
)

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.model.hashes import verify_below
from loomapp.core.sentences import worded
from loomapp.store import schema
from loomapp.store.connections import connect, open_engine
from loomapp.store.opening.look import look
from loomapp.store.opening.readers import reader
from loomapp.store.rows import responses, tree_rows
from loomapp.store.schema_versions import lacking_in, making_statements, names_in, tables_in
from loomapp.store.statements import FIRST_MOMENT, LAST_MOMENT, Statement

# What a damaged value raises in code that trusts the types of the file.
BROKEN_VALUE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, LoomError)

_TAKEN_AS_FOUND = (schema.nodes, schema.edges, schema.edge_sources)  # what is no JSON there is told by a seal
_ONE_HASH = re.compile(rb'\["[0-9a-f]{64}"\]').fullmatch  # the JSON of nearly all cells that hold any
AT_ONCE = 500  # rows whose cells are looked at together
PART = 100  # nodes, some thousandths of a second

_EDGES, _SOURCES, _NODES = schema.edges.c, schema.edge_sources.c, schema.nodes.c
_PARENT_HASHES = Statement(
    lambda: (
        select(_EDGES.target, _NODES.content_hash)
        .select_from(schema.edges)
        .join(schema.edge_sources, _SOURCES.edge == _EDGES.id)
        .join(schema.nodes, _NODES.id == _SOURCES.node)
        .where(
            _EDGES.tree == bindparam("in_tree"), _EDGES.present, _EDGES.type == "continuation", _NODES.present
        )
        .order_by(_EDGES.target)
    )
)
_NO_MORE: tuple[int, tuple[tuple[int, str], ...]] = (sys.maxsize, ())


def is_broken(path: Path) -> bool:
    """Tell whether SQLite finds its own structure damaged in a file that nobody writes."""
    with closing(connect(path, "immutable")) as connection:
        try:
            return bool(structure_faults(connection))
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
                return True
            raise


def has_faults(path: Path) -> bool:
    """Tell whether anything in a grove that nobody has open is not what it should be: its structure or a
    value.
    """
    with closing(connect(path, look(path).reading_access)) as connection:
        return are_faults_in(connection)


def are_faults_in(connection: sqlite3.Connection) -> bool:
    """Tell whether anything is not what it should be, by a connection to a grove that may be open."""
    try:
        return bool(structure_faults(connection)) or any(True for _ in value_faults(connection))
    except sqlite3.DatabaseError:
        return True


def structure_faults(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite says of damaged pages, indexes and constraints, and rows that point at nothing."""
    lines = [line for (line,) in connection.execute("PRAGMA integrity_check")]
    return [*(line for line in lines if line != "ok"), *orphan_faults(connection)]


def index_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Indexes of ours that are not there: without one all is as it was, but slower, or what must be there
    once may come twice.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'")}
    for kind, name in making_statements(version if 1 <= version <= schema.VERSION else schema.VERSION):
        if kind == "index" and name not in there:
            yield f"the index {name} is missing"


def orphan_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Rows that belong to a row which is not there, such as nodes of a lost tree: a line for each table."""
    lost: dict[tuple[str, str], list[int]] = {}
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        lost.setdefault((table, parent), []).append(row)
    for (table, parent), rows in lost.items():
        first = f"row {rows[0]} of {table} points at a row of {parent} that is not there"
        yield first if len(rows) == 1 else f"{first}, and so do {len(rows) - 1} more"


def value_faults(connection: sqlite3.Connection, tables: Iterable[Table] | None = None) -> Iterator[str]:
    """Cells that are not of the kind that their column holds, which a bit or another hand can change; in all
    tables if none are named.
    """
    tables = tables_in(connection) if tables is None else tables
    was = connection.text_factory
    connection.text_factory = bytes
    try:
        yield from _value_faults(connection, tables)
    finally:
        connection.text_factory = was


def _value_faults(connection: sqlite3.Connection, tables: Iterable[Table]) -> Iterator[str]:
    for table in tables:
        names = names_in(connection, table)
        kinds = " AND ".join(map(_is_of_its_kind, table.columns))
        cursor = connection.execute(f"SELECT {kinds}, * FROM (SELECT {names} FROM {table.name})")
        while rows := cursor.fetchmany(AT_ONCE):
            if _all_fit(table, rows):
                continue  # nearly always: no cell was looked at by itself
            for _, *row in rows:
                for column, value in zip(table.columns, row, strict=True):
                    if not _fits(column, value):
                        yield _not_as_it_should(table, row[0], column)


def kind_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Cells that are not of the kind that their column holds, as far as SQLite can tell at one look at each
    table: what reads them takes some for what they are not, such as 2 for true, or a time of no calendar for
    none at all.
    """
    for table in tables_in(connection):
        key, lacking = table.columns[0].name, lacking_in(connection, table)
        columns = [column for column in table.columns if column.name not in lacking]
        are_fine = [_may_be_of_its_kind(column) for column in columns]
        query = f"SELECT {key}, {', '.join(are_fine)} FROM {table.name} WHERE NOT ({' AND '.join(are_fine)})"
        for row, *fine in connection.execute(f"{query} ORDER BY {key}"):
            for column, is_fine in zip(columns, fine, strict=True):
                if not is_fine:
                    yield _not_as_it_should(table, row, column)


def damage_behind(error: Exception, path: Path) -> GroveError | None:
    """The damage of a grove file that led to an error, such as bytes in the place of a text; None if it is no
    error that such a cell leads to, or no cell is to blame.
    """
    if not isinstance(error, BROKEN_VALUE):
        return None
    cell = None
    with suppress(LoomError, OSError, sqlite3.Error), reader(path, look(path).wanted_access) as connection:
        cell = next(kind_faults(connection), None)
    if cell is None:
        return None
    words = "{path} is damaged: {cell}. `loomapp check` names all that is; open a backup, or repair it."
    return GroveError("damaged", worded(words, path=path, cell=cell), path=str(path))


def _may_be_of_its_kind(column: Column[Any]) -> str:
    """A condition that holds for every cell that fits, and for hardly any other."""
    if isinstance(column.type, JSON) and column.table in _TAKEN_AS_FOUND:
        return f"({column.name} IS NULL OR typeof({column.name}) <> 'blob')"
    if isinstance(column.type, JSON):
        may_be_null = int(column.nullable is True)
        told = f"WHEN 'text' THEN json_valid({column.name}) WHEN 'null' THEN {may_be_null}"
        return f"(CASE typeof({column.name}) {told} WHEN 'blob' THEN 0 ELSE 1 END)"
    return _is_of_its_kind(column)


def _not_as_it_should(table: Table, row: object, column: Column[Any]) -> str:
    name = row.encode() if isinstance(row, str) else row
    return f"{table.name} {name!a}: {column.name} is not what it should be"


def _all_fit(table: Table, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Tell whether every cell of some rows fits; before them stands what SQLite says of the kinds of their
    cells.

    A line feed between texts keeps them apart, so that all are decoded at one look.
    """
    if not all(row[0] for row in rows):
        return False
    values = {row[place] for place in _places(table, JSON) for row in rows} - {None}
    texts = (row[place] for place in _places(table, Text) for row in rows if row[place])
    are_texts = _is_text(b"\n".join((*texts, *values)))
    return are_texts and all(_ONE_HASH(cell) or _is_json(cell) for cell in values)


def _is_of_its_kind(column: Column[Any]) -> str:
    """A condition that holds only where a cell fits, as far as SQLite can tell; `_fits` decides."""
    kind = {Boolean: "integer", Integer: "integer", LargeBinary: "blob"}.get(type(column.type), "text")
    told = f"typeof({column.name}) = '{kind}'"
    if isinstance(column.type, Integer) and column.name.endswith("_at"):
        told = f"({told} AND {column.name} BETWEEN {FIRST_MOMENT} AND {LAST_MOMENT})"
    if isinstance(column.type, Boolean):
        told = f"({column.name} IS 0 OR {column.name} IS 1)"
    return f"({column.name} IS NULL OR {told})" if column.nullable else told


def _places(table: Table, kind: type[Text | JSON]) -> list[int]:
    return [place for place, column in enumerate(table.columns, 1) if isinstance(column.type, kind)]


def _fits(column: Column[Any], value: object) -> bool:
    if value is None:
        return column.nullable is True
    match column.type:
        case Boolean():
            return value in (0, 1)
        case Integer() if column.name.endswith("_at"):
            return isinstance(value, int) and FIRST_MOMENT <= value <= LAST_MOMENT
        case Integer():
            return isinstance(value, int)
        case LargeBinary():
            return isinstance(value, bytes)
        case JSON():
            # A number by itself is kept as one: that is what such a column is for SQLite.
            return isinstance(value, int | float) or (isinstance(value, bytes) and _is_json(value))
        case _:
            return isinstance(value, bytes) and _is_text(value)


def _is_text(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_json(value: bytes) -> bool:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


def count_failing(path: Path, between: Callable[[], None] = lambda: None) -> int:
    """Return how many nodes of a file that nobody writes are not as their hash says.

    `between` is called every now and then; what it raises ends the count. No tree is made: letting go of a
    large one would keep every other thread waiting.
    """
    engine = open_engine(path, "immutable")
    try:
        with engine.begin() as connection:
            tree_ids = connection.execute(select(schema.trees.c.tree_id)).scalars().all()
            return sum(_count_failing_in(connection, tree_id, between) for tree_id in tree_ids)
    finally:
        engine.dispose()


def _count_failing_in(connection: Connection, tree_id: str, between: Callable[[], None]) -> int:
    number, failing = tree_rows.tree_number(connection, tree_id), 0
    try:
        digests = responses.read_digests(connection, number)
        above = groupby(_PARENT_HASHES.run(connection, {"in_tree": number}), itemgetter(0))
        target, hashes = next(above, _NO_MORE)
        for count, (row, node) in enumerate(tree_rows.read_each(connection, number)):
            if count % PART == 0:
                between()
            while target < row:
                target, hashes = next(above, _NO_MORE)
            present = {content_hash for _, content_hash in hashes} if target == row else set()
            failing += verify_below(present, node, digests.get(node.id)).verdict == "failed"
        return failing
    except GroveError:  # of `between`
        raise
    except BROKEN_VALUE:
        query = select(func.count()).join(schema.trees, schema.trees.c.id == schema.nodes.c.tree)
        return connection.execute(query.where(schema.trees.c.tree_id == tree_id)).scalar_one()


PAGE_SIZE = 4096  # of every grove
_TABLE = b"CREATE TABLE change_log"
_SEARCHED_BYTES = 1 << 30  # from the beginning, where the table of tables nearly always is
_AT_ONCE = 1 << 20


def is_lost(path: Path) -> bool:
    """Tell whether the tables of a grove can no longer be found by what the file says of itself."""
    try:
        with closing(connect(path)) as connection:
            query = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL"
            roots = dict(connection.execute(query).fetchall())
            tables = tables_in(connection)
            for table in tables:
                connection.execute(f"SELECT {names_in(connection, table)} FROM {table.name} LIMIT 0")
            return any(not roots.get(table.name) for table in tables)
    except (sqlite3.Error, UnicodeDecodeError):  # what SQLite says of it need not be text either
        return True


def was_a_grove(path: Path) -> bool:
    """Tell whether a file that says something else of itself is in pages and has a table of ours written in
    it.
    """
    if path.stat().st_size == 0 or path.stat().st_size % PAGE_SIZE:
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
