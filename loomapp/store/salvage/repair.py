"""Salvaged rows made a grove again: nothing points at nothing, every node has its place, the log says so."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import cast

from sqlalchemy import Connection, Table, select

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.json_values import Json
from loomapp.core.model.agent import agent_from_json
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Edge, LoomTree, Node, Summary
from loomapp.core.model.hashes import ResponseDigest, content_hash
from loomapp.core.model.tree import Tree
from loomapp.core.times import parse_time
from loomapp.core.tree_json import loom_from_json
from loomapp.store import schema
from loomapp.store.checks.log_comparison import strange_marks, summaries_in, summary_of
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.rows import change_log, log_rows, new_trees, responses, tree_rows
from loomapp.store.rows.log_rows import EDGE, NODE, TREE, LoggedRow, edge_state, node_state
from loomapp.store.rows.mark_rows import PLACES, loom_values
from loomapp.store.rows.tree_rows import undone_edges, undone_nodes
from loomapp.store.salvage.reattach import LABEL, ROOT_TEXT, reattach
from loomapp.store.soundness import BROKEN_VALUE


@dataclass(frozen=True, slots=True)
class SavedTree:
    """A tree as far as it was saved. `lost` are nodes that the log names, `damaged` such as fail
    their hash.
    """

    tree_id: str
    title: str
    nodes: int
    lost: tuple[str, ...]
    damaged: tuple[str, ...]
    orphans: int
    history_kept: bool

    @property
    def is_complete(self) -> bool:
        """Tell whether it is as it was."""
        return not self.lost and not self.damaged and not self.orphans and self.history_kept

    def report(self) -> str:
        """Return one line for a person."""
        facts = [f"{self.nodes} nodes saved"]
        if self.lost:
            facts.append(f"{len(self.lost)} lost: {', '.join(self.lost)}")
        if self.damaged:
            facts.append(f"{len(self.damaged)} not as their hash says: {', '.join(self.damaged)}")
        if self.orphans:
            facts.append(f"{self.orphans} branches below “{ROOT_TEXT}”, as what was before them is lost")
        if not self.history_kept:
            facts.append("its steps of undo are lost")
        return f"“{self.title}”: " + "; ".join(facts)


@dataclass(frozen=True, slots=True)
class SalvagedHistory:
    """The history that the change log of a tree still told: its edges, nodes that are gone, and whether it
    was kept.
    """

    edges: Mapping[str, Edge | None]
    lost: tuple[str, ...]
    kept: bool


# Rows


def drop_loose_ends(target: sqlite3.Connection) -> None:
    """Name trees whose rows are lost, and take away rows that point at nothing, inside a transaction."""
    _name_lost_trees(target)
    for _ in range(2):  # the log points at itself: an undo of what was lost, and the redo of that
        for table in schema.metadata.sorted_tables:
            for column in table.columns:
                for reference in column.foreign_keys:
                    other = reference.column
                    target.execute(
                        f"DELETE FROM {table.name} WHERE {column.name} IS NOT NULL AND {column.name} NOT IN "
                        f"(SELECT {other.name} FROM {other.table.name})"
                    )


def close_gaps(target: sqlite3.Connection) -> None:
    """Let the places of what belongs to one thing count from 0 again, in their order, where one was lost."""
    for owner in PLACES:
        table, name = owner.table.name, owner.name
        query = f"SELECT {name}, position FROM {table} ORDER BY {name}, position"
        move = f"UPDATE {table} SET position = ? WHERE {name} = ? AND position = ?"
        for number, rows in groupby(target.execute(query).fetchall(), itemgetter(0)):
            places = [place for _, place in rows]
            if places == list(range(len(places))):
                continue
            for far in (2**40, 0):  # first out of the way of each other
                moved = [far + place for place in range(len(places))]
                target.executemany(move, [(new, number, old) for new, old in zip(moved, places, strict=True)])
                places = moved


def _name_lost_trees(target: sqlite3.Connection) -> None:
    query = "SELECT tree, min(id), node_id FROM nodes WHERE tree NOT IN (SELECT id FROM trees) GROUP BY tree"
    for number, _, first_id in target.execute(query).fetchall():
        loom = _last_loom(target, number) or LoomTree(new_id(), ROOT_TEXT, "dialogue", first_id)
        astray = target.execute("SELECT id FROM trees WHERE tree_id = ?", (loom.id,)).fetchone()
        if astray is not None:  # the row is there under a number that is not its own, or these nodes are
            target.execute("UPDATE OR IGNORE trees SET id = ? WHERE id = ?", (number, *astray))
            continue
        values = {
            **loom_values(loom),
            "id": number,
            "tree_id": loom.id,
            "mode": loom.mode,
            "created_at": loom.created_at,
            "updated_at": now(),
            "leaf_id": loom.root_id,
            "context_settings": json.dumps(loom_values(loom)["context_settings"]),
            "extra": None,
        }
        names, marks = ", ".join(values), ", ".join("?" for _ in values)
        target.execute(f"INSERT INTO trees ({names}) VALUES ({marks})", tuple(values.values()))


def _last_loom(target: sqlite3.Connection, number: int) -> LoomTree | None:
    query = "SELECT body FROM change_log WHERE tree = ? ORDER BY sequence DESC"
    for (body,) in target.execute(query, (number,)):
        with suppress(*BROKEN_VALUE):
            for row in json.loads(body)["rows"]:
                if row[0] == TREE and row[2] is not None:
                    return loom_from_json(row[2], "log")
    return None


def mend_values(connection: Connection) -> None:
    """Settings of trees and agents that cannot be read become the usual ones."""
    for row in connection.execute(select(schema.trees)).all():
        try:
            tree_rows.loom(row)
        except BROKEN_VALUE:
            where = schema.trees.c.id == row.id
            connection.execute(schema.trees.update().where(where).values(context_settings={}))
    for row in connection.execute(select(schema.agents)).all():
        inner = {"configuration": row.configuration, "permissions": row.permissions}
        inner["runLimits"] = row.run_limits
        try:
            agent_from_json({"id": row.agent_id, "type": row.type, **inner}, "agents")
        except BROKEN_VALUE:
            where = schema.agents.c.id == row.id
            connection.execute(
                schema.agents.update().where(where).values(configuration={}, permissions={}, run_limits=None)
            )


# The change log


def mend_log(connection: Connection, tree_id: str) -> SalvagedHistory:
    """Read what the log of a tree still says. One that no longer leads to what the file holds begins anew."""
    number = tree_rows.tree_number(connection, tree_id)
    tree = tree_rows.read_tree(connection, tree_id)
    states, is_whole = _replay(connection, number)
    hidden_nodes, hidden_edges = (
        _hidden(connection, number, schema.nodes),
        _hidden(connection, number, schema.edges),
    )
    nodes = {name: state for (kind, name), state in states.items() if kind == NODE}
    edges = {name: state for (kind, name), state in states.items() if kind == EDGE}
    kept = (
        is_whole
        and {n: state for n, state in nodes.items() if state is not None} == _states(tree)[NODE]
        and {n: state for n, state in edges.items() if state is not None} == _states(tree)[EDGE]
        and set(nodes) <= {*tree.nodes, *hidden_nodes}
        and _marks_are_as_logged(connection, number, tree)
    )
    lost = tuple(
        n for n, s in nodes.items() if s is not None and n not in tree.nodes and n not in hidden_nodes
    )
    if not kept:
        _begin_anew(connection, number, tree)
    known = {name: _edge(state) for name, state in edges.items() if name not in hidden_edges}
    return SalvagedHistory(known, lost, kept)


def _marks_are_as_logged(connection: Connection, number: int, tree: Tree) -> bool:
    try:
        return not any(True for _ in strange_marks(connection, number, tree))
    except BROKEN_VALUE:
        return False


def _replay(connection: Connection, number: int) -> tuple[dict[tuple[str, str], object], bool]:
    """The last word of the log on each node and edge, and whether all of it could be read."""
    log = schema.change_log.c
    columns = log.sequence, log.undoes, log.redoes, log.body
    states: dict[tuple[str, str], object] = {}
    steps: dict[int, list[LoggedRow]] = {}
    is_whole = True
    for sequence, undoes, redoes, body in connection.execute(
        select(*columns).where(log.tree == number).order_by(log.sequence)
    ):
        try:
            rows = json.loads(body)["rows"]
            _read_whole(rows)
            if undoes is not None:
                rows = log_rows.inverse(log_rows.without_path(steps[undoes])) + rows
            elif redoes is not None:
                rows = log_rows.without_path(steps[redoes]) + rows
            states.update(_last_states(rows))
            steps[sequence] = rows
        except BROKEN_VALUE:
            is_whole = False
    return states, is_whole


def _read_whole(rows: list[LoggedRow]) -> None:
    """Raise one of BROKEN_VALUE if a row that is of no node cannot be read; a node's states are compared."""
    for row in rows:
        if row[0] != NODE:
            log_rows.decode(row, lambda _: NotImplemented)
        if row[0] == TREE and row[2] is not None:
            parse_time(cast("dict[str, str]", row[2])["updatedAt"])  # as verification reads it


