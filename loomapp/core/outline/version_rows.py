"""Shared rows: versions in a buffer stand in one row of the outline, and so does what one of them took up."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable

from loomapp.core.model.erasure import Emptiable
from loomapp.core.outline.main_lines import Levels


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
