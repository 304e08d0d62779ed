"""The rows of an outline by owner, with the rows that versions share: found when asked for, then patched."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import repeat

from loomapp.core.model.caches import Emptiable
from loomapp.core.outline.main_lines import Levels
from loomapp.core.paths.path import common_length

MOST_DRIFT = 500  # rows, before they are counted anew
SLICE = 500  # nodes a step of building


class OutlineRows:
    """Rows that are known are patched: a long list is not made anew for what comes and goes in it.

    What changes them gives the owners whose rows may differ then.
    """

    def __init__(self, levels: Levels) -> None:
        self._levels = levels
        self._rows: dict[str | None, list[str]] = {}
        self._numbers: dict[str | None, dict[str, int]] = {}
        self._owners: dict[str, str | None] = {}  # of the nodes in rows that were asked for
        self._drift: dict[str | None, int] = {}  # by how much numbers may be wrong
        self._parked: set[str] = set()  # nodes whose rows stand still while they are hung elsewhere

    def parts(self) -> list[Emptiable]:
        return [self._rows, self._numbers, self._owners]

    def of(self, owner: str | None) -> Sequence[str]:
        """Return the rows under a node, its branches one after the other; None for the top level."""
        if owner not in self._rows:
            rows = [node_id for head in self._levels.heads(owner) for node_id in self._levels.line(head)]
            self._rows[owner] = rows
            self._owners.update(dict.fromkeys(rows, owner))
        return self._rows[owner]

    def row_in(self, owner: str | None, node_id: str) -> int | None:
        """The row of a node; numbers that were counted once are right but for what came and went before."""
        rows, numbers = self.of(owner), self._numbers.get(owner)
        if numbers is None:
            numbers = self._numbers[owner] = dict(zip(rows, range(len(rows)), strict=True))
            self._drift[owner] = 0
        row = numbers.get(node_id)
        if row is None or (row < len(rows) and rows[row] == node_id):
            return row
        near = range(max(0, row - self._drift[owner]), min(len(rows), row + self._drift[owner] + 1))
        return next((other for other in near if rows[other] == node_id), None)

    def owner_of(self, node_id: str) -> str | None:
        """Return the owner of a node's row: the node on which the head of its line hangs."""
        for _ in range(len(self._levels.parents) + 1):
            if node_id in self._owners:
                return self._owners[node_id]
            parent = self._levels.parents.get(node_id)
            if parent is None or self._levels.level.get(parent) != node_id:
                return self._levels.as_owner(parent)
            node_id = parent
        return None

    def listing(self, owner: str | None) -> Iterator[None]:
        """Find the rows of an owner and their numbers, a little at each step."""
        rows: list[str] = []
        numbers: dict[str, int] = {}
        for head in self._levels.heads(owner):
            for node_id in self._levels.line(head):
                if len(rows) % SLICE == 0:
                    yield
                numbers[node_id] = len(rows)
                self._owners[node_id] = owner
                rows.append(node_id)
        self._rows[owner], self._numbers[owner], self._drift[owner] = rows, numbers, 0

    def go_on(self, parent: str, node_id: str) -> set[str | None]:
        """A node's line goes on where its parent's ended."""
        if parent not in self._owners:
            gone = self.unpark(node_id)
            return gone | self.forget(None) if self._levels.tree.is_empty_root(parent) else gone
        owner = self._owners[parent]
        row = self.row_in(owner, parent)
        gone = set()
        while node_id in self._parked and row is not None:
            after = self._rows.get(owner, [])[row + 1 : row + 2]
            if after == [node_id]:
                self._parked.discard(node_id)
                return gone
            if not self._parked.intersection(after):
                break
            gone |= self.unpark(after[0])  # what stood between goes, not all that comes after
        if gone := gone | self.unpark(node_id):
            return gone | self.go_on(parent, node_id)
        return self.forget(owner) if row is None else self._splice(owner, row + 1, row + 1, node_id)

    def is_known(self, node_id: str) -> bool:
        """True if the rows that a node is in were asked for."""
        return node_id in self._owners

    def known_owner(self, node_id: str) -> set[str | None]:
        """Under which node it stands, if those rows were asked for."""
        return {self._owners[node_id]} if node_id in self._owners else set()

    def park(self, node_id: str) -> None:
        """A node is hung elsewhere; its rows stand still meanwhile."""
        self._parked.add(node_id)

    def unpark_all(self) -> set[str | None]:
        """The rows of all leave that were hung nowhere."""
        owners: set[str | None] = set()
        for node_id in list(self._parked):
            owners |= self.unpark(node_id)
        return owners

    def unpark(self, node_id: str) -> set[str | None]:
        """The rows of a node leave, which stood still until one knew where it goes."""
        if node_id not in self._parked:
            return set()
        self._parked.discard(node_id)
        return self.cut(node_id)

    def stand(self, parent: str, node_id: str) -> set[str | None]:
        """A node's line stands among those beside the one that goes on from its parent."""
        owner, sides = self._levels.as_owner(parent), self._levels.sides[parent]
        if owner not in self._rows:
            return {owner}
        after = sides[sides.index(node_id) + 1 :][:1]
        row = self.row_in(owner, after[0]) if after else len(self._rows[owner])
        is_sure = owner is not None or after or len(self._levels.roots) == 1
        return self._splice(owner, row, row, node_id) if row is not None and is_sure else self.forget(owner)

    def cut(self, node_id: str) -> set[str | None]:
        """A node and its line leave the rows they are in."""
        if node_id not in self._owners:
            return set()
        owner = self._owners[node_id]
        row = self.row_in(owner, node_id)
        if row is None:
            return self.forget(owner)
        return self._splice(owner, row, self._end_of_line(self._rows[owner], row), None)

    def _end_of_line(self, rows: Sequence[str], row: int) -> int:
        """The row after those of the line that a row is one of."""
        for first in range(row, len(rows), SLICE):
            after = rows[first + 1 : first + SLICE + 1]
            level = list(map(self._levels.level.get, rows[first : first + len(after)]))
            if level != after:
                return first + 1 + common_length(level, after)
        return len(rows)

    def forget(self, owner: str | None) -> set[str | None]:
        """Rows are found anew when they are asked for."""
        for node_id in self._rows.pop(owner, ()):
            self._owners.pop(node_id, None)
        self._numbers.pop(owner, None)
        return {owner}

    def _splice(self, owner: str | None, first: int, end: int, head: str | None) -> set[str | None]:
        """The line of `head` in the place of some rows."""
        rows, line = self._rows[owner], [] if head is None else list(self._levels.line(head))
        deque(map(self._owners.pop, rows[first:end], repeat(None)), maxlen=0)
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