def _last_states(rows: list[LoggedRow]) -> Iterator[tuple[tuple[str, str], object]]:
    for row in rows:
        kind, before, after = row[:3]
        if kind == NODE:
            yield (NODE, cast(str, row[3])), after
        elif kind == EDGE:
            yield (EDGE, cast(str, cast(Json, before if after is None else after)["id"])), after


def _states(tree: Tree) -> Mapping[str, Mapping[str, object]]:
    return {
        NODE: {node.id: node_state(node) for node in tree.nodes.values()},
        EDGE: {edge.id: edge_state(edge) for edge in tree.edges.values()},
    }


def _edge(state: object) -> Edge | None:
    with suppress(*BROKEN_VALUE):
        return cast("Edge | None", log_rows.decode([EDGE, None, state], lambda _: NotImplemented).after)
    return None


def _hidden(connection: Connection, number: int, table: Table) -> set[str]:
    """The nodes or edges that are undone."""
    name = table.c.node_id if table is schema.nodes else table.c.edge_id
    return set(connection.execute(select(name).where(table.c.tree == number, ~table.c.present)).scalars())


def _begin_anew(connection: Connection, number: int, tree: Tree) -> None:
    log = schema.change_log
    rules = change_log.read_texts(connection, number)
    summaries = _undone_summaries(connection, number)
    # Undo and redo point at earlier entries.
    connection.execute(log.update().where(log.c.tree == number).values(undoes=None, redoes=None))
    connection.execute(log.delete().where(log.c.tree == number))
    rows = [RowChange(row, None) for row in summaries.values()]  # first: there may be others in their place
    rows += [RowChange(None, row) for row in new_trees.rows_of(tree)]
    # What is undone can no longer be brought back, but the file holds it, so the log says so.
    rows += (RowChange(node, None) for node in undone_nodes(connection, number).values())
    rows += (RowChange(edge, None) for edge in undone_edges(connection, number))
    kept = (
        *responses.read_all_evidence(connection, number),
        *responses.read_undone_evidence(connection, number),
        *responses.read_named_evidence(connection, number, summaries),
    )
    evidence = tuple(item.with_texts(rules) for item in kept)
    change = Change(tree.loom.id, LABEL, now(), tuple(rows), by="repair", undoable=False, evidence=evidence)
    change_log.append(connection, number, change)


