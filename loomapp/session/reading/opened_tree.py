"""An opened tree: what a document needs of a tree before it can show it, which any thread may find."""

from __future__ import annotations

from dataclasses import dataclass

from loomapp.core.errors import AssemblyError
from loomapp.core.model.bookmarks import Bookmarks
from loomapp.core.model.erasure import Emptiable
from loomapp.core.model.statistics import TreeStatistics
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.store.grove.tree_reader import TreeRead


@dataclass(frozen=True, slots=True)
class OpenedTree:
    """Opened tree that nobody else has, and facts found by looking at all of it."""

    read: TreeRead
    size: TreeStatistics
    bookmarks: Bookmarks
    path_ids: tuple[str, ...]  # the active path, or the root alone if it cannot be followed

    @property
    def tree(self) -> Tree:
        return self.read.tree

    def parts(self) -> list[Emptiable]:
        """Return the collections that hold most of its memory."""
        return [*self.tree.parts(), *self.size.parts()]


def looked_through(read: TreeRead) -> OpenedTree:
    """Look through a tree that was read."""
    tree = read.tree
    try:
        path_ids = resolve.resolve(tree, tree.path.leaf_id).node_ids
    except AssemblyError:
        path_ids = (tree.root_id,)
    tree.index_children(path_ids)
    return OpenedTree(read, TreeStatistics(tree), Bookmarks(tree), path_ids)