class SharedRows:
    """Nodes without a row of their own, and the rows they share; a row is named after the oldest."""

    def __init__(self, levels: Levels) -> None:
        self._levels = levels
        self.stands_for: dict[str, str] = {}  # version in a buffer -> the one whose row it shares
        self.others: dict[str, list[str]] = {}  # that one -> the other versions, in order of creation
        self.taken_up: set[str] = set()  # of those, what says the end of what the row says
        self.merges: dict[str, set[str]] = {}  # row -> what stands in it and says what several said
        self._apart: set[str] = set()  # of those, what is read as the passages that it was put together of
        self._merged_stems: set[str] = set()  # of all that were met
        self.again: set[str] = set()  # nodes to hang anew, since another took or left their row
        self.elders: dict[str, str] = {}  # of those, what is older and is to come to their row before them

    def parts(self) -> list[Emptiable]:
        return [self.stands_for, self.others]

    def row_of(self, node_id: str) -> str:
        """The node that the row is named after in which a node has its place: of versions the oldest."""
        return self.stands_for.get(node_id, node_id)

    def standing_at(self, key: str, path: Container[str]) -> str:
        """Return the node that a row shows: of versions in a buffer, which stand in one row, the one that is
        read, else the newest that is not pruned.
        """
        if key not in self.others:
            return key
        nodes = self._levels.tree.nodes
        versions = [one for one in (key, *self.others[key]) if one in nodes]
        living = [one for one in versions if not nodes[one].metadata.pruned] or versions
        return next((one for one in versions if one in path), (living or [key])[-1])

    def with_sharing(self, touched: set[str]) -> set[str]:
        """Return `touched`, plus every version whose outline row may change with them."""
        if self._levels.tree.loom.mode != "buffer":
            return touched
        found = dict.fromkeys(touched)
        waiting = list(found)
        while waiting:
            others = [one for one in self._sharing(waiting.pop()) if one not in found]
            found.update(dict.fromkeys(others))
            waiting += others
        return set(found)

    def row_with(self, node_id: str, parent: str | None) -> str | None:
        """The row of other versions of a node, or of what it was taken up in, that it shares."""
        if self._levels.tree.loom.mode != "buffer" or self._levels.is_note(node_id):
            return None
        if parent is not None and self.is_taken_up(node_id, parent):
            self.taken_up.add(node_id)
            return parent
        own = self._levels.hanging.stems.of(node_id)
        node = self._levels.tree.nodes[node_id]
        if (
            node.edited_from is None
            and not self._levels.tree.edits_of(node_id)
            and own not in self._merged_stems
        ):
            return None
        beside = self._levels.roots if parent is None else self._levels.beside(parent)
        stems, is_empty = self._levels.hanging.stems, self._levels.tree.is_empty_root
        row = next((one for one in beside if stems.of(one) == own and not is_empty(one)), None)
        if row is not None and self._levels.age[row] > self._levels.age[node_id]:
            # It is the oldest and the row is named after it: the others come to it.
            self.again |= {node_id, row, *self.others.get(row, ())}
            self._come_after(node_id, (row, *self.others.get(row, ())))
        return None if is_empty(node_id) else row

    def _come_after(self, elder: str, others: Iterable[str]) -> None:
        """The next time, what is younger comes to a row after the oldest that was met there."""
        age = self._levels.age
        for one in others:
            if age[elder] < age[self.elders.get(one, one)]:
                self.elders[one] = elder

    def is_taken_up(self, node_id: str, row: str) -> bool:
        """True if what a row says has in it what this one says, which is not read for itself: a younger node
        there was put together of both and they are not read apart, or a whole is read that this is a part of.
        """
        hanging = self._levels.hanging
        if hanging.is_read(hanging.text(node_id)):
            return False
        whole = hanging.read_whole(node_id)
        if whole is not None and self.row_of(whole) == row:
            return True
        return any(
            self._levels.age[node_id] < self._levels.age[merged]
            and hanging.text(node_id) in hanging.taken_up(merged)
            and not hanging.is_read_apart(merged)
            for merged in self.merges.get(row, ())
        )

    def read_apart_anew(self) -> set[str]:
        """Find the merged nodes that are read apart since now, or no more: other rows are shared then."""
        is_apart, merges = self._levels.hanging.is_read_apart, self.merges.values()
        before, nodes = self._apart, self._levels.tree.nodes
        self._apart = {one for merged in merges for one in merged if one in nodes and is_apart(one)}
        return before ^ self._apart

    def tell_merged(self, node_id: str, *, is_there: bool) -> None:
        """Add a merged node to its row, or take it out."""
        row = self.row_of(node_id)
        if not is_there:
            merges = self.merges.get(row, set())
            merges.discard(node_id)
            if not merges:
                self.merges.pop(row, None)
        elif self._levels.hanging.is_merged(node_id):
            self.merges.setdefault(row, set()).add(node_id)
            self._merged_stems.add(self._levels.hanging.stems.of(node_id))
            beside = (
                one for other in self._levels.beside(row) for one in (other, *self.others.get(other, ()))
            )
            self.again.update(one for one in beside if self.is_taken_up(one, row))

    def share(self, node_id: str, row: str) -> None:
        """A version comes to the row of another."""
        self.stands_for[node_id] = row
        insort(self.others.setdefault(row, []), node_id, key=self._levels.age.__getitem__)

    def part(self, node_id: str) -> str | None:
        """A version leaves the row that it shares, which this gives; None if it shares none."""
        row = self.stands_for.pop(node_id, None)
        if row is not None:
            self.taken_up.discard(node_id)
            self.others[row].remove(node_id)
            if not self.others[row]:
                del self.others[row]
        return row

    def _sharing(self, node_id: str) -> set[str]:
        """Return the nodes that may share another row once a node comes, goes or moves."""
        sharing = {*self.others.get(node_id, ()), *self._levels.hanging.parts(node_id)}
        if node_id in self.merges.get(row := self.row_of(node_id), ()):
            sharing |= self.taken_up.intersection(self.others.get(row, ()))
        if self._levels.hanging.is_merged(node_id):
            sharing.update(self._levels.hanging.chain(node_id))
        return sharing
