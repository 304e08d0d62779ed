"""Nodes and edges whose creation is undone: redo would bring them back, so they count as much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from sqlalchemy import Connection, select

from loomapp.core.json_values import Json
from loomapp.core.model.entities import Edge, EdgeSource, Node
from loomapp.store import schema
from loomapp.store.rows import tree_rows
from loomapp.store.statements import moment


def undone_nodes(connection: Connection, number: int) -> dict[str, Node]:
    """The nodes of a tree whose creation is undone, by their ids."""
    columns = schema.nodes.c
    query = select(columns.node_id).where(columns.tree == number, ~columns.present).order_by(columns.id)
    return tree_rows.read_nodes(connection, number, connection.execute(query).scalars().all())


def undone_edges(connection: Connection, number: int) -> Iterator[Edge]:
    """The edges of a tree whose creation is undone, in the order in which they were made."""
    edges, sources, nodes = schema.edges.c, schema.edge_sources, schema.nodes.c
    are_undone = edges.tree == number, ~edges.present
    if connection.execute(select(edges.id).where(*are_undone).limit(1)).first() is None:
        return  # the names of all nodes need not be read
    named = select(nodes.id, nodes.node_id).where(nodes.tree == number)
    names = dict(connection.execute(named).all())
    arriving: dict[int, list[EdgeSource]] = {}
    query = (
        select(sources.c.edge, sources.c.node, sources.c.role, sources.c.extra)
        .join(schema.edges, edges.id == sources.c.edge)
        .where(edges.tree == number, ~edges.present)
        .order_by(sources.c.edge, sources.c.position)
    )
    for edge, node, role, extra in connection.execute(query):
        arriving.setdefault(edge, []).append(EdgeSource(names.get(node, str(node)), role, extra or {}))
    columns = edges.id, edges.edge_id, edges.target, edges.type, edges.created_at, edges.extra
    for row, edge_id, target, kind, at, extra in connection.execute(
        select(*columns).where(edges.tree == number, ~edges.present).order_by(edges.id)
    ):
        ends = tuple(arriving.get(row, ()))
        yield Edge(edge_id, ends, names.get(target, str(target)), kind, moment(at), cast(Json, extra or {}))
