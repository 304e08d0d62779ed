"""Bookmarks of a tree: which nodes are marked, kept up to date change by change."""

from __future__ import annotations

from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree


class Bookmarks:
    """The marked nodes, oldest first. Pruned ones keep their mark and are listed again when restored."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._ids = {node.id for node in tree.nodes.values() if node.metadata.bookmarked}

    def follow(self, change: Change) -> bool:
        """The tree was moved by a change; True if what this shows may differ."""
        touched = False
        for row in change.changed(Node):
            was = isinstance(row.before, Node) and row.before.metadata.bookmarked
            is_now = isinstance(row.after, Node) and row.after.metadata.bookmarked
            touched = touched or was or is_now
            if is_now:
                self._ids.add(row.row.key)
            elif was:
                self._ids.discard(row.row.key)
        return touched

    def nodes(self) -> list[Node]:
        """The marked nodes that are not pruned, oldest first."""
        found = (self._tree.nodes[node_id] for node_id in self._ids)
        shown = (node for node in found if not node.metadata.pruned)
        return sorted(shown, key=lambda node: (node.created_at, node.id))


def title(node: Node) -> str:
    return node.metadata.bookmark_label or " ".join(node.text[:200].split())
