"""The outline of a tree: lines that stay level, and branches that are indented under the fork they leave.

A text goes on at its own level through the child with most below it; the other children, and notes, stand
indented under it. So a chain is flat however long, and no node of n is deeper than log2(n). Nothing recurses.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loomapp.core.model.caches import Emptiable
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.tree import Tree
from loomapp.core.outline.build import building
from loomapp.core.outline.main_lines import Levels
from loomapp.core.outline.parents import read_otherwise
from loomapp.core.outline.rows import OutlineRows, SharedRows
from loomapp.core.paths.path import NodeSequence, apart


@dataclass(frozen=True, slots=True)
class OutlinePlace:
    """Under which node a node stands (None: at the top level), and in which row there."""

    owner: str | None
    row: int


FAR = 64  # nodes above one whose line is kept, where all of a long branch moves at once


class Outline:
    """Rows by owner, found when asked for and kept up to date change by change.

    Which child stays level is decided when the tree is shown, and again only while that child is gone: rows
    do not move about while one writes, and what is undone looks as it did before.
    """

    def __init__(self, tree: Tree, way: NodeSequence | None = None, *, show_pruned: bool = False) -> None:
        """Whole only once `building` has come to its end; `outline_of` sees to that. In a buffer what is read
        (`way`) is one line: there the rows are the text.
        """
        self.tree = tree
        self._levels = Levels(tree, show_pruned=show_pruned)
        if way is not None and tree.loom.mode == "buffer":
            self._levels.look_again(way)
        self._shared = SharedRows(self._levels)
        self._rows = OutlineRows(self._levels)

    def building(self) -> Iterator[None]:
        """Find the lines, a little at each step: a large tree takes longer than a window may stand still.

        Of no use any more once the tree was moved.
        """
        return building(self._levels, self._shared, self._rows)

    def parts(self) -> list[Emptiable]:
        return [*self._levels.parts(), *self._rows.parts(), *self._shared.parts()]

    # Asking

    def rows(self, owner: str | None) -> Sequence[str]:
        """Return the rows under a node, its branches one after the other; None for the top level."""
        return self._rows.of(owner)

    def has_rows(self, node_id: str) -> bool:
        """True if branches stand under a node."""
        return node_id in self._levels.sides and not self.tree.is_empty_root(node_id)

    def place(self, node_id: str) -> OutlinePlace | None:
        """Return a node's place; None if it is not in the outline."""
        found = self._place(self._shared.row_of(node_id))
        above = found
        for _ in range(len(self._levels.parents)):
            if above is None or above.owner is None:
                break
            above = self._place(above.owner)  # what hangs on a pruned node is not there either
        return None if above is None else found

    def branches(self, node_id: str) -> int:
        """Count the ways on from a node, notes apart."""
        sides = len(self._levels.sides.get(node_id, ()))
        if node_id in self.tree.noted:
            sides = sum(not self._levels.is_note(other) for other in self._levels.sides.get(node_id, ()))
        return sides + (node_id in self._levels.level)

    def number(self, node_id: str) -> tuple[int, int]:
        """Return a node's number among its siblings, from 1, and their count; versions are one."""
        node_id = self._shared.row_of(node_id)
        parent = self._levels.parents.get(node_id)
        if parent is None or self._levels.is_note(node_id):
            return 1, 1
        sides: Sequence[str] = self._levels.sides.get(parent, ())
        if parent in self.tree.noted:
            sides = [other for other in sides if not self._levels.is_note(other)]
        age = self._levels.age[node_id]
        level = self._levels.level.get(parent)
        before = bisect_left(sides, age, key=self._levels.age.__getitem__)
        before += level is not None and level != node_id and self._levels.age[level] < age
        return before + 1, len(sides) + (level is not None)

    def standing_at(self, key: str, path: Container[str]) -> str:
        """Return the node that a row shows: of versions in a buffer, which stand in one row, the one that is
        read, else the newest that is not pruned.
        """
        return self._shared.standing_at(key, path)

    def row_of(self, node_id: str) -> str:
        """The node that the row is named after in which a node has its place: of versions the oldest."""
        return self._shared.row_of(node_id)

    def above(self, row: str) -> str | None:
        """The row that one hangs on, on its level or beside; None for a beginning."""
        return self._levels.parents.get(row)

    def _place(self, node_id: str) -> OutlinePlace | None:
        if (
            node_id not in self.tree.nodes
            or self._levels.is_hidden(node_id)
            or self.tree.is_empty_root(node_id)
        ):
            return None
        owner = self._rows.owner_of(node_id)
        row = self._rows.row_in(owner, node_id)
        return None if row is None else OutlinePlace(owner, row)

    # Following

    def follow(self, change: Change, way: NodeSequence | None = None) -> set[str | None]:
        """The tree was moved by a change, and by now a way is read (None: the one that was); gives the owners
        whose rows may differ now.
        """
        was = self._levels.way
        self._levels.look_again(was if way is None or self.tree.loom.mode != "buffer" else way)
        same, tail = apart(was, self._levels.way)
        owners: set[str | None] = set()
        touched, passed_on = self._touched(change)
        edited = [node.edited_from or "" for node in (*change.added_nodes(), *change.removed_nodes())]
        ways = (one.node_ids[same : len(one.node_ids) - tail] for one in (was, self._levels.way))
        stretches = (*ways, edited)
        touched |= read_otherwise(self._levels.hanging, stretches) | self._shared.read_apart_anew()
        lines = self._lines(change, touched)
        self._shared.elders.clear()
        came: set[str] = set()
        moved: set[str] = set()
        for _ in range(len(self._levels.age) + 1):  # mostly once or twice
            if not touched:
                break
            touched = self._shared.with_sharing(touched)
            came.update(one for one in touched if one not in self._levels.parents)
            moved |= touched
            for node_id in touched:
                # What goes keeps no line, nor what is below something that was hidden or shown.
                if node_id in passed_on:
                    continue
                if self._levels.is_level(node_id) and self._levels.hanging.is_shown(node_id):
                    lines.setdefault((node_id, node_id), self._line_to(node_id, moved))
            owners |= self._hang_anew(touched)
            touched = self._shared.again
        owners |= self._keep_lines(lines, came, moved)
        return owners | self._go_along(same, moved)

    def _hang_anew(self, touched: set[str]) -> set[str | None]:
        """Take nodes out and put in again where they belong now those that are shown."""
        self._shared.again = set()
        owners: set[str | None] = set()
        rows = {node_id: self._shared.row_of(node_id) for node_id in touched if node_id in self._levels.age}
        shown = {node_id for node_id in touched if self._levels.hanging.is_shown(node_id)}
        # Those beside go first: no heir goes after all. What only moves keeps its rows until it is put in.
        for node_id in sorted(touched, key=lambda one: (self._levels.is_level(one), one not in shown)):
            if node_id in self._levels.age:
                owners |= self._take_out(node_id, stays=node_id in shown)
        for node_id in self._levels.hanging.in_order(
            sorted(shown, key=self._levels.age_of), self._shared.elders
        ):
            owners |= self._put_in(node_id)
        owners |= self._rows.unpark_all()
        for node_id in touched:
            if self._shared.row_of(node_id) != rows.get(node_id, node_id):
                below = (*self.tree.children(node_id), *self.tree.notes(node_id))
                self._shared.again.update(one for one in below if one not in touched)
        return owners

    def _touched(self, change: Change) -> tuple[set[str], set[str]]:
        """Nodes that came, went, were hidden or shown, or hang elsewhere now; and of those what was below a
        node that was hidden or shown.
        """
        touched: set[str] = set()
        passing: set[str] = set()  # what is below them hangs elsewhere now
        for row in change.rows:
            match row.before, row.after:
                case (None, Node(id=node_id)) | (Node(id=node_id), None):
                    touched.add(node_id)
                case Node(id=node_id) as before, Node() as after:
                    if before.metadata.pruned != after.metadata.pruned:
                        touched.add(node_id)
                        passing.add(node_id)
                case (Edge(target_id=node_id), _) | (_, Edge(target_id=node_id)):
                    touched.add(node_id)
                    if node_id in self.tree.nodes and self._levels.is_hidden(node_id):
                        passing.add(node_id)
        for node in change.added_nodes():
            self._levels.age.setdefault(node.id, len(self._levels.age))
        passed_on = self._below(passing)
        return touched | passed_on, passed_on

    def _below(self, node_ids: set[str]) -> set[str]:
        """Collect all that is directly below these nodes, and below those of it that are hidden."""
        found: set[str] = set()
        waiting, seen = [*node_ids], {*node_ids}
        while waiting:
            current = waiting.pop()
            below = {*self.tree.children(current), *self.tree.notes(current)}
            found |= below
            hidden = {one for one in below - seen if one in self.tree.nodes and self._levels.is_hidden(one)}
            seen |= hidden
            waiting += hidden
        return found

    def _take_out(self, node_id: str, *, stays: bool) -> set[str | None]:
        """A node leaves its parent; what hangs below it stays with it, and so do its rows if it `stays`."""
        self._shared.tell_merged(node_id, is_there=False)
        row = self._shared.part(node_id)
        if row is not None:
            return self._rows.known_owner(row)
        parent = self._levels.parents.pop(node_id, None)
        if parent is None:
            if node_id not in self._levels.roots:
                return set()  # it is out already, or hangs on what is not shown
            self._levels.roots.remove(node_id)
            return self._rows.forget(None)
        owners = {self._levels.as_owner(parent), *(self._rows.known_owner(parent) or (None,))}
        if stays and self._levels.level.get(parent) == node_id and self._rows.is_known(node_id):
            self._rows.park(node_id)
        else:
            owners |= self._rows.cut(node_id)
        sides = self._levels.sides.get(parent, [])
        if self._levels.level.get(parent) == node_id:
            self._levels.give_up(parent)
            heir = self._levels.heir(parent)
            if heir is not None:
                owners |= self._rows.cut(heir)
                sides.remove(heir)
                self._levels.level[parent] = heir
                owners |= self._rows.go_on(parent, heir)
        elif node_id in sides:
            sides.remove(node_id)
        if not sides:
            self._levels.sides.pop(parent, None)
        return owners

    def _put_in(self, node_id: str) -> set[str | None]:
        """A node comes below its parent: on its level if nothing does yet or it was before, else beside."""
        above = self._levels.hanging.parent(node_id)
        parent = None if above is None else self._shared.row_of(above)
        if parent is None and self._levels.hangs(node_id):
            return self._rows.unpark(node_id)
        row = self._shared.row_with(node_id, parent)
        if row is not None:
            self._shared.share(node_id, row)
            self._shared.tell_merged(node_id, is_there=True)
            return self._rows.unpark(node_id) | self._rows.known_owner(row)
        self._shared.tell_merged(node_id, is_there=True)
        if parent is None:
            insort(self._levels.roots, node_id, key=self._levels.age.__getitem__)
            return self._rows.unpark(node_id) | self._rows.forget(None)
        self._levels.parents[node_id] = parent
        if self._levels.is_note(node_id):
            return self._put_beside(parent, node_id)
        if not self._levels.goes_before(node_id, parent):
            return self._put_beside(parent, node_id)
        return self._go_on(parent, node_id)

    def _go_on(self, parent: str, node_id: str) -> set[str | None]:
        """A node goes on at the level of its parent; what did stands beside from now on."""
        owners: set[str | None] = set()
        level = self._levels.level.get(parent)
        if level is not None:
            owners |= self._rows.cut(level)
            self._levels.give_up(parent)
            owners |= self._put_beside(parent, level)
        self._levels.level[parent] = node_id
        return owners | self._rows.go_on(parent, node_id)

    def _put_beside(self, parent: str, node_id: str) -> set[str | None]:
        insort(self._levels.sides.setdefault(parent, []), node_id, key=self._levels.age.__getitem__)
        return self._rows.unpark(node_id) | self._rows.stand(parent, node_id)

    # Lines: what a text went on through, it goes on through

    def _lines(self, change: Change, touched: set[str]) -> dict[tuple[str, str], dict[str, str]]:
        """Find the lines that pass other nodes from now on: (a node that they passed, the one that they pass
        now) -> for those above, what went on at their level. A new version takes the line of what it is made
        from, and gives it back.
        """
        if self.tree.loom.mode != "buffer":
            return {}
        pairs: list[tuple[str | None, str | None]]
        pairs = [(node.edited_from, node.id) for node in change.added_nodes()]
        pairs += [(node.id, node.edited_from) for node in change.removed_nodes()]
        return {(old, new): self._line_to(old, touched) for old, new in pairs if old and new}

    def _line_to(self, node_id: str, touched: Container[str]) -> dict[str, str]:
        """For the nodes above one what goes on at their level on the way to it, as far as it may move."""
        line: dict[str, str] = {}
        current, still = self._shared.row_of(node_id), 0
        while still < 2 and self._levels.is_level(current) and len(line) < FAR:
            above = self._levels.parents[current]
            if above in line:
                break
            line[above] = current
            still += above not in touched
            current = above
        return line

    def _keep_lines(
        self,
        lines: Mapping[tuple[str, str], Mapping[str, str]],
        came: Container[str],
        moved: Container[str],
    ) -> set[str | None]:
        """Let the node that a line passes now go on at the level of the one it passed before."""
        owners: set[str | None] = set()
        for (_, node_id), line in lines.items():
            current, still, seen = self._shared.row_of(node_id), 0, set[str]()
            while still < 2 and line and current in self._levels.parents and current not in seen:
                seen.add(current)
                above = self._levels.parents[current]
                is_new = above in came or (above in line and current in came)
                is_free = above in line and self._levels.parents.get(line[above]) != above
                is_level = self._levels.level.get(above) == current
                if (is_new or is_free) and not is_level and not self._levels.is_note(current):
                    owners |= self._raise(above, current)
                if above in line:
                    break
                still += above not in moved
                current = above
        return owners

    def _go_along(self, start: int, moved: Iterable[str]) -> set[str | None]:
        """Keep the path that is read level, from a place on it and below the nodes that moved."""
        way = self._levels.way
        if not way.node_ids:
            return set()
        owners: set[str | None] = set()
        forks = {self._levels.parents.get(self._shared.row_of(one)) for one in moved}
        every = range(start, len(way.node_ids))
        if len(self._levels.sides) < len(every):
            forks |= self._levels.sides.keys()
            every = range(0)
        at = [way.place_of(self._shared.standing_at(row, way)) for row in forks if row is not None]
        places = {place + 1 for place in at if place is not None and place + 1 < len(way.node_ids)}
        for place in sorted(places.union(every)):
            row = self._shared.row_of(way.node_ids[place])
            parent = self._levels.parents.get(row)
            if parent is not None and self._levels.level.get(parent) != row and not self._levels.is_note(row):
                owners |= self._raise(parent, row)
        return owners

    def _raise(self, parent: str, node_id: str) -> set[str | None]:
        """A node that stood beside goes on at the level of its parent."""
        sides = self._levels.sides[parent]
        owners = self._rows.cut(node_id)
        sides.remove(node_id)
        owners |= {self._levels.as_owner(parent)} | self._go_on(parent, node_id)
        self._levels.put_first(parent, node_id)
        if not sides:
            del self._levels.sides[parent]
        return owners


def outline_of(tree: Tree, way: NodeSequence | None = None, *, show_pruned: bool = False) -> Outline:
    """The outline of a tree, whole."""
    outline = Outline(tree, way, show_pruned=show_pruned)
    for _ in outline.building():
        pass
    return outline
