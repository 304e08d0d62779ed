"""Version 2 of a grove file: its change log becomes a chain, and agents and settings are sealed in it.

What was there before is sealed as it is found, all at once: the last entry of the step says so, and says what
agents, settings, listings and the times of trees were, which version 1 kept without an entry.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loomapp.core.model import log_chain
from loomapp.core.model.log_chain import LogFacts
from loomapp.store.identity import now
from loomapp.store.statements import driver, json_value

if TYPE_CHECKING:
    from alembic.operations import Operations

_TABLE = """
CREATE TABLE change_log (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	tree INTEGER, 
	label TEXT NOT NULL, 
	made_by TEXT NOT NULL, 
	made_at INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	undoable BOOLEAN NOT NULL, 
	done BOOLEAN NOT NULL, 
	abandoned BOOLEAN NOT NULL, 
	undoes INTEGER, 
	redoes INTEGER, 
	link TEXT NOT NULL, 
	CONSTRAINT fk_change_log_tree_trees FOREIGN KEY(tree) REFERENCES trees (id), 
	CONSTRAINT fk_change_log_undoes_change_log FOREIGN KEY(undoes) REFERENCES change_log (sequence), 
	CONSTRAINT fk_change_log_redoes_change_log FOREIGN KEY(redoes) REFERENCES change_log (sequence)
)

"""  # noqa: W291 - as a new grove has it, to the space: all groves are the same
_INDEXES = (
    "CREATE INDEX ix_change_log_tree ON change_log (tree)",
    "CREATE INDEX ix_change_log_steps ON change_log (tree) WHERE undoable = 1 AND abandoned = 0",
    (
        "CREATE INDEX ix_change_log_undone ON change_log (tree) "
        "WHERE undoable = 1 AND abandoned = 0 AND done = 0"
    ),
)
_FACTS = "sequence, tree, label, made_by, made_at, undoable, undoes, redoes"
_STATE = "body, done, abandoned"
_ADD = f"INSERT INTO change_log ({_FACTS}, {_STATE}, link) VALUES ({', '.join('?' * 12)})"


def seal_log(operations: Operations) -> None:
    """Give every entry of the log its link, and the log a last entry that seals what had none."""
    database = driver(operations.get_bind())
    for name in ("tree", "steps", "undone"):
        database.execute(f"DROP INDEX ix_change_log_{name}")
    database.execute("ALTER TABLE change_log RENAME TO change_log_1")
    database.execute(_TABLE)
    for statement in _INDEXES:
        database.execute(statement)
    sequence, link = 0, log_chain.START
    for facts, state, link in _sealed(database):
        database.execute(_ADD, (*facts, *state, link))
        sequence = facts.sequence
    rows = [["sealed", None, {"after": ""}], *_states(database)]
    body = log_chain.body_of(rows, {})
    facts = LogFacts(sequence + 1, None, "Sealed", "Loomapp", now(), False)
    database.execute(_ADD, (*facts, body.text, True, False, log_chain.link_of(link, facts, body)))
    database.execute("DROP TABLE change_log_1")


def _sealed(database: sqlite3.Connection) -> Iterator[tuple[LogFacts, tuple[object, ...], str]]:
    link = log_chain.START
    query = f"SELECT {_FACTS}, {_STATE} FROM change_log_1 ORDER BY sequence"
    for row in database.execute(query):
        told, state = row[:8], row[8:]
        facts = LogFacts(*told)._replace(undoable=bool(told[5]))
        link = log_chain.link_of(link, facts, log_chain.body_as_found(state[0]))
        yield facts, state, link


def _states(database: sqlite3.Connection) -> Iterator[list[object]]:
    """Return what version 1 says of agents, settings, listings and times, a row for each."""
    names = "id", "name", "type", "modelRef", "colour", "archivedAt", "loomAware", "owner"
    for *cells, configuration, permissions, extra in database.execute(
        "SELECT agent_id, name, type, model_ref, colour, archived_at, loom_aware, is_owner, "
        "configuration, permissions, extra FROM agents ORDER BY id"
    ):
        told = dict(zip(names, cells, strict=True))
        told |= {"loomAware": bool(told["loomAware"]), "owner": bool(told["owner"])}
        values = (json_value(cell) for cell in (configuration, permissions, extra))
        inner = zip(("configuration", "permissions", "extra"), values, strict=True)
        yield ["agent", None, {**told, **dict(inner)}]
    for name, value in database.execute("SELECT name, value FROM settings ORDER BY name"):
        yield ["setting", None, {"name": name, "value": json_value(value)}]
    for number, tree_id, extra, at in database.execute(
        "SELECT id, tree_id, file_extra, updated_at FROM trees ORDER BY id"
    ).fetchall():
        query = "SELECT agent_id FROM tree_agents WHERE tree = ? ORDER BY id"
        listed = [agent_id for (agent_id,) in database.execute(query, (number,))]
        kept = json_value(extra) or {}
        if listed or kept:
            yield ["file", None, {"tree": tree_id, "agents": listed, "extra": kept}]
        yield ["touched", None, {"tree": tree_id, "at": at}]
