"""The outline of a tree: lines that stay level, and branches that are indented under the fork they leave.

A text goes on at its own level through the child with most below it; the other children, and notes, stand
indented under it. So a chain is flat however long, and no node of n is deeper than log2(n). Nothing recurses.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from loomapp.core.change import Change
from loomapp.core.emptying import Emptiable
from loomapp.core.stems import Stems
from loomapp.core.tree import Edge, Node, Tree


@dataclass(frozen=True, slots=True)
class Place:
    """Under which node a node stands (None: at the top level), and in which row there."""

    owner: str | None
    row: int


MOST_DRIFT = 500  # rows, before they are counted anew
SLICE = 500  # nodes a step of building


class Outline:
    """Rows by owner, found when asked for and kept up to date change by change.

    Which child stays level is decided when the tree is shown, and again only while that child is gone: rows
    do not move about while one writes, and what is undone looks as it did before.
    """

    def __init__(self, tree: Tree, *, show_pruned: bool = False) -> None:
        """Whole only once `building` has come to its end; `outline_of` sees to that."""
        self.tree = tree
        self._show_pruned = show_pruned
        self._parents: dict[str, str] = {}
        self._level: dict[str, str] = {}  # node -> the child that goes on at its level
        self._left: dict[str, list[str]] = {}  # node -> those that were level and are gone, the last one last
        self._sides: dict[str, list[str]] = {}  # node -> its other children and notes, in order of creation
        self._roots: list[str] = []
        self._rows: dict[str | None, list[str]] = {}
        self._numbers: dict[str | None, dict[str, int]] = {}
        self._owners: dict[str, str | None] = {}  # of the nodes in rows that were asked for
        self._drift: dict[str | None, int] = {}  # by how much numbers may be wrong
        self._age: dict[str, int] = {}
        self._stands_for: dict[str, str] = {}  # version in a buffer -> the one whose row it shares
        self._others: dict[str, list[str]] = {}  # that one -> the other versions, in order of creation

    def parts(self) -> list[Emptiable]:
        """What most of its memory is in; see `emptying`."""
        return [
            self._parents,
            self._level,
            self._left,
            self._sides,
            self._rows,
            self._numbers,
            self._owners,
            self._age,
            self._stands_for,
            self._others,
        ]

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
        found = self._place(self.row_of(node_id))
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
        """Which of its siblings a node is, from 1, and how many they are; versions are one."""
        node_id = self.row_of(node_id)
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

    def standing_at(self, key: str, path: Container[str]) -> str:
        """Which node a row shows: of versions in a buffer, which stand in one row, the one that is read,
        else the newest that is not pruned.
        """
        if key not in self._others:
            return key
        nodes = self.tree.nodes
        versions = [one for one in (key, *self._others[key]) if one in nodes]
        living = [one for one in versions if not nodes[one].metadata.pruned] or versions
        return next((one for one in versions if one in path), (living or [key])[-1])

    def row_of(self, node_id: str) -> str:
        """The node that the row is named after in which a node has its place: of versions the oldest."""
        return self._stands_for.get(node_id, node_id)

    def _place(self, node_id: str) -> Place | None:
        if node_id not in self.tree.nodes or self._is_hidden(node_id) or self.tree.is_empty_root(node_id):
            return None
        owner = self._owner(node_id)
        row = self._row_of(owner, node_id)
        return None if row is None else Place(owner, row)

    def _row_of(self, owner: str | None, node_id: str) -> int | None:
        """The row of a node; numbers that were counted once are right but for what came and went before."""
        rows, numbers = self.rows(owner), self._numbers.get(owner)
        if numbers is None:
            numbers = self._numbers[owner] = dict(zip(rows, range(len(rows)), strict=True))
            self._drift[owner] = 0
        row = numbers.get(node_id)
        if row is None or (row < len(rows) and rows[row] == node_id):
            return row
        near = range(max(0, row - self._drift[owner]), min(len(rows), row + self._drift[owner] + 1))
        return next((other for other in near if rows[other] == node_id), None)

    # Following

    def follow(self, change: Change) -> set[str | None]:
        """The tree was moved by a change; gives the owners whose rows may differ now."""
        touched = self._touched(change)
        owners: set[str | None] = set()
        for node_id in sorted(touched, key=self._is_level):  # those beside go first: no heir goes after all
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
        if self.tree.loom.mode == "buffer":
            for node_id in list(touched):
                touched |= self._hung_anew(node_id)
        return touched

    def _hung_anew(self, node_id: str) -> set[str]:
        """The versions that may share another row once a node that has a row for them goes or comes, and what
        hangs on them.
        """
        node = self.tree.nodes.get(node_id)
        versions = {node_id, *self._others.get(node_id, ())}
        if node is not None and node_id in self._age and node_id not in self._stands_for:
            stems = Stems(self.tree)
            own, parent = stems.of(node_id), self._parent(node_id)
            beside = () if parent is None else self._beside(parent)
            rows = [one for one in beside if one != node_id and stems.of(one) == own]
            versions.update(rows, *(self._others.get(one, ()) for one in rows))
        if len(versions) == 1:
            return set()
        below = (other for one in versions for other in (*self.tree.children(one), *self.tree.notes(one)))
        return versions.union(below)

    def _beside(self, parent: str) -> tuple[str, ...]:
        """What has rows below a node: what goes on at its level, and its sides."""
        level = self._level.get(parent)
        return (*(() if level is None else (level,)), *self._sides.get(parent, ()))

    def _order_of(self, node_id: str) -> tuple[int, str]:
        node = self.tree.nodes.get(node_id)
        return (self._age.get(node_id, len(self._age)) if node else -1, node_id)

    def _take_out(self, node_id: str) -> set[str | None]:
        """A node leaves its parent; what hangs below it stays with it."""
        row = self._stands_for.pop(node_id, None)
        if row is not None:
            self._others[row].remove(node_id)
            if not self._others[row]:
                del self._others[row]
            return {self._owners.get(row)} if row in self._owners else set()
        parent = self._parents.pop(node_id, None)
        if parent is None:
            if node_id not in self._roots:
                return set()  # it is out already, or hangs on what is not shown
            self._roots.remove(node_id)
            return self._forget(None)
        owners = {self._as_owner(parent), self._owners.get(parent)} | self._cut(node_id)
        sides = self._sides.get(parent, [])
        if self._level.get(parent) == node_id:
            del self._level[parent]
            self._left.setdefault(parent, []).append(node_id)
            heir = next((other for other in sides if not self._is_note(other)), None)
            if heir is not None:
                owners |= self._cut(heir)
                sides.remove(heir)
                self._level[parent] = heir
                owners |= self._go_on(parent, heir)
        elif node_id in sides:
            sides.remove(node_id)
        if not sides:
            self._sides.pop(parent, None)
        return owners

    def _put_in(self, node_id: str) -> set[str | None]:
        """A node comes below its parent: on its level if nothing does yet or it was before, else beside."""
        self._age.setdefault(node_id, len(self._age))
        parent = self._parent(node_id)
        if parent is None:
            if self._hangs(node_id):
                return set()
            insort(self._roots, node_id, key=self._age.__getitem__)
            return self._forget(None)
        if self._is_version(node_id):
            stems = Stems(self.tree)
            own = stems.of(node_id)
            row = next((one for one in self._beside(parent) if stems.of(one) == own), None)
            if row is not None:
                self._share(node_id, row)
                return {self._owners.get(row)} if row in self._owners else set()
        self._parents[node_id] = parent
        if self._is_note(node_id):
            return self._put_beside(parent, node_id)
        comes_back = self._comes_back(parent, node_id)
        level = self._level.get(parent)
        if level is not None and not comes_back:
            return self._put_beside(parent, node_id)
        owners: set[str | None] = set()
        if level is not None:  # it stood in for this one
            owners |= self._cut(level)
            del self._level[parent]
            owners |= self._put_beside(parent, level)
        self._level[parent] = node_id
        return owners | self._go_on(parent, node_id)

    def _is_version(self, node_id: str) -> bool:
        """True for what may be a version of another passage of a buffer."""
        if self.tree.loom.mode != "buffer" or self._is_note(node_id):
            return False
        return self.tree.nodes[node_id].edited_from is not None or bool(self.tree.edits_of(node_id))

    def _share(self, node_id: str, row: str) -> None:
        self._stands_for[node_id] = row
        insort(self._others.setdefault(row, []), node_id, key=self._age.__getitem__)

    def _put_beside(self, parent: str, node_id: str) -> set[str | None]:
        insort(self._sides.setdefault(parent, []), node_id, key=self._age.__getitem__)
        return self._stand(parent, node_id)

    def _comes_back(self, parent: str, node_id: str) -> bool:
        """True if a node was level and what is level now came after it; those in between lose their claim."""
        left = self._left.get(parent, [])
        if node_id not in left:
            return False
        del left[left.index(node_id) :]
        return True

    def _is_level(self, node_id: str) -> bool:
        return self._level.get(self._parents.get(node_id, "")) == node_id

    # Rows that are known are patched: a long list is not made anew for what comes and goes in it.

    def _go_on(self, parent: str, node_id: str) -> set[str | None]:
        """A node's line goes on where its parent's ended."""
        if parent not in self._owners:
            return self._forget(None) if self.tree.is_empty_root(parent) else set()
        owner = self._owners[parent]
        row = self._row_of(owner, parent)
        return self._forget(owner) if row is None else self._splice(owner, row + 1, row + 1, node_id)

    def _stand(self, parent: str, node_id: str) -> set[str | None]:
        """A node's line stands among those beside the one that goes on from its parent."""
        owner, sides = self._as_owner(parent), self._sides[parent]
        if owner not in self._rows:
            return {owner}
        after = sides[sides.index(node_id) + 1 :][:1]
        row = self._row_of(owner, after[0]) if after else len(self._rows[owner])
        is_sure = owner is not None or after or len(self._roots) == 1
        return self._splice(owner, row, row, node_id) if row is not None and is_sure else self._forget(owner)

    def _cut(self, node_id: str) -> set[str | None]:
        """A node and its line leave the rows they are in."""
        if node_id not in self._owners:
            return set()
        owner = self._owners[node_id]
        row = self._row_of(owner, node_id)
        if row is None:
            return self._forget(owner)
        rows, end, current = self._rows[owner], row, cast("str | None", node_id)
        while end < len(rows) and rows[end] == current:
            end, current = end + 1, self._level.get(rows[end])
        return self._splice(owner, row, end, None)

    def _splice(self, owner: str | None, first: int, end: int, head: str | None) -> set[str | None]:
        """The line of `head` in the place of some rows."""
        rows, line = self._rows[owner], [] if head is None else list(self._line(head))
        for gone in rows[first:end]:
            self._owners.pop(gone, None)
        is_last = end == len(rows)
        rows[first:end] = line
        self._owners.update(dict.fromkeys(line, owner))
        numbers = self._numbers.get(owner)
        if numbers is not None:
            numbers.update(zip(line, range(first, first + len(line)), strict=True))
            self._drift[owner] += 0 if is_last else abs(len(line) - (end - first))
            if self._drift[owner] > MOST_DRIFT:
                del self._numbers[owner]
        return {owner}

    def _forget(self, owner: str | None) -> set[str | None]:
        for node_id in self._rows.pop(owner, ()):
            self._owners.pop(node_id, None)
        self._numbers.pop(owner, None)
        return {owner}

    # Building

    def building(self) -> Iterator[None]:
        """Find the lines, a little at each step: a large tree takes longer than a window may stand still.

        Of no use any more once the tree was moved.
        """
        size: dict[str, int] = {}  # of what is below each that is shown, itself included
        yield from self._meet(size)
        visible = list(size)
        for count, node_id in enumerate(visible):
            if count % SLICE == 0:
                yield
            self._hang(node_id, size)
        yield from self._put_together(size)
        visible = list(size)
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
            yield from self._choose_level(parent, sides, size)
        long = [parent for parent, sides in self._sides.items() if len(sides) >= SLICE]
        for owner in (None, *long):  # the others' rows are found when they are asked for
            yield from self._list(owner)

    def _meet(self, size: dict[str, int]) -> Iterator[None]:
        for age, (node_id, node) in enumerate(self.tree.nodes.items()):
            if age % SLICE == 0:
                yield
            self._age[node_id] = age
            if self._show_pruned or not node.metadata.pruned:
                size[node_id] = 1

    def _put_together(self, size: dict[str, int]) -> Iterator[None]:
        """Versions of a passage take one row, that of the oldest; what hangs on the others hangs there."""
        if self.tree.loom.mode != "buffer":
            return
        stems = Stems(self.tree)
        rows: dict[tuple[str, str], str] = {}
        for count, (node_id, parent) in enumerate(list(self._parents.items())):
            if count % SLICE == 0:
                yield
            above = self._parents[node_id] = self.row_of(parent)
            if self._is_note(node_id):
                continue
            row = rows.setdefault((above, stems.of(node_id)), node_id)
            if row != node_id:
                self._share(node_id, row)
                del self._parents[node_id], size[node_id]
        for count, (node_id, parent) in enumerate(self._parents.items()):  # those listed before their parent
            if count % SLICE == 0:
                yield
            self._parents[node_id] = self.row_of(parent)

    def _hang(self, node_id: str, visible: Container[str]) -> None:
        parent = self.tree.plain_parents.get(node_id)
        if parent is None or parent not in visible:
            parent = self._parent(node_id)
        if parent is not None:
            self._parents[node_id] = parent
        elif not self._hangs(node_id):
            self._roots.append(node_id)

    def _choose_level(self, parent: str, sides: list[str], size: Mapping[str, int]) -> Iterator[None]:
        largest = first = self._level.get(parent)
        if largest is None or first is None:
            return
        for count, other in enumerate(sides, 1):
            if count % SLICE == 0:
                yield
            if size[other] > size[largest] and not self._is_note(other):
                largest = other
        if largest != first:
            sides.remove(largest)
            sides.insert(0, first)
            self._level[parent] = largest

    def _list(self, owner: str | None) -> Iterator[None]:
        """The rows of an owner, and their numbers."""
        rows: list[str] = []
        numbers: dict[str, int] = {}
        for head in self._heads(owner):
            for node_id in self._line(head):
                if len(rows) % SLICE == 0:
                    yield
                numbers[node_id] = len(rows)
                self._owners[node_id] = owner
                rows.append(node_id)
        self._rows[owner], self._numbers[owner], self._drift[owner] = rows, numbers, 0

    def _parent(self, node_id: str) -> str | None:
        """The node that it continues, or is a note on; of several the first that is shown."""
        edges = self.tree.incoming(node_id) or self.tree.annotation_edges_into(node_id)
        primaries = edges[0].with_role("primary") if edges else ()
        shown = (p for p in primaries if p in self.tree.nodes and not self._is_hidden(p))
        return next((self.row_of(p) for p in shown), None)

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
