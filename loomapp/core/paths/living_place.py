"""The place to go on from: a node that is there and shown, else the nearest living one on the path."""

from __future__ import annotations

from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.path import NodeSequence


def lives(tree: Tree, node_id: str) -> bool:
    """Return True if a node is in the tree and not pruned; so is a root, which always stays in sight."""
    node = tree.nodes.get(node_id)
    return node is not None and (not node.metadata.pruned or node_id == tree.root_id)


def nearest_living(tree: Tree, read: NodeSequence, node_id: str) -> str:
    """Return the node of a path that one is at once a node is out of sight: in a buffer the version that is
    read in its place, else the first living one that comes before it; the path's living end where the node is
    gone altogether.
    """
    if tree.loom.mode == "buffer":
        beside = (
            other for other in navigation.versions(tree, node_id) if other in read and lives(tree, other)
        )
        if (version := next(beside, None)) is not None:
            return version
    place = _place_above(tree, read, node_id)
    return living_end(tree, read) if place is None else _living_at(tree, read, place)


def living_end(tree: Tree, read: NodeSequence) -> str:
    """Return the last living node of a path; the root if none lives."""
    return _living_at(tree, read, len(read.node_ids) - 1)


def is_put_away(change: Change, node_id: str) -> bool:
    return any(
        isinstance(row.before, Node)
        and isinstance(row.after, Node)
        and row.after.metadata.pruned
        and not row.before.metadata.pruned
        for row in change.rows
        if row.row.key == node_id
    )


def brought_back(change: Change) -> frozenset[str]:
    """Return the nodes that a change shows again after they were pruned."""
    return frozenset(
        row.after.id
        for row in change.rows
        if isinstance(row.before, Node)
        and isinstance(row.after, Node)
        and row.before.metadata.pruned
        and not row.after.metadata.pruned
    )


def _place_above(tree: Tree, read: NodeSequence, node_id: str) -> int | None:
    """Find the place at which the way up from a node comes to a path."""
    seen: set[str] = set()
    current: str | None = node_id if node_id in tree.nodes else None
    while current is not None and current not in seen:
        if (place := read.place_of(current)) is not None:
            return place
        seen.add(current)
        current = navigation.parent(tree, current)
    return None


def _living_at(tree: Tree, read: NodeSequence, place: int) -> str:
    node_ids = read.node_ids
    return next((node_ids[at] for at in range(place, -1, -1) if lives(tree, node_ids[at])), tree.root_id)
