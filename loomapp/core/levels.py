"""Levels: which child goes on at the level of what it hangs on, and what stands beside."""

from __future__ import annotations

from collections.abc import Iterator

from loomapp.core.emptying import Emptiable
from loomapp.core.hanging import Hanging
from loomapp.core.paths import Way, way_of
from loomapp.core.tree import Tree


class Levels:
    """What hangs on what in an outline. Of versions that share a row, only the one it is named after."""

    def __init__(self, tree: Tree, *, show_pruned: bool) -> None:
        self.tree = tree
        self.show_pruned = show_pruned
        self.parents: dict[str, str] = {}
        self.level: dict[str, str] = {}  # node -> the child that goes on at its level
        self._left: dict[str, list[str]] = {}  # node -> those that were level and are gone, the last one last
        self.sides: dict[str, list[str]] = {}  # node -> its other children and notes, in order of creation
        self.roots: list[str] = []
        self.age: dict[str, int] = {}
        self.way = way_of(())  # what is read
        self.hanging = Hanging(tree, show_pruned=show_pruned)

    def parts(self) -> list[Emptiable]:
        """What most of its memory is in; see `emptying`."""
        return [self.parents, self.level, self._left, self.sides, self.age]

    def look_again(self, way: Way) -> None:
        """The tree was moved: what is asked of it from now on is as it is then, and as this way is read."""
        self.way = way
        self.hanging = Hanging(self.tree, show_pruned=self.show_pruned, way=self.way)

    def is_level(self, node_id: str) -> bool:
        """True for a node that goes on at the level of what it hangs on."""
        return self.level.get(self.parents.get(node_id, "")) == node_id

    def is_note(self, node_id: str) -> bool:
        """True for a note: it continues nothing."""
        if node_id in self.tree.plain_parents:
            return False
        return bool(self.tree.annotation_edges_into(node_id)) and not self.tree.incoming(node_id)

    def hangs(self, node_id: str) -> bool:
        """True if it continues something, shown or not: then it is no beginning."""
        edges = self.tree.incoming(node_id) or self.tree.annotation_edges_into(node_id)
        return any(p in self.tree.nodes for edge in edges[:1] for p in edge.with_role("primary"))

    def is_hidden(self, node_id: str) -> bool:
        """True for a node that is pruned, where those are not shown."""
        return not self.show_pruned and self.tree.nodes[node_id].metadata.pruned

    def age_of(self, node_id: str) -> int:
        """Its number in order of creation; what is new here is the youngest."""
        return self.age.setdefault(node_id, len(self.age))

    def beside(self, parent: str) -> tuple[str, ...]:
        """What has rows below a node: what goes on at its level, and its sides."""
        level = self.level.get(parent)
        return (*(() if level is None else (level,)), *self.sides.get(parent, ()))

    def leave(self, parent: str, node_id: str) -> None:
        """What was level goes; it may come back."""
        del self.level[parent]
        self._left.setdefault(parent, []).append(node_id)

    def comes_back(self, parent: str, node_id: str) -> bool:
        """True if a node was level and what is level now came after it; those in between lose their claim."""
        left = self._left.get(parent, [])
        if node_id not in left:
            return False
        del left[left.index(node_id) :]
        return True

    def heads(self, owner: str | None) -> Iterator[str]:
        """Where the lines begin that stand under a node; None for the top level."""
        if owner is not None:
            yield from self.sides.get(owner, ())
            return
        for root in self.roots:
            if self.tree.is_empty_root(root):
                yield from [self.level[root]] if root in self.level else []
                yield from self.sides.get(root, ())
            else:
                yield root

    def line(self, head: str) -> Iterator[str]:
        """What stands level from one node on."""
        current: str | None = head
        for _ in range(len(self.level) + 1):  # damaged data may lead in a circle
            if current is None:
                return
            yield current
            current = self.level.get(current)

    def as_owner(self, node_id: str | None) -> str | None:
        """Under which node those stand that are beside in one: an empty root has no row."""
        return None if node_id is None or self.tree.is_empty_root(node_id) else node_id
