"""First rows of a tree: what it begins with, each node and edge made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.tree import Tree


@dataclass(frozen=True, slots=True)
class FirstRows:
    """A tree that is to come in. `head` has all of it but perhaps its nodes and edges, which may be made
    only once, one after the other, all nodes before the first edge: so a large one is never there as a whole.
    """

    head: Tree
    node_count: int
    nodes: Iterable[Node]
    edges: Iterable[Edge]
    begins_empty: bool  # the root is the empty text that is not drawn as a message

    @classmethod
    def of(cls, tree: Tree) -> FirstRows:
        """Return the rows of a tree that is in memory."""
        is_empty = tree.is_empty_root(tree.root_id)
        return cls(tree, len(tree.nodes), tree.nodes.values(), tree.edges.values(), is_empty)

    @property
    def is_whole(self) -> bool:
        """True if the tree is in memory."""
        return bool(self.head.nodes)

    def whole(self) -> Tree:
        """The tree with all its rows."""
        if not self.is_whole:
            self.head.fill(self.nodes, self.edges)
        return self.head
