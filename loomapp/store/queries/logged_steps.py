"""A step of the log with what it made, read back in full: also of steps that are undone or abandoned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, select

from loomapp.core.edits.abandoned_steps import LoggedStep
from loomapp.core.errors import StaleChange
from loomapp.core.model.entities import Edge, EdgeSource, Node
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.schema import change_log as log
from loomapp.store.schema import edge_sources, edges, nodes
from loomapp.store.statements import Statement, json_object, moment


def read_logged_step(grove: Grove, tree: Tree, sequence: int) -> LoggedStep:
    """Return a step of a tree by its sequence number, with its texts, whatever became of it since.

    Raises: StaleChange if the tree has no such step; GroveError if the file cannot be read.
    """
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree.loom.id)
        asked = select(log.c.sequence).where(log.c.sequence == sequence, log.c.tree == number, log.c.undoable)
        if connection.execute(asked).first() is None:
            raise StaleChange("This point is no longer in the history of this tree.")
        logged = change_log.read(connection, sequence)
        change = tree_rows.logged_change(connection, tree.loom.id, number, logged, known=tree.nodes)
        made = [node.id for node in change.added_nodes()]
        above, arriving = _undone_above(connection, number, tree, made)
    return LoggedStep(change, tuple(above.values()), arriving)


def _undone_above(
    connection: Connection, number: int, tree: Tree, node_ids: Sequence[str]
) -> tuple[Mapping[str, Node], tuple[Edge, ...]]:
    """Return what is not in the tree of all that nodes hang on, the nearest first, and the edges to them and
    it.
    """
    above: dict[str, Node] = {}
    found: dict[str, Edge] = {}
    waiting = [node_id for node_id in node_ids if node_id not in tree.nodes]
    while waiting:
        arriving = [edge for node_id in waiting for edge in _edges_into(connection, number, node_id)]
        found |= {edge.id: edge for edge in arriving}
        missing = (source.node_id for edge in arriving for source in edge.sources)
        waiting = [i for i in dict.fromkeys(missing) if _is_new(i, tree, node_ids, above)]
        above |= tree_rows.read_nodes(connection, number, waiting)
        waiting = [node_id for node_id in waiting if node_id in above]
    return above, tuple(found.values())


def _is_new(node_id: str, tree: Tree, made: Iterable[str], above: Mapping[str, Node]) -> bool:
    return node_id not in tree.nodes and node_id not in made and node_id not in above


def _edges_into(connection: Connection, number: int, node_id: str) -> list[Edge]:
    """The edges to a node in order of creation, those that are undone too, with the ends that they had."""
    asked = {"in_tree": number, "name": node_id}
    return [
        Edge(edge_id, _sources(connection, row), node_id, kind, moment(at), json_object(extra))
        for row, edge_id, kind, at, extra in _EDGES_INTO.run(connection, asked).fetchall()
    ]


def _sources(connection: Connection, row: int) -> tuple[EdgeSource, ...]:
    ends = _SOURCES.run(connection, {"of_edge": row}).fetchall()
    return tuple(EdgeSource(node_id, role, json_object(extra)) for node_id, role, extra in ends)


_EDGES_INTO = Statement(
    select(edges.c.id, edges.c.edge_id, edges.c.type, edges.c.created_at, edges.c.extra)
    .join(nodes, nodes.c.id == edges.c.target)
    .where(nodes.c.tree == bindparam("in_tree"), nodes.c.node_id == bindparam("name"))
    .order_by(edges.c.id)
)
_SOURCES = Statement(
    select(nodes.c.node_id, edge_sources.c.role, edge_sources.c.extra)
    .join(nodes, nodes.c.id == edge_sources.c.node)
    .where(edge_sources.c.edge == bindparam("of_edge"))
    .order_by(edge_sources.c.position)
)
