"""The rows of an outline by owner: found when they are asked for, patched where something comes or goes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import repeat

from loomapp.core.model.erasure import Emptiable
from loomapp.core.outline.main_lines import Levels
from loomapp.core.sequences import common_length

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
