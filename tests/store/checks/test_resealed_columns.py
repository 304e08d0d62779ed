"""Every column rewritten by a forger who makes every sum fit: a kept head tells, or the README lists it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Connection, Integer
from sqlalchemy.exc import SQLAlchemyError

from loomapp.core.model.raw_response import UNREADABLE
from loomapp.store.checks.grove_verification import verify_as_seen
from loomapp.store.connections import open_engine
from loomapp.store.rows.chain import ChainHead, changes_since, read_head
from loomapp.store.schema import metadata
from loomapp.store.soundness import BROKEN_VALUE
from loomapp.store.statements import driver
from tests.kit.families import one_in
from tests.store.checks.resealing import rehash_in, relink_in, rewrite_log_in
from tests.store.checks.test_single_edits import not_provable
from tests.store.rich_groves import NEVER_WRITTEN, Edit, every_edit

AT = 1_790_000_000_000
LOG = "change_log"
HASHED = {"nodes", "responses", "node_responses"}  # the tables that hashes cover
SUMS = {"nodes.content_hash", "change_log.link"}  # made anew they would be what they were
STUCK = (*BROKEN_VALUE, *UNREADABLE, SQLAlchemyError)  # what stops a forger from making a sum


@dataclass(frozen=True, slots=True)
class Forger:
    """Whoever edits a grove of which the head was kept, and makes every sum follow by `reseal`."""

    connection: Connection
    reseal: Callable[[Connection, Edit], None]

    @property
    def head(self) -> ChainHead:
        head = read_head(self.connection)
        assert head is not None
        return head

    def unnamed(self, edits: Iterable[Edit], most: int) -> Iterator[tuple[Edit, bool]]:
        """Yield edits that the file takes, at most so many of a column, and whether nobody can tell; each is
        taken back.
        """
        kept, count = self.head, Counter[str]()
        for edit in edits:
            if count[edit.place] == most:
                continue
            with self.connection.begin_nested() as edited:
                if self._is_made(edit):
                    count[edit.place] += 1
                    yield edit, not self._is_named(edit, kept)
                edited.rollback()

    def _is_made(self, edit: Edit) -> bool:
        """Make an edit, and let what points at the row go on pointing at it."""
        database = driver(self.connection)
        if not edit.do_in(database):
            return False
        for table in metadata.sorted_tables:
            for key in table.foreign_keys:
                if (key.column.table.name, key.column.name) == (edit.table, edit.column):
                    name = key.parent.name
                    sql = f"UPDATE OR IGNORE {table.name} SET {name} = ? WHERE {name} = ?"
                    database.execute(sql, (edit.value, edit.key[0]))
        return True

    def _is_named(self, edit: Edit, kept: ChainHead) -> bool:
        try:
            with self.connection.begin_nested():
                self.reseal(self.connection, edit)
        except STUCK:
            pass  # the sums stay as they were
        if changes_since(self.connection, kept.link, kept.sealed_from) is None:
            return True
        return verify_as_seen(self.connection, True, witness=kept.link).failed


@contextmanager
def forging(path: Path) -> Iterator[Connection]:
    """A transaction in which rows may point at nothing, and which is taken back."""
    engine = open_engine(path)
    try:
        with engine.execution_options(writes=True).connect() as connection:
            driver(connection).execute("PRAGMA foreign_keys=OFF")
            with connection.begin() as everything:
                yield connection
                everything.rollback()
    finally:
        engine.dispose()


def rewrite(connection: Connection, edit: Edit) -> None:
    """Make hashes, seals, the log and its chain follow from what the file holds now."""
    if edit.table in HASHED and edit.place not in SUMS:
        rehash_in(connection)
    rewrite_log_in(connection, AT)


def relink(connection: Connection, edit: Edit) -> None:
    """Make the chain follow from what the entries say now."""
    if edit.place not in SUMS:
        relink_in(connection)


def unnamed_columns(path: Path, most: int, among: Container[str]) -> tuple[set[str], set[str]]:
    """Of some columns those in which one of the last edits is not named, and all in which any was made."""
    edits = [edit for edit in every_edit(path) if edit.place in among][::-1]
    edits.sort(key=lambda edit: edit.what == "nothing")  # which comes last: columns may hold nothing
    found: list[tuple[Edit, bool]] = []
    with forging(path) as connection:
        found += Forger(connection, relink).unnamed((edit for edit in edits if edit.table == LOG), most)
        rewrite_log_in(connection, AT)
        assert not verify_as_seen(connection, True).failed
        found += Forger(connection, rewrite).unnamed((edit for edit in edits if edit.table != LOG), most)
    return {edit.place for edit, is_unnamed in found if is_unnamed}, {edit.place for edit, _ in found}


def columns() -> set[str]:
    tables = (table for table in metadata.sorted_tables if table.name not in NEVER_WRITTEN)
    return {f"{table.name}.{column.name}" for table in tables for column in table.columns}


@pytest.mark.parametrize(("step", "most"), one_in(3, [(3, 1), (1, 1), (1, 1000)]))
def test_every_column_that_is_rewritten_with_every_sum_is_named_or_listed(
    rich: Path, step: int, most: int
) -> None:
    """Of every third column one row; slow: of every column; every row."""
    among = set(sorted(columns())[::step])

    unnamed, edited = unnamed_columns(rich, most, among)

    assert edited == among
    assert unnamed == not_provable() & among


@pytest.mark.parametrize("table", one_in(3, sorted(NEVER_WRITTEN)))
def test_a_row_in_a_table_that_nothing_writes_is_named(rich: Path, table: str) -> None:
    values = [_any_value(column) for column in metadata.tables[table].columns]

    with forging(rich) as connection:
        places = ", ".join("?" * len(values))
        driver(connection).execute(f"INSERT INTO {table} VALUES ({places})", values)
        rewrite_log_in(connection, AT)

        assert verify_as_seen(connection, True).failed


def _any_value(column: Column[Any]) -> object:
    return 1 if isinstance(column.type, Integer) else "{}"
