"""Bringing older groves up to date: a backup, then each step in one transaction.

What was there before is sealed as it is found, all at once: the last entry of the step says so, and says what
agents, settings, listings and the times of trees were, which version 1 kept without an entry.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqlalchemy import Connection

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import documents, tree_edits
from loomapp.core.edits.edit_context import EditContext, new_node
from loomapp.core.errors import GroveError
from loomapp.core.model import log_chain
from loomapp.core.model.change import RowChange
from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed, content_to_json
from loomapp.core.model.entities import Row
from loomapp.core.model.log_chain import LogFacts
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.core.times import iso_time
from loomapp.core.tree_json import loom_to_json
from loomapp.store import connections
from loomapp.store.backups.backup import BEFORE_VERSION, back_up
from loomapp.store.connections import connect, open_engine
from loomapp.store.identity import new_id, now
from loomapp.store.rows.log_rows import EDGE, NODE, LoggedRow, encode
from loomapp.store.statements import driver, json_object, json_text, json_value, moment

if TYPE_CHECKING:
    from alembic.operations import Operations

    Migration = Callable[[Operations], None]


TITLE = "Documents"
COLUMNS = "name, mime_type, text, created_at, updated_at, extra"


def documents_tree(rows: Iterable[tuple[object, ...]], pen: EditContext) -> Tree:
    """Return a dialogue with a document, a loose source, for each row of the former table, which no Loomapp
    wrote: its `COLUMNS` may hold anything. Times and foreign keys stay.
    """
    tree = tree_edits.new_tree("dialogue", TITLE, pen)
    for *texts, created_at, updated_at, more in rows:
        name, mime_type, text = map(_text, texts)
        content = Mixed(
            (AttachedDocument(documents.clean_name(name) or TITLE, mime_type or PLAIN_TEXT, text),)
        )
        node = new_node(tree, pen.new_id(), content, replace(pen, now=moment(created_at)))
        row = {**json_object(cast("str | None", more)), "updatedAt": iso_time(moment(updated_at))}
        tree.put_node(replace(node, extra={"document": row}))  # by itself: it may hold any key
    return tree


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


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


_OTHERWISE = "the change log seals it again as something else"
_TWICE = "the change log makes it a second time"
_BACK = "it was deleted for good, and is there again as what may be something else"
_IN_PART = "a part of what the change log says of it was emptied"


@dataclass(slots=True)
class FirstSeals:
    """The seal with which each node came, while the log is heard; `faults` are (node id, why).

    Flags, summary, path, tags and edges of a node may change later, and it may be taken back and brought
    back; who wrote it, what, when and after what may not.
    """

    of: dict[str, str] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)
    _emptied: dict[str, set[str]] = field(default_factory=dict)  # digests of rows, by what they are about

    def take_row(self, row: LoggedRow, *, is_there: bool) -> None:
        node_id = cast(str, row[3])
        if row[4] is not None and not is_there and not self._emptied and node_id not in self.of:
            self.of[node_id] = row[4]  # as nearly every row does
            return
        if is_there and row[1] is None:
            self.faults.append((node_id, _TWICE))
        if node_id in self._emptied and node_id not in self.of and not self._is_as_before(row):
            self.faults.append((node_id, _BACK))
        if row[4] is not None and self.of.setdefault(node_id, cast(str, row[4])) != row[4]:
            self.faults.append((node_id, _OTHERWISE))

    def take_emptied(self, row: Mapping[str, object]) -> None:
        """Take in what is left of a row. All that is said of a node is emptied at once, or nothing."""
        kind, *names = cast("list[str]", json.loads(log_chain.key_of(row)))
        for node_id in names if kind in (NODE, EDGE) else ():
            if node_id in self.of:
                self.faults.append((node_id, _IN_PART))
            self._emptied.setdefault(node_id, set()).add(cast(str, row["digest"]))

    def _is_as_before(self, row: LoggedRow) -> bool:
        """Tell whether a row that brings a node back is the very one by which it came, but for its flags."""
        states: tuple[object, ...] = (row[2], {})
        made = (log_chain.emptied([NODE, None, state, *row[3:]])["digest"] for state in states)
        return any(digest in self._emptied[cast(str, row[3])] for digest in made)


_FOR_ECONOMY = (
    "ALTER TABLE nodes ADD COLUMN role TEXT",
    "ALTER TABLE agents ADD COLUMN run_limits JSON",
    "ALTER TABLE branch_summaries ADD COLUMN response_id TEXT",
    "ALTER TABLE context_summaries ADD COLUMN response_id TEXT",
    """
