"""Levels: which child goes on at the level of what it hangs on, and what stands beside."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from loomapp.core.model.caches import Emptiable
from loomapp.core.model.tree import Tree
from loomapp.core.outline.parents import OutlineParents
from loomapp.core.paths.path import NodeSequence, node_sequence


class Levels:
    """Parents and children in an outline. Of versions that share a row, only the one it is named after."""

    def __init__(self, tree: Tree, *, show_pruned: bool) -> None:
        self.tree = tree
        self.show_pruned = show_pruned
        self.parents: dict[str, str] = {}
        self.level: dict[str, str] = {}  # node -> the child that goes on at its level
        # node -> which of its children were level once, and of which before which it is if it is there
        self._claims: dict[str, dict[str, int]] = {}
        self._turns = count(1)
        self.sides: dict[str, list[str]] = {}  # node -> its other children and notes, in order of creation
        self.roots: list[str] = []
        self.age: dict[str, int] = {}
        self.way = node_sequence(())  # what is read
        self.hanging = OutlineParents(tree, show_pruned=show_pruned)

    def parts(self) -> list[Emptiable]:
        return [self.parents, self.level, self._claims, self.sides, self.age]

    def look_again(self, way: NodeSequence) -> None:
        """The tree was moved: what is asked of it from now on is as it is then, and as this way is read."""
        self.way = way
        self.hanging = OutlineParents(self.tree, show_pruned=self.show_pruned, way=self.way)

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
        """Return a node's number in order of creation; what is new here is the youngest."""
        return self.age.setdefault(node_id, len(self.age))

    def beside(self, parent: str) -> tuple[str, ...]:
        """Return the nodes with rows below a node: the one that goes on at its level, and its sides."""
        level = self.level.get(parent)
        return (*(() if level is None else (level,)), *self.sides.get(parent, ()))

    def give_up(self, parent: str) -> None:
        """Take the level from a node's child; its claim comes after those of all that were level before."""
        node_id = self.level.pop(parent)
        self._claims.setdefault(parent, {}).setdefault(node_id, next(self._turns))

    def put_first(self, parent: str, node_id: str) -> None:
        self._claims.setdefault(parent, {})[node_id] = -next(self._turns)

    def goes_before(self, node_id: str, parent: str) -> bool:
        """True if a node that comes is to be level: nothing is yet, or what is has a later claim or none.

        No claim is ever lost: so what is undone stands as it did, whatever came and went in between.
        """
        level, claims = self.level.get(parent), self._claims.get(parent, {})
        if level is None or node_id not in claims:
            return level is None
        return level not in claims or claims[node_id] < claims[level]

    def heir(self, parent: str) -> str | None:
        """Choose the child that is to be level where none is: the first that was once, else the oldest."""
        claims = self._claims.get(parent, {})
        there = [one for one in claims if self.parents.get(one) == parent]
        beside = (one for one in self.sides.get(parent, ()) if not self.is_note(one))
        return min(there, key=claims.__getitem__) if there else next(beside, None)

    def heads(self, owner: str | None) -> Iterator[str]:
        """Give the first nodes of the lines under a node; None for the top level."""
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
        """Give the nodes that stand level from one node on."""
        current: str | None = head
        for _ in range(len(self.level) + 1):  # damaged data may lead in a circle
            if current is None:
                return
            yield current
            current = self.level.get(current)

    def as_owner(self, node_id: str | None) -> str | None:
        """Under which node those stand that are beside in one: an empty root has no row."""
        return None if node_id is None or self.tree.is_empty_root(node_id) else node_id
