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
from loomapp.core.hanging import Hanging
from loomapp.core.tree import Edge, Node, Tree


@dataclass(frozen=True, slots=True)
class Place:
    """Under which node a node stands (None: at the top level), and in which row there."""

    owner: str | None
    row: int


MOST_DRIFT = 500  # rows, before they are counted anew
SLICE = 500  # nodes a step of building
FAR = 64  # nodes above one whose line is kept, where all of a long branch moves at once


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
        self._taken_up: set[str] = set()  # of those, what says the end of what the row says
        self._merges: dict[str, set[str]] = {}  # row -> what stands in it and says what several said
        self._merged_stems: set[str] = set()  # of all that were met
        self._parked: set[str] = set()  # nodes whose rows stand still while they are hung elsewhere
        self._again: set[str] = set()  # nodes to hang anew, since another took or left their row
        self._hanging = Hanging(tree, show_pruned=show_pruned)

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

    def above(self, row: str) -> str | None:
        """The row that one hangs on, on its level or beside; None for a beginning."""
        return self._parents.get(row)

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
        self._hanging = Hanging(self.tree, show_pruned=self._show_pruned)
        owners: set[str | None] = set()
        touched = self._touched(change)
        lines = self._lines(change, touched)
        came: set[str] = set()
        moved: set[str] = set()
        for _ in range(len(self._age) + 1):  # mostly once or twice
            if not touched:
                break
            touched = self._with_sharing(touched)
            came.update(one for one in touched if one not in self._parents)
            moved |= touched
            for node_id in touched:
                if self._is_level(node_id) and self._hanging.is_shown(node_id):  # what goes keeps no line
                    lines.setdefault((node_id, node_id), self._line_to(node_id, moved))
            owners |= self._hang_anew(touched)
            touched = self._again
        owners |= self._keep_lines(lines, came, moved)
        return owners

    def _hang_anew(self, touched: set[str]) -> set[str | None]:
        """Take nodes out and put in again where they belong now those that are shown."""
        self._again = set()
        owners: set[str | None] = set()
        rows = {node_id: self.row_of(node_id) for node_id in touched if node_id in self._age}
        shown = {node_id for node_id in touched if self._hanging.is_shown(node_id)}
        # Those beside go first: no heir goes after all. What only moves keeps its rows until it is put in.
        for node_id in sorted(touched, key=lambda one: (self._is_level(one), one not in shown)):
            if node_id in self._age:
                owners |= self._take_out(node_id, stays=node_id in shown)
        for node_id in self._hanging.in_order(sorted(shown, key=self._age_of)):
            owners |= self._put_in(node_id)
        for node_id in list(self._parked):
            owners |= self._unpark(node_id)
        for node_id in touched:
            if self.row_of(node_id) != rows.get(node_id, node_id):
                below = (*self.tree.children(node_id), *self.tree.notes(node_id))
                self._again.update(one for one in below if one not in touched)
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
        for node in change.added_nodes():
            self._age.setdefault(node.id, len(self._age))
        return touched

    def _with_sharing(self, touched: set[str]) -> set[str]:
        """These nodes and what may share another row then."""
        if self.tree.loom.mode != "buffer":
            return touched
        found = dict.fromkeys(touched)
        waiting = list(found)
        while waiting:
            others = [one for one in self._sharing(waiting.pop()) if one not in found]
            found.update(dict.fromkeys(others))
            waiting += others
        return set(found)

    def _sharing(self, node_id: str) -> set[str]:
        """What may share another row once a node comes, goes or moves."""
        sharing = set(self._others.get(node_id, ()))
        if node_id in self._merges.get(row := self.row_of(node_id), ()):
            sharing |= self._taken_up.intersection(self._others.get(row, ()))
        if self._hanging.is_merged(node_id):
            sharing.update(self._hanging.chain(node_id))
        return sharing

    def _beside(self, parent: str) -> tuple[str, ...]:
        """What has rows below a node: what goes on at its level, and its sides."""
        level = self._level.get(parent)
        return (*(() if level is None else (level,)), *self._sides.get(parent, ()))

    def _age_of(self, node_id: str) -> int:
        return self._age.setdefault(node_id, len(self._age))

    def _take_out(self, node_id: str, *, stays: bool) -> set[str | None]:
        """A node leaves its parent; what hangs below it stays with it, and so do its rows if it `stays`."""
        self._tell_merged(node_id, is_there=False)
        row = self._stands_for.pop(node_id, None)
        if row is not None:
            self._taken_up.discard(node_id)
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
        owners = {self._as_owner(parent), self._owners.get(parent)}
        if stays and self._level.get(parent) == node_id and node_id in self._owners:
            self._parked.add(node_id)
        else:
            owners |= self._cut(node_id)
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
        above = self._hanging.parent(node_id)
        parent = None if above is None else self.row_of(above)
        if parent is None and self._hangs(node_id):
            return self._unpark(node_id)
        row = self._row_with(node_id, parent)
        if row is not None:
            self._share(node_id, row)
            self._tell_merged(node_id, is_there=True)
            return self._unpark(node_id) | ({self._owners.get(row)} if row in self._owners else set())
        self._tell_merged(node_id, is_there=True)
        if parent is None:
            insort(self._roots, node_id, key=self._age.__getitem__)
            return self._unpark(node_id) | self._forget(None)
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

    def _row_with(self, node_id: str, parent: str | None) -> str | None:
        """The row of other versions of a node, or of what it was taken up in, that it shares."""
        if self.tree.loom.mode != "buffer" or self._is_note(node_id):
            return None
        if parent is not None and self._is_taken_up(node_id, parent):
            self._taken_up.add(node_id)
            return parent
        own = self._hanging.stems.of(node_id)
        node = self.tree.nodes[node_id]
        if node.edited_from is None and not self.tree.edits_of(node_id) and own not in self._merged_stems:
            return None
        beside = self._roots if parent is None else self._beside(parent)
        stems, is_empty = self._hanging.stems, self.tree.is_empty_root
        row = next((one for one in beside if stems.of(one) == own and not is_empty(one)), None)
        if row is not None and self._age[row] > self._age[node_id]:
            # It is the oldest and the row is named after it: the others come to it.
            self._again |= {node_id, row, *self._others.get(row, ())}
        return None if is_empty(node_id) else row

    def _is_taken_up(self, node_id: str, row: str) -> bool:
        """True if a younger node in a row says what this one says after what the row said before."""
        return any(
            self._age[node_id] < self._age[merged]
            and self._hanging.text(node_id) in self._hanging.taken_up(merged)
            for merged in self._merges.get(row, ())
        )

    def _tell_merged(self, node_id: str, *, is_there: bool) -> None:
        """What was put together comes to its row, or leaves it."""
        row = self.row_of(node_id)
        if not is_there:
            merges = self._merges.get(row, set())
            merges.discard(node_id)
            if not merges:
                self._merges.pop(row, None)
        elif self._hanging.is_merged(node_id):
            self._merges.setdefault(row, set()).add(node_id)
            self._merged_stems.add(self._hanging.stems.of(node_id))
            beside = (one for other in self._beside(row) for one in (other, *self._others.get(other, ())))
            self._again.update(one for one in beside if self._is_taken_up(one, row))

    def _share(self, node_id: str, row: str) -> None:
        self._stands_for[node_id] = row
        insort(self._others.setdefault(row, []), node_id, key=self._age.__getitem__)

    def _put_beside(self, parent: str, node_id: str) -> set[str | None]:
        insort(self._sides.setdefault(parent, []), node_id, key=self._age.__getitem__)
        return self._unpark(node_id) | self._stand(parent, node_id)

    def _comes_back(self, parent: str, node_id: str) -> bool:
        """True if a node was level and what is level now came after it; those in between lose their claim."""
        left = self._left.get(parent, [])
        if node_id not in left:
            return False
        del left[left.index(node_id) :]
        return True

    def _is_level(self, node_id: str) -> bool:
        return self._level.get(self._parents.get(node_id, "")) == node_id

    # Lines: what a text went on through, it goes on through

    def _lines(self, change: Change, touched: set[str]) -> dict[tuple[str, str], dict[str, str]]:
        """Where lines pass that go elsewhere from now on: (a node that they passed, the one that they pass
        now) -> for those above, what went on at their level. A new version takes the line of what it is
        made from, and gives it back.
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
        current, still = self.row_of(node_id), 0
        while still < 2 and self._is_level(current) and len(line) < FAR:
            above = self._parents[current]
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
        """What a line passes now goes on at the level of what it passed before."""
        owners: set[str | None] = set()
        for (_, node_id), line in lines.items():
            current, still, seen = self.row_of(node_id), 0, set[str]()
            while still < 2 and line and current in self._parents and current not in seen:
                seen.add(current)
                above = self._parents[current]
                is_new = above in came or (above in line and current in came)
                is_free = above in line and self._parents.get(line[above]) != above
                is_level = self._level.get(above) == current
                if (is_new or is_free) and not is_level and not self._is_note(current):
                    owners |= self._raise(above, current)
                if above in line:
                    break
                still += above not in moved
                current = above
        return owners

    def _raise(self, parent: str, node_id: str) -> set[str | None]:
        """A node that stood beside goes on at the level of its parent."""
        level, sides = self._level.get(parent), self._sides[parent]
        owners = self._cut(node_id)
        sides.remove(node_id)
        if level is not None:
            owners |= self._cut(level)
            del self._level[parent]
            owners |= self._put_beside(parent, level)
        elif not sides:
            del self._sides[parent]
        self._level[parent] = node_id
        return owners | {self._as_owner(parent)} | self._go_on(parent, node_id)

    # Rows that are known are patched: a long list is not made anew for what comes and goes in it.

    def _go_on(self, parent: str, node_id: str) -> set[str | None]:
        """A node's line goes on where its parent's ended."""
        if parent not in self._owners:
            gone = self._unpark(node_id)
            return gone | self._forget(None) if self.tree.is_empty_root(parent) else gone
        owner = self._owners[parent]
        row = self._row_of(owner, parent)
        if node_id in self._parked and row is not None and self._rows[owner][row + 1 : row + 2] == [node_id]:
            self._parked.discard(node_id)
            return set()
        if gone := self._unpark(node_id):
            return gone | self._go_on(parent, node_id)
        return self._forget(owner) if row is None else self._splice(owner, row + 1, row + 1, node_id)

    def _unpark(self, node_id: str) -> set[str | None]:
        """The rows of a node leave, which stood still until one knew where it goes."""
        if node_id not in self._parked:
            return set()
        self._parked.discard(node_id)
        return self._cut(node_id)

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
            self._hang(node_id)
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
        rows: dict[tuple[str | None, str], str] = {}
        hung = {**dict.fromkeys(self._roots), **self._parents}
        for count, node_id in enumerate(self._hanging.in_order(hung)):
            if count % SLICE == 0:
                yield
            above = None
            if node_id in self._parents:
                above = self._parents[node_id] = self.row_of(self._parents[node_id])
            if self._is_note(node_id) or self.tree.is_empty_root(node_id):
                continue
            if above is not None and self._is_taken_up(node_id, above):
                self._taken_up.add(node_id)
                row = above
            else:
                row = rows.setdefault((above, self._hanging.stems.of(node_id)), node_id)
            if row != node_id:
                self._share(node_id, row)
                self._parents.pop(node_id, None)
                del size[node_id]
            self._tell_merged(node_id, is_there=True)
        self._again.clear()
        yield
        self._name_rows(size)

    def _name_rows(self, size: dict[str, int]) -> None:
        """Each row is named after the oldest that stands in it, but for what was taken up there."""
        names: dict[str, str] = {}
        for row, others in list(self._others.items()):
            oldest = next((one for one in others if one not in self._taken_up), row)
            if self._age[oldest] < self._age[row]:
                names[row] = oldest
        if not names and not self._stands_for:
            return
        for row, name in names.items():
            others = [row, *(one for one in self._others.pop(row) if one != name)]
            self._others[name] = sorted(others, key=self._age.__getitem__)
            self._stands_for.update(dict.fromkeys(others, name))
            del self._stands_for[name]
            if row in self._merges:
                self._merges[name] = self._merges.pop(row)
            size[name] = size.pop(row)
            if row in self._parents:
                self._parents[name] = self._parents.pop(row)
        self._roots = sorted({self.row_of(root) for root in self._roots}, key=self._age.__getitem__)
        by_age = sorted(self._parents, key=self._age.__getitem__)
        self._parents = {node_id: self.row_of(self._parents[node_id]) for node_id in by_age}

    def _hang(self, node_id: str) -> None:
        parent = self._hanging.parent(node_id)
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
            insort(sides, first, key=self._age.__getitem__)
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
