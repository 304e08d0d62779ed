"""The position of the server: a tree, and a node in each tree that it went to. It moves no window."""

from __future__ import annotations

from loomapp.core.model.tree import Tree


class Position:
    """The tree that calls mean where they name none, and where they stand in each tree."""

    def __init__(self) -> None:
        self.tree_id: str | None = None
        self._nodes: dict[str, str] = {}

    def at(self, tree: Tree) -> str:
        """The node where it stands in a tree: at first, and where that node is gone, the path's leaf."""
        node_id = self._nodes.get(tree.loom.id)
        return node_id if node_id is not None and node_id in tree.nodes else tree.path.leaf_id

    def go(self, tree: Tree, node_id: str) -> None:
        """Stand at a node of a tree, which calls mean from now on."""
        self.tree_id = tree.loom.id
        self.move(tree, node_id)

    def move(self, tree: Tree, node_id: str) -> None:
        """Stand at a node of a tree, whichever tree calls mean."""
        self._nodes[tree.loom.id] = node_id
