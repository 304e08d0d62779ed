"""Bringing older groves up to date: a backup, then each step in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.store import faults
from loomapp.store.backups.backup import back_up
from loomapp.store.backups.retention import BEFORE_VERSION
from loomapp.store.connections import connect, open_engine
from loomapp.store.migrations.version_2 import seal_log
from loomapp.store.statements import driver

if TYPE_CHECKING:
    from alembic.operations import Operations

    Migration = Callable[[Operations], None]

# The first takes version 1 to 2, and so on: `schema.VERSION` is one more than there are. A step says all it
# needs in its own words, for the schema of its day; every version has a golden grove in tests/data/golden.
MIGRATIONS: tuple[Migration, ...] = (seal_log,)


def bring_up_to_date(path: Path, version: int, migrations: Sequence[Migration] = MIGRATIONS) -> Path:
    """Run what a grove of an older version lacks, after a backup beside it.

    Each step is all or nothing: a crash leaves the version before it or after it. Gives the backup.

    Raises: GroveError noBackup, damaged, locked, full.
    """
    with faults.named(path), closing(connect(path)) as source:
        backup = back_up(path, reason=f"{BEFORE_VERSION}-{len(migrations) + 1}", source=source)
    engine = open_engine(path)
    try:
        for target in range(version + 1, len(migrations) + 2):
            with faults.named(path), engine.execution_options(writes=True).connect() as connection:
                _step(connection, path, target, migrations[target - 2])
    finally:
        engine.dispose()
    return backup.path


def _step(connection: Connection, path: Path, target: int, migration: Migration) -> None:
    # Imported late: few starts need it.
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    # Rebuilding a table drops it: with foreign keys on that empties or refuses what points at it. The pragma
    # has no effect inside a transaction.
    driver(connection).execute("PRAGMA foreign_keys=OFF")
    try:
        with connection.begin():
            if connection.exec_driver_sql("PRAGMA user_version").scalar_one() >= target:
                return  # another program was faster
            migration(Operations(MigrationContext.configure(connection)))
            lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            if lost is not None:
                text = worded(
                    "{path} could not be brought to version {target}: {lost} would point at nothing.",
                    path=path,
                    target=target,
                    lost=lost[0],
                )
                raise GroveError("damaged", text, path=str(path))
            connection.exec_driver_sql(f"PRAGMA user_version={target}")
    finally:
        driver(connection).execute("PRAGMA foreign_keys=ON")
