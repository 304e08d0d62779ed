"""Making a new grove file, whole or not at all."""

from __future__ import annotations

import errno
from contextlib import closing
from functools import cache
from glob import escape
from pathlib import Path

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from loomapp.core.errors import GroveError
from loomapp.core.model.agent import Agent
from loomapp.core.sentences import worded
from loomapp.store import faults, schema
from loomapp.store.connections import connect, open_engine
from loomapp.store.identity import new_id
from loomapp.store.opening.file_systems import is_networked, is_writable
from loomapp.store.opening.look import is_there, refuse_wal_alone
from loomapp.store.rows import agents, grove_rows
from loomapp.store.rows.grove_rows import AGENT
from loomapp.store.whole_file import begin_private
from loomapp.temporary import sweep_parts

OWNER_NAME = "You"


def create(path: Path) -> None:
    """Make a grove with its owner, and the folders above it. A crash in the middle leaves no grove there.

    Raises: GroveError exists, readOnly, cannotOpen, full, walAlone.
    """
    refuse_wal_alone(path)
    if path.is_symlink() and not is_there(path):
        text = worded(
            "{path} is a link to a place where nothing is; remove it, or choose another name.", path=path
        )
        raise GroveError("exists", text, path=str(path))
    if is_there(path):
        raise GroveError(
            "exists",
            worded("{path} exists already; open it, or choose another name.", path=path),
            path=str(path),
        )
    _make_folder(path)
    part = path.with_name(f".{path.name}.{new_id()}.part")
    sweep_parts(path.parent.glob(f".{escape(path.name)}.*.part*"))
    try:
        with faults.named(path):
            _begin(path, part)
            _build(part, wal=not is_networked(path))
        _publish(part, path)
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            part.with_name(part.name + ending).unlink(missing_ok=True)


def _make_folder(path: Path) -> None:
    folder = path.absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = worded(
            "{folder} cannot be made ({why}); choose another folder for {name}.",
            folder=folder,
            why=error.strerror,
            name=path.name,
        )
        raise GroveError("readOnly", text, path=str(path), new=True) from error
    if not is_writable(folder):
        text = worded(
            "{folder} is read-only; choose another folder for {name}, or make it writable.",
            folder=folder,
            name=path.name,
        )
        raise GroveError("readOnly", text, path=str(path), new=True)


def _begin(path: Path, part: Path) -> None:
    """Make the file its owner's alone before SQLite has it; its journals get the same mode."""
    try:
        begin_private(part)
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        text = worded(
            "{path} cannot be made ({why}); make room, or choose another name or folder.",
            path=path,
            why=error.strerror,
        )
        raise GroveError("full" if is_full else "cannotOpen", text, path=str(path)) from error


def _build(part: Path, *, wal: bool) -> None:
    with closing(connect(part, create=True)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode=WAL")
    engine = open_engine(part)
    try:
        with engine.execution_options(writes=True).begin() as transaction:
            transaction.exec_driver_sql(f"PRAGMA application_id={schema.APPLICATION_ID}")
            transaction.exec_driver_sql(f"PRAGMA user_version={schema.VERSION}")
            for statement in _tables_and_indexes():
                transaction.exec_driver_sql(statement)
            agents.insert_owner(transaction, Agent(new_id(), OWNER_NAME, "human", loom_aware=True))
            owner = grove_rows.agent_states(transaction)
            grove_rows.log(transaction, "New grove", grove_rows.changed(AGENT, {}, owner))
    finally:
        engine.dispose()


@cache
def _tables_and_indexes() -> tuple[str, ...]:
    """Return the statements that make a grove's tables and indexes; compiled once, since it is the same for
    every grove.
    """
    tables = schema.metadata.sorted_tables
    steps: list[CreateTable | CreateIndex] = []
    for table in tables:
        steps += [CreateTable(table), *map(CreateIndex, table.indexes)]
    return tuple(str(step.compile(dialect=SQLiteDialect_pysqlite())) for step in steps)


def _publish(part: Path, path: Path) -> None:
    """Give the finished file its name, unless another program was faster."""
    try:
        path.hardlink_to(part)
    except FileExistsError as error:
        raise GroveError(
            "exists", worded("{path} exists already; open it.", path=path), path=str(path)
        ) from error
    except OSError:
        part.rename(path)  # a file system without hard links