def _undone_summaries(connection: Connection, number: int) -> dict[str, Summary]:
    """The summaries that the log still tells of, by their responses, on which none rests any more."""
    log = schema.change_log.c
    found: dict[str, Summary] = {}
    query = select(log.body).where(log.tree == number, log.body.like('%"response":"%')).order_by(log.sequence)
    for body in connection.execute(query).scalars():
        with suppress(*BROKEN_VALUE):
            said = summaries_in(row for row in json.loads(body)["rows"] if isinstance(row, list))
            found |= {name: summary_of(row) for name, row in said.items()}
    gone = found.keys() - responses.names_of_summaries(connection, number)
    return {name: row for name, row in found.items() if name in gone}


# Trees


def mend_tree(grove: Grove, tree_id: str, past: SalvagedHistory, pen: EditContext) -> SavedTree:
    """Give every node of a tree its place again; what was saved of it."""
    tree = grove.load_tree(tree_id)
    reattached = reattach(tree, past.edges, pen)
    if reattached.change.rows:
        grove.commit(tree, reattached.change)
    digests = grove.digests(tree_id)
    damaged = (n.local_id for n in tree.nodes.values() if not _is_as_hashed(n, digests.get(n.id)))
    count = len(tree.nodes) - len(reattached.change.added_nodes())
    return SavedTree(
        tree_id, tree.loom.title, count, past.lost, tuple(damaged), len(reattached.orphans), past.kept
    )


def _is_as_hashed(node: Node, response: ResponseDigest | None) -> bool:
    try:
        return content_hash(node, response) == node.content_hash
    except ValueError:
        return False