CREATE TABLE agent_memory (
	id INTEGER NOT NULL, 
	tree INTEGER NOT NULL, 
	agent_id TEXT NOT NULL, 
	body JSON NOT NULL, 
	CONSTRAINT pk_agent_memory PRIMARY KEY (id), 
	CONSTRAINT uq_agent_memory_tree_agent_id UNIQUE (tree, agent_id), 
	CONSTRAINT fk_agent_memory_tree_trees FOREIGN KEY(tree) REFERENCES trees (id)
)

""",  # noqa: W291 - as a new grove has it
)


def add_economy(operations: Operations) -> None:
    """Make room for the responses of summaries, the memory and limits of agents, and the roles of nodes; of
    what is there already nothing is otherwise.
    """
    database = driver(operations.get_bind())
    for statement in _FOR_ECONOMY:
        database.execute(statement)


_ADD_TREE = """
INSERT INTO trees (tree_id, title, mode, root_id, leaf_id, buffer_mode_system_context, context_settings,
                   created_at, updated_at)
VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)
"""
_ADD_NODE = """
INSERT INTO nodes (tree, node_id, present, local_id, text, content, author_type, author_agent_id, created_at,
                   content_hash, extra, bookmarked, pruned, excluded)
VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)
"""


def drop_documents(operations: Operations) -> None:
    """Take away the table of documents, which are nodes: no Loomapp wrote it. What another program left in it
    becomes loose sources of a new tree.
    """
    database = driver(operations.get_bind())
    rows = database.execute(f"SELECT {COLUMNS} FROM documents ORDER BY id").fetchall()
    if rows:
        [owner] = database.execute("SELECT agent_id FROM agents WHERE is_owner = 1").fetchone() or [""]
        pen = EditContext(owner, now(), new_id, by="Loomapp")
        _add_tree(database, documents_tree(rows, pen))
    database.execute("DROP TABLE documents")


def _add_tree(database: sqlite3.Connection, tree: Tree) -> None:
    """Write a new tree without edges down, and seal it."""
    loom, root = tree.loom, tree.root_id
    settings = json_text(loom_to_json(loom)["contextSettings"])
    values = (loom.id, loom.title, loom.mode, root, root, settings, loom.created_at, loom.created_at)
    number = database.execute(_ADD_TREE, values).lastrowid
    for node in tree.nodes.values():
        content = None if node.id == root else json_text(content_to_json(node.content))
        author = node.author_type, node.author_agent_id
        names = number, node.id, node.local_id, node.text, content
        made = node.created_at, node.content_hash, json_text(node.extra)
        database.execute(_ADD_NODE, (*names, *author, *made))
    entities: tuple[Row, ...] = (loom, *tree.nodes.values(), tree.path)
    body = log_chain.body_of([encode(RowChange(None, row)) for row in entities], {})
    last = database.execute("SELECT sequence, link FROM change_log ORDER BY sequence DESC LIMIT 1").fetchone()
    sequence, link = last or (0, log_chain.START)
    facts = LogFacts(sequence + 1, number, "Import", "Loomapp", loom.created_at, False)
    database.execute(_ADD, (*facts, body.text, True, False, log_chain.link_of(link, facts, body)))


# The first takes version 1 to 2, and so on: `schema.VERSION` is one more than there are. A step says all it
# needs in its own words, for the schema of its day; every version has a golden grove in tests/data/golden.
MIGRATIONS: tuple[Migration, ...] = (seal_log, add_economy, drop_documents)


def bring_up_to_date(path: Path, version: int, migrations: Sequence[Migration] = MIGRATIONS) -> Path | None:
    """Run what a grove of an older version lacks, after a backup beside it.

    Each step is all or nothing: a crash leaves the version before it or after it. Gives the backup; None if
    another program brings it up to date at the same time, and has made one.

    Raises: GroveError noBackup, damaged, locked, full.
    """
    kept: list[Path] = []

    def backed_up(operations: Operations) -> None:
        """Take the first step after a backup; other programs wait for both."""
        with connections.named(path), closing(connect(path)) as source:
            reason = f"{BEFORE_VERSION}-{len(migrations) + 1}"
            kept.append(back_up(path, reason=reason, source=source).path)
        migrations[version - 1](operations)

    engine = open_engine(path)
    try:
        for target in range(version + 1, len(migrations) + 2):
            with connections.named(path), engine.execution_options(writes=True).connect() as connection:
                migration = backed_up if target == version + 1 else migrations[target - 2]
                _step(connection, path, target, migration)
    finally:
        engine.dispose()
    return kept[0] if kept else None


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
