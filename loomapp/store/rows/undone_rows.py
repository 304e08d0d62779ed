"""Nodes, edges and responses that are undone: redo would bring them back, so they count as much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from sqlalchemy import Connection, select

from loomapp.core.json_values import Json
from loomapp.core.model.entities import Edge, EdgeSource, Node
from loomapp.core.model.hashes import ResponseDigest, content_hash, is_same_json
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import compared
from loomapp.store import schema
from loomapp.store.checks.tree_verification import Fault, Said
from loomapp.store.rows import change_log, responses, tree_rows
from loomapp.store.rows.log_rows import edge_in_short, node_state, seal, target_of
from loomapp.store.statements import moment


def undone_faults(connection: Connection, number: int, tree: Tree, said: Said) -> Iterator[Fault]:
    """What of a tree is undone and not what the change log says."""
    yield from _node_faults(connection, number, tree, said)
    yield from _edge_faults(connection, number, tree, said)


def undone_nodes(connection: Connection, number: int) -> dict[str, Node]:
    """The nodes of a tree whose creation is undone, by their ids."""
    columns = schema.nodes.c
    query = select(columns.node_id).where(columns.tree == number, ~columns.present).order_by(columns.id)
    return tree_rows.read_nodes(connection, number, connection.execute(query).scalars().all())


def _node_faults(connection: Connection, number: int, tree: Tree, said: Said) -> Iterator[Fault]:
    undone = undone_nodes(connection, number)
    if undone:  # else the tree is all there is
        tree = Tree(tree.loom, nodes=(*tree.nodes.values(), *undone.values()))
    digests: dict[str, ResponseDigest] = {}
    for item in responses.read_undone_evidence(connection, number):
        if change_log.seal(item) != said.responses.get(item.id):
            yield from (
                Fault(i, "it is undone, and its response is not as it was received") for i in item.choices
            )
        found = compared(tree, item, said.texts)
        digests |= found.digests
        yield from (Fault(node_id, f"it is undone, and {reason}") for node_id, reason in found.faults)
    for node in undone.values():
        if not _is_as_hashed(node, digests.get(node.id)):
            yield Fault(node.id, "it is undone, and not what was hashed")
        if said.nodes.get(node.id, node) is not None or seal(node) != said.seals.of.get(node.id):
            yield Fault(node.id, "it is undone, and not what the change log says")
        elif not is_same_json(node_state(node), said.undone.get(node.id)):
            yield Fault(node.id, "it is undone, and its flags or summary are not what the change log says")
    for node_id, state in said.nodes.items():
        if state is None and node_id not in undone:
            yield Fault(node_id, "it is undone, and the file no longer holds it")


def _is_as_hashed(node: Node, response: ResponseDigest | None) -> bool:
    try:
        return content_hash(node, response) == node.content_hash
    except ValueError:
        return False


def _edge_faults(connection: Connection, number: int, tree: Tree, said: Said) -> Iterator[Fault]:
    here = {edge.id: edge for edge in undone_edges(connection, number)}
    for edge in here.values():
        is_as_said = is_same_json(edge_in_short(edge), said.undone_edges.get(edge.id))
        if not is_as_said or said.edges.get(edge.id) is not None:
            yield Fault(edge.target_id, "the edge to it is undone, and not what the change log says")
    for edge_id, state in said.edges.items():
        if state is None and edge_id not in here and edge_id not in tree.edges:
            target = target_of(said.undone_edges[edge_id])
            yield Fault(target, "the edge to it is undone, and the file no longer holds it")


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
