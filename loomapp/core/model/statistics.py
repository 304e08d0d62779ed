"""Statistics of a tree, its nodes, branches and bookmarks, kept up to date change by change."""

from __future__ import annotations

from loomapp.core.model.caches import Emptiable
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.tree import Tree


class TreeStatistics:
    """Nodes without the empty root, as the list of trees counts them; those of them that are pruned; and the
    ends of branches that are not. A note or a loose source, such as a document, ends none.
    """

    def __init__(self, tree: Tree) -> None:
        nodes = tree.nodes
        self._written = set(nodes)
        if tree.is_empty_root(tree.root_id):
            self._written.discard(tree.root_id)
        self._pruned = {i for i in self._written if nodes[i].metadata.pruned}
        continued: set[str] = set()
        following = {tree.root_id}
        for edge in tree.edges.values():
            if edge.type == "annotation":
                continue
            following.add(edge.target_id)
            target = nodes.get(edge.target_id)
            if target is not None and not target.metadata.pruned:
                continued.update(source.node_id for source in edge.sources if source.role == "primary")
        following -= continued
        following -= self._pruned
        self._leaves = following & self._written

    def parts(self) -> list[Emptiable]:
        """Collections with most of its memory; see `emptying`."""
        return [self._written, self._pruned, self._leaves]

    @property
    def nodes(self) -> int:
        return len(self._written)

    @property
    def pruned(self) -> int:
        return len(self._pruned)

    @property
    def branches(self) -> int:
        """Ways from the root to an end."""
        return len(self._leaves)

    def follow(self, tree: Tree, change: Change) -> None:
        """Count again what a change touched; it has been applied already."""
        touched: set[str] = set()
        plain = tree.plain_parents
        for row_change in change.rows:
            row = row_change.row
            if isinstance(row, Node) and _counts_as_before(row_change):
                continue
            if isinstance(row, Node):
                touched.add(row.id)
                above = plain.get(row.id)
                if above is not None:
                    touched.add(above)
                else:
                    touched.update(s.node_id for edge in tree.incoming(row.id) for s in edge.sources)
            for edge_row in (row_change.before, row_change.after):  # one that moves leaves another place
                if isinstance(edge_row, Edge):
                    touched.update((edge_row.target_id, *(source.node_id for source in edge_row.sources)))
        for node_id in touched:
            self._look_at(tree, node_id)

    def _look_at(self, tree: Tree, node_id: str) -> None:
        node = tree.nodes.get(node_id)
        is_written = node is not None and not tree.is_empty_root(node_id)
        lives = is_written and node is not None and not node.metadata.pruned
        _set(self._written, node_id, is_written)
        _set(self._pruned, node_id, is_written and not lives)
        is_end = lives and (node_id == tree.root_id or bool(tree.incoming(node_id)))
        _set(self._leaves, node_id, is_end and not _is_continued(tree, node_id))


def _counts_as_before(row: RowChange) -> bool:
    """True for a node that was there, is there, and is as much hidden as it was."""
    before, after = row.before, row.after
    if not isinstance(before, Node) or not isinstance(after, Node):
        return False
    return before.metadata.pruned == after.metadata.pruned


def _is_continued(tree: Tree, node_id: str) -> bool:
    return tree.first_living_child(node_id) is not None


def _set(ids: set[str], node_id: str, present: bool) -> None:
    if present:
        ids.add(node_id)
    else:
        ids.discard(node_id)


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
