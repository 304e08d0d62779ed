"""The outline of a tree: lines that stay level, and branches that are indented under the fork they leave.

A text goes on at its own level through the child with most below it; the other children, and notes, stand
indented under it. So a chain is flat however long, and no node of n is deeper than log2(n). Nothing recurses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loomapp.core.change import Change
from loomapp.core.tree import Edge, Node, Tree


@dataclass(frozen=True, slots=True)
class Place:
    """Under which node a node stands (None: at the top level), and in which row there."""

    owner: str | None
    row: int


SLICE = 500  # nodes a step of building


class Outline:
    """Rows by owner, found when asked for and kept up to date change by change.

    Which child stays level is decided when the tree is shown, and again only where that child is gone: rows
    do not move about while one writes.
    """

    def __init__(self, tree: Tree, *, show_pruned: bool = False) -> None:
        """Whole only once `building` has come to its end; `outline_of` sees to that."""
        self.tree = tree
        self._show_pruned = show_pruned
        self._parents: dict[str, str] = {}
        self._level: dict[str, str] = {}  # node -> the child that goes on at its level
        self._sides: dict[str, list[str]] = {}  # node -> its other children and notes, in order of creation
        self._roots: list[str] = []
        self._rows: dict[str | None, list[str]] = {}
        self._numbers: dict[str | None, dict[str, int]] = {}
        self._owners: dict[str, str | None] = {}  # of the nodes in rows that were asked for
        self._age: dict[str, int] = {}

    # Asking

    def rows(self, owner: str | None) -> Sequence[str]:
        """What stands under a node, its branches one after the other; None for the top level."""
        if owner not in self._rows:
            rows = [node_id for head in self._heads(owner) for node_id in self._line(head)]
            self._rows[owner] = rows
            self._owners.update(dict.fromkeys(rows, owner))
        return self._rows[owner]

    def has_rows(self, node_id: str) -> bool:
        """True if branches stand under a node."""
        return node_id in self._sides and not self.tree.is_empty_root(node_id)

    def place(self, node_id: str) -> Place | None:
        """Where a node stands; None if it is not in the outline."""
        found = self._place(node_id)
        above = found
        for _ in range(len(self._parents)):
            if above is None or above.owner is None:
                break
            above = self._place(above.owner)  # what hangs on a pruned node is not there either
        return None if above is None else found

    def branches(self, node_id: str) -> int:
        """How many ways on there are from a node, notes apart."""
        sides = len(self._sides.get(node_id, ()))
        if node_id in self.tree.noted:
            sides = sum(not self._is_note(other) for other in self._sides.get(node_id, ()))
        return sides + (node_id in self._level)

    def number(self, node_id: str) -> tuple[int, int]:
        """Which of its siblings a node is, from 1, and how many they are."""
        parent = self._parents.get(node_id)
        if parent is None or self._is_note(node_id):
            return 1, 1
        sides: Sequence[str] = self._sides.get(parent, ())
        if parent in self.tree.noted:
            sides = [other for other in sides if not self._is_note(other)]
        age = self._age[node_id]
        level = self._level.get(parent)
        before = bisect_left(sides, age, key=self._age.__getitem__)
        before += level is not None and level != node_id and self._age[level] < age
        return before + 1, len(sides) + (level is not None)

    def _place(self, node_id: str) -> Place | None:
        if node_id not in self.tree.nodes or self._is_hidden(node_id) or self.tree.is_empty_root(node_id):
            return None
        owner = self._owner(node_id)
        numbers = self._numbers.get(owner)
        if numbers is None:
            numbers = self._numbers[owner] = {other: row for row, other in enumerate(self.rows(owner))}
        return Place(owner, numbers[node_id]) if node_id in numbers else None

    # Following

    def follow(self, change: Change) -> set[str | None]:
        """The tree was moved by a change; gives the owners whose rows may differ now."""
        touched = self._touched(change)
        owners: set[str | None] = set()
        for node_id in touched:
            if node_id in self._age:
                owners |= self._take_out(node_id)
        for node_id in sorted(touched, key=self._order_of):
            if node_id in self.tree.nodes and not self._is_hidden(node_id):
                owners |= self._put_in(node_id)
        return owners

    def _touched(self, change: Change) -> set[str]:
        """Nodes that came, went, were hidden or shown, or hang elsewhere now."""
        touched: set[str] = set()
        for row in change.rows:
            match row.before, row.after:
                case (None, Node(id=node_id)) | (Node(id=node_id), None):
                    touched.add(node_id)
                case Node(id=node_id) as before, Node() as after:
                    if before.metadata.pruned != after.metadata.pruned:
                        touched |= {node_id, *self.tree.children(node_id), *self.tree.notes(node_id)}
                case (Edge(target_id=node_id), _) | (_, Edge(target_id=node_id)):
                    touched.add(node_id)
        return touched

    def _order_of(self, node_id: str) -> tuple[int, str]:
        node = self.tree.nodes.get(node_id)
        return (self._age.get(node_id, len(self._age)) if node else -1, node_id)

    def _take_out(self, node_id: str) -> set[str | None]:
        """A node leaves its parent; what hangs below it stays with it."""
        parent = self._parents.get(node_id)
        if parent is None:
            if node_id in self._roots:
                self._roots.remove(node_id)
            return self._forget(None)
        owners = self._forget(self._owner(parent)) | self._forget(self._as_owner(parent))
        del self._parents[node_id]
        sides = self._sides.get(parent, [])
        if node_id in sides:
            sides.remove(node_id)
        elif self._level.get(parent) == node_id:
            del self._level[parent]
            heir = next((other for other in sides if not self._is_note(other)), None)
            if heir is not None:
                sides.remove(heir)
                self._level[parent] = heir
        if not sides:
            self._sides.pop(parent, None)
        return owners

    def _put_in(self, node_id: str) -> set[str | None]:
        """A node comes below its parent: on its level if nothing does yet, else beside what does."""
        self._age.setdefault(node_id, len(self._age))
        parent = self._parent(node_id)
        if parent is None:
            if not self._hangs(node_id):
                self._roots.append(node_id)
                self._roots.sort(key=self._age.__getitem__)
            return self._forget(None)
        self._parents[node_id] = parent
        if parent not in self._level and not self._is_note(node_id):
            self._level[parent] = node_id
            return self._add_row(self._owner(parent), node_id, after=parent)
        sides = self._sides.setdefault(parent, [])
        sides.append(node_id)
        last = sides[-2] if len(sides) > 1 else None
        if last is not None and self._age[last] > self._age[node_id]:
            sides.sort(key=self._age.__getitem__)
            return self._forget(self._as_owner(parent))
        return self._add_row(self._as_owner(parent), node_id, after=self._last_of(last))

    def _add_row(self, owner: str | None, node_id: str, *, after: str | None) -> set[str | None]:
        """A new leaf at the end of rows that are known is added to them: the usual way of writing on."""
        rows = self._rows.get(owner)
        is_leaf = node_id not in self._level and node_id not in self._sides
        if not rows or not is_leaf or rows[-1] != after:
            return self._forget(owner)
        rows.append(node_id)
        self._owners[node_id] = owner
        if owner in self._numbers:
            self._numbers[owner][node_id] = len(rows) - 1
        return {owner}

    def _last_of(self, node_id: str | None) -> str | None:
        """The end of the line that a node is in, if it is near."""
        for _ in range(64):
            if node_id is None or node_id not in self._level:
                return node_id
            node_id = self._level[node_id]
        return None

    def _forget(self, owner: str | None) -> set[str | None]:
        for node_id in self._rows.pop(owner, ()):
            self._owners.pop(node_id, None)
        self._numbers.pop(owner, None)
        return {owner}

    # Building

    def building(self) -> Iterator[None]:
        """Find the lines, a little at each step: a large tree takes longer than a window may stand still."""
        self._age = {node_id: age for age, node_id in enumerate(self.tree.nodes)}
        nodes = self.tree.nodes.items()
        visible = [i for i, node in nodes if self._show_pruned or not node.metadata.pruned]
        size = dict.fromkeys(visible, 1)
        for count, node_id in enumerate(visible):
            if count % SLICE == 0:
                yield
            self._hang(node_id, size)
        for count, node_id in enumerate(reversed(visible)):  # children after parents, but in damaged data
            if count % SLICE == 0:
                yield
            if node_id in self._parents:
                size[self._parents[node_id]] += size[node_id]
        for count, (node_id, parent) in enumerate(self._parents.items()):
            if count % SLICE == 0:
                yield
            if parent not in self._level and not self._is_note(node_id):
                self._level[parent] = node_id
            else:
                self._sides.setdefault(parent, []).append(node_id)
        for count, (parent, sides) in enumerate(self._sides.items()):
            if count % SLICE == 0:
                yield
            self._choose_level(parent, sides, size)

    def _hang(self, node_id: str, visible: Container[str]) -> None:
        parent = self.tree.plain_parents.get(node_id)
        if parent is None or parent not in visible:
            parent = self._parent(node_id)
        if parent is not None:
            self._parents[node_id] = parent
        elif not self._hangs(node_id):
            self._roots.append(node_id)

    def _choose_level(self, parent: str, sides: list[str], size: Mapping[str, int]) -> None:
        first = self._level.get(parent)
        if first is None:
            return
        ways = [first, *(other for other in sides if not self._is_note(other))]
        largest = max(ways, key=size.__getitem__)
        if largest != first:
            sides.remove(largest)
            sides.insert(0, first)
            self._level[parent] = largest

    def _parent(self, node_id: str) -> str | None:
        """The node that it continues, or is a note on; of several the first that is shown."""
        edges = self.tree.incoming(node_id) or self.tree.annotation_edges_into(node_id)
        primaries = edges[0].with_role("primary") if edges else ()
        return next((p for p in primaries if p in self.tree.nodes and not self._is_hidden(p)), None)

    def _hangs(self, node_id: str) -> bool:
        """True if it continues something, shown or not: then it is no beginning."""
        edges = self.tree.incoming(node_id) or self.tree.annotation_edges_into(node_id)
        return any(p in self.tree.nodes for edge in edges[:1] for p in edge.with_role("primary"))

    def _is_hidden(self, node_id: str) -> bool:
        return not self._show_pruned and self.tree.nodes[node_id].metadata.pruned

    def _is_note(self, node_id: str) -> bool:
        if node_id in self.tree.plain_parents:
            return False
        return bool(self.tree.annotation_edges_into(node_id)) and not self.tree.incoming(node_id)

    # Lines

    def _heads(self, owner: str | None) -> Iterator[str]:
        if owner is not None:
            yield from self._sides.get(owner, ())
            return
        for root in self._roots:
            if self.tree.is_empty_root(root):
                yield from [self._level[root]] if root in self._level else []
                yield from self._sides.get(root, ())
            else:
                yield root

    def _line(self, head: str) -> Iterator[str]:
        current: str | None = head
        for _ in range(len(self._level) + 1):  # damaged data may lead in a circle
            if current is None:
                return
            yield current
            current = self._level.get(current)

    def _owner(self, node_id: str) -> str | None:
        """Up the line to its head; what that hangs on is the owner."""
        for _ in range(len(self._parents) + 1):
            if node_id in self._owners:
                return self._owners[node_id]
            parent = self._parents.get(node_id)
            if parent is None or self._level.get(parent) != node_id:
                return self._as_owner(parent)
            node_id = parent
        return None

    def _as_owner(self, node_id: str | None) -> str | None:
        return None if node_id is None or self.tree.is_empty_root(node_id) else node_id


def outline_of(tree: Tree, *, show_pruned: bool = False) -> Outline:
    """The outline of a tree, whole."""
    outline = Outline(tree, show_pruned=show_pruned)
    for _ in outline.building():
        pass
    return outline
