"""Children that were read last, one below each node, and the path that goes on by them."""

from __future__ import annotations

from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence, apart


class LastRead:
    """Children that were read last in a tree, since it was opened."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._children: dict[str, str] = {}

    def follow(self, before: NodeSequence, now: NodeSequence) -> None:
        ids = now.node_ids
        head, tail = apart(before, now) if self._children else (0, 0)
        first, last = max(0, head - 1), min(len(ids), len(ids) - tail + 1)
        self._children.update(zip(ids[first:last], ids[first + 1 : last], strict=False))

    def way_below(self, node_id: str) -> list[str]:
        """The node and what follows it down to a leaf, each a child of the one before: what was read last,
        else the first living child.
        """
        way = self._read_below(node_id)
        seen = set(way)
        while (child := self.child_of(way[-1])) is not None and child not in seen:
            seen.add(child)
            way.append(child)
        return way

    def child_of(self, node_id: str) -> str | None:
        """The child that was read last, else the first one that is not pruned, else None."""
        if (read := self._read_child(node_id)) is not None:
            return read
        last = self._children.get(node_id)
        merged = last is not None and self._tree.plain_parents.get(last) != node_id  # else it is pruned
        if merged and last in self._tree.living_children(node_id):
            return last
        return self._tree.first_living_child(node_id)

    def was_read_on(self, node_id: str) -> bool:
        """True if a living child of a node was read since the tree was opened."""
        return self._children.get(node_id) in self._tree.living_children(node_id)

    def _read_below(self, node_id: str) -> list[str]:
        """Return the nodes that the last reading led to from a node; the node alone if that way is no longer
        plain.

        A way of a hundred thousand messages is looked at as a whole: one by one would take too long.
        """
        tree = self._tree
        way = [node_id]
        for _ in range(len(self._children)):
            child = self._children.get(way[-1])
            if child is None:
                break
            way.append(child)
        is_plain = list(map(tree.plain_parents.get, way[1:])) == way[:-1]
        if not is_plain or not tree.nodes.keys() >= set(way):
            return [node_id]
        flags = {node.metadata.pruned for node in map(tree.nodes.__getitem__, way[1:])}
        return [node_id] if True in flags else way

    def _read_child(self, node_id: str) -> str | None:
        """The child that was read last, if it is there still and that is plain to see."""
        last = self._children.get(node_id)
        if last is None or self._tree.plain_parents.get(last) != node_id:
            return None
        node = self._tree.nodes.get(last)
        return last if node is not None and not node.metadata.pruned else None
