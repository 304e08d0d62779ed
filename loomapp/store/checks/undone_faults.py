"""Faults of nodes, edges and responses that are undone: redo would bring them back, so they count as much."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from loomapp.core.model.entities import Node
from loomapp.core.model.hashes import ResponseDigest, content_hash, is_same_json
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import compared
from loomapp.store.checks.tree_verification import LoggedState, NodeFault
from loomapp.store.rows import change_log, responses
from loomapp.store.rows.log_rows import edge_in_short, node_state, seal, target_of
from loomapp.store.rows.tree_rows import undone_edges, undone_nodes


def undone_faults(connection: Connection, number: int, tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    """Find what of a tree is undone and not what the change log says."""
    yield from _node_faults(connection, number, tree, said)
    yield from _edge_faults(connection, number, tree, said)


def _node_faults(connection: Connection, number: int, tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    undone = undone_nodes(connection, number)
    if undone:  # else the tree is all there is
        tree = Tree(tree.loom, nodes=(*tree.nodes.values(), *undone.values()))
    digests: dict[str, ResponseDigest] = {}
    for item in responses.read_undone_evidence(connection, number):
        if change_log.seal(item) != said.responses.get(item.id):
            yield from (
                NodeFault(i, "it is undone, and its response is not as it was received") for i in item.choices
            )
        found = compared(tree, item, said.texts, is_own=said.is_own(item.id))
        digests |= found.digests
        exchanged = [(one.node_id, one.reason) for one in said.exchanged(item.id, item.choices)]
        for node_id, reason in (*exchanged, *found.faults):
            yield NodeFault(node_id, f"it is undone, and {reason}")
    for node in undone.values():
        if not _is_as_hashed(node, digests.get(node.id)):
            yield NodeFault(node.id, "it is undone, and not what was hashed")
        if said.nodes.get(node.id, node) is not None or seal(node) != said.seals.of.get(node.id):
            yield NodeFault(node.id, "it is undone, and not what the change log says")
        elif not is_same_json(node_state(node), said.undone.get(node.id)):
            yield NodeFault(
                node.id, "it is undone, and its flags or summary are not what the change log says"
            )
    for node_id, state in said.nodes.items():
        if state is None and node_id not in undone:
            yield NodeFault(node_id, "it is undone, and the file no longer holds it")


def _is_as_hashed(node: Node, response: ResponseDigest | None) -> bool:
    try:
        return content_hash(node, response) == node.content_hash
    except ValueError:
        return False


def _edge_faults(connection: Connection, number: int, tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    here = {edge.id: edge for edge in undone_edges(connection, number)}
    for edge in here.values():
        is_as_said = is_same_json(edge_in_short(edge), said.undone_edges.get(edge.id))
        if not is_as_said or said.edges.get(edge.id) is not None:
            yield NodeFault(edge.target_id, "the edge to it is undone, and not what the change log says")
    for edge_id, state in said.edges.items():
        if state is None and edge_id not in here and edge_id not in tree.edges:
            target = target_of(said.undone_edges[edge_id])
            yield NodeFault(target, "the edge to it is undone, and the file no longer holds it")
