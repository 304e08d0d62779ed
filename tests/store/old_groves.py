"""Groves as version 1 left them, and migrations of it that test the machinery."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from alembic.operations import Operations

STOP_IN = "LOOMAPP_TEST_STOP_IN"


def add_a_column(operations: Operations) -> None:
    """Version 2: every tree has a colour."""
    operations.add_column("trees", sa.Column("colour", sa.Text))
    operations.execute("UPDATE trees SET colour = 'green'")
    stop("add_a_column")


def rebuild_nodes(operations: Operations) -> None:
    """Version 3: nodes are rebuilt, which drops the table that edges point at."""
    with operations.batch_alter_table("nodes", recreate="always") as nodes:
        nodes.alter_column("text", new_column_name="words")
        stop("rebuild_nodes")


MIGRATIONS = (add_a_column, rebuild_nodes)


def ask(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Rows of a file that nobody has open."""
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def stop(where: str) -> None:
    """kill -9 of this very process, where the environment asks for it."""
    if os.environ.get(STOP_IN) == where:
        os.kill(os.getpid(), signal.SIGKILL)


def without_economy(path: Path) -> Path:
    """A closed grove of the present version made one of version 2, with nothing that came later and what went
    since.
    """
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """ALTER TABLE nodes DROP COLUMN role;
            ALTER TABLE agents DROP COLUMN run_limits;
            ALTER TABLE branch_summaries DROP COLUMN response_id;
            ALTER TABLE context_summaries DROP COLUMN response_id;
            DROP TABLE agent_memory;
            CREATE TABLE documents (
            id INTEGER NOT NULL, document_id TEXT NOT NULL, name TEXT NOT NULL, mime_type TEXT NOT NULL,
            text TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, extra JSON,
            CONSTRAINT pk_documents PRIMARY KEY (id),
            CONSTRAINT uq_documents_document_id UNIQUE (document_id));
            PRAGMA user_version=2;
            PRAGMA wal_checkpoint(TRUNCATE);"""
        )
    return path


def unsealed(path: Path) -> Path:
    """A closed grove of the present version made one of version 1, which had no chain."""
    without_economy(path)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """DELETE FROM change_log WHERE tree IS NULL;
            ALTER TABLE change_log DROP COLUMN link;
            PRAGMA writable_schema=ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'tree INTEGER,', 'tree INTEGER NOT NULL,')
            WHERE name = 'change_log';
            PRAGMA writable_schema=RESET;
            PRAGMA user_version=1;
            PRAGMA wal_checkpoint(TRUNCATE);"""
        )
    return path
