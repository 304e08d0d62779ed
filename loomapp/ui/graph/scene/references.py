"""References: lines between cards besides those that the layout follows, and which of them are near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.cards import Flags, Ints, Reference, ReferenceKind
from loomapp.ui.graph.scene.spatial_index import Box, Index


class ReferenceLine(NamedTuple):
    """Reference between two rows."""

    source: int
    target: int
    kind: ReferenceKind


KINDS: tuple[ReferenceKind, ...] = ("note", "context", "instruction", "primary")
NONE: Ints = np.zeros(0, np.int64)


class References:
    """The references of a roster by the numbers of their cards, and those to come: they are few, and last."""

    def __init__(self) -> None:
        self._known: tuple[Reference, ...] = ()
        self._columns: tuple[Ints, ...] = (NONE, NONE, NONE)  # sources, targets, kinds

    def near(
        self, roster: CardTable, index: Index, box: Box, coming: Sequence[Reference] = ()
    ) -> ReferenceLines:
        """Return the references both of whose cards are shown and that may cross a box."""
        self._follow(roster)
        sources, targets, kinds = self._columns
        if coming:
            sources, targets, kinds = _joined(self._columns, _numbered(coming, roster))
        if not len(kinds):
            return ReferenceLines(NONE, NONE, NONE)
        rows = index.growth.each_row(np.concatenate((sources, targets)))
        sources, targets = rows[: len(kinds)], rows[len(kinds) :]
        shown = np.flatnonzero((sources >= 0) & (targets >= 0))
        sources, targets, kinds = sources[shown], targets[shown], kinds[shown]
        meets = _meets(index, sources, targets, box)
        return ReferenceLines(sources[meets], targets[meets], kinds[meets])

    def _follow(self, roster: CardTable) -> None:
        """Take over new references; of a roster that only grew, only the new ones."""
        known, now = self._known, roster.references
        if now is known:
            return
        grew = (
            len(known) < len(now) and bool(known) and now[len(known) - 1] is known[-1] and now[0] is known[0]
        )
        fresh = _numbered(now[len(known) :] if grew else now, roster)
        self._columns = _joined(self._columns, fresh) if grew else fresh
        self._known = now


class ReferenceLines(NamedTuple):
    """References as rows of their cards and places in KINDS."""

    sources: Ints
    targets: Ints
    kinds: Ints

    def chosen(self, which: Flags | Ints) -> ReferenceLines:
        return ReferenceLines(self.sources[which], self.targets[which], self.kinds[which])

    def touching(self, rows: Flags) -> Flags:
        touches: Flags = rows[self.sources] | rows[self.targets]
        return touches

    def each(self) -> list[ReferenceLine]:
        ends = zip(self.sources.tolist(), self.targets.tolist(), self.kinds.tolist(), strict=True)
        return [ReferenceLine(source, target, KINDS[kind]) for source, target, kind in ends]


def _joined(before: tuple[Ints, ...], after: tuple[Ints, ...]) -> tuple[Ints, ...]:
    return tuple(np.concatenate(pair) for pair in zip(before, after, strict=True))


def _numbered(references: Sequence[Reference], roster: CardTable) -> tuple[Ints, ...]:
    numbers = roster.numbers
    rows = [
        (numbers.get(source, -1), numbers.get(target, -1), KINDS.index(kind))
        for source, target, kind in references
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2]


def _meets(index: Index, sources: Ints, targets: Ints, box: Box) -> Flags:
    """Tell of each line whether the box around both ends, with room for the bend, meets another."""
    (x1, y1), (x2, y2) = index.corners(sources), index.corners(targets)
    high1, high2 = index.heights(sources), index.heights(targets)
    room = index.pitch
    across = (np.minimum(x1, x2) - room <= box.right) & (np.maximum(x1, x2) + index.width + room >= box.left)
    down = (np.minimum(y1, y2) - room <= box.bottom) & (np.maximum(y1 + high1, y2 + high2) + room >= box.top)
    meets: Flags = across & down
    return meets
