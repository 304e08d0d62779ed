"""What another hand can put into a grove file beside the tables of Loomapp, or make of one of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

OVERWRITE = "BEGIN UPDATE nodes SET text = 'forged'; END"
EVENTS = ("INSERT", "UPDATE", "UPDATE OF text", "DELETE")
TABLES = ("nodes", "change_log", "trees")

# What it is called when it is named, and what another hand types.
STRANGERS: Mapping[str, str] = {
    **{
        f"the trigger “t” on “{table}” {moment} {event}": (
            f"CREATE TRIGGER t {moment} {event} ON {table} {OVERWRITE};"
        )
        for table in TABLES
        for moment in ("BEFORE", "AFTER")
        for event in EVENTS
        if table == "nodes" or event != "UPDATE OF text"
    },
    "the trigger “t” on “v”": (
        f"CREATE VIEW v AS SELECT * FROM nodes; CREATE TRIGGER t INSTEAD OF INSERT ON v {OVERWRITE};"
    ),
    "the view “everything”": "CREATE VIEW everything AS SELECT text FROM nodes;",
    "the table “more”": "CREATE TABLE more (a);",
    "the table “words”": "CREATE VIRTUAL TABLE words USING fts5(text);",
    "the index “fast” on “nodes”": "CREATE INDEX fast ON nodes (text);",
    "the index “unique_texts” on “nodes”": "CREATE UNIQUE INDEX unique_texts ON nodes (tree, node_id, text);",
    "the table “nodes” in another form": "ALTER TABLE nodes ADD COLUMN more TEXT;",
    "the table “trees” in another form": "ALTER TABLE trees ADD COLUMN loud AS (upper(title));",
    "the table “agent_memory” in another form": (
        "DROP TABLE agent_memory; CREATE TABLE agent_memory (id INTEGER NOT NULL, tree INTEGER NOT NULL, "
        "agent_id TEXT NOT NULL COLLATE NOCASE, body JSON NOT NULL, "
        "CONSTRAINT pk_agent_memory PRIMARY KEY (id), "
        "CONSTRAINT uq_agent_memory_tree_agent_id UNIQUE (tree, agent_id), "
        "CONSTRAINT fk_agent_memory_tree_trees FOREIGN KEY(tree) REFERENCES trees (id));"
    ),
    "the table “documents”": "CREATE TABLE documents (id INTEGER NOT NULL, text TEXT NOT NULL);",
    "the table “settings” in another form": (
        "DROP TABLE settings; CREATE TABLE settings (name TEXT NOT NULL, value JSON NOT NULL, "
        "CONSTRAINT pk_settings PRIMARY KEY (name), CHECK (value <> 'no'));"
    ),
    "the trigger “\\x1b[2J”": f'CREATE TRIGGER "\x1b[2J" AFTER INSERT ON nodes {OVERWRITE};',
}

DISGUISED = (
    "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema VALUES ('table', 'sqlite_stat1', 'nodes', 0, "
    f"'CREATE TRIGGER t AFTER INSERT ON nodes {OVERWRITE.replace(chr(39), chr(39) * 2)}'); "
    "PRAGMA writable_schema=OFF;"
)


def told_of(name: str) -> str:
    """How a stranger is named, without what only tells the cases of a test apart."""
    return name.split(" BEFORE ")[0].split(" AFTER ")[0]


def let_in(path: Path, statements: str) -> None:
    """Type statements into a grove that nobody has open."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(statements)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
