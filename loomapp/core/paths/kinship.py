"""Kinship of versions: the node at which the first words that they share were written first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import PIECES

MANY = 1_000  # nodes whose stems are remembered until the tree moves


@dataclass(slots=True)
class KnownKinship:
    """The stems of many nodes that were asked for last, and at which mark of the tree's touches."""

    mark: int = -1
    node_ids: Sequence[str] = ()
    found: list[str] = field(default_factory=list)

    def for_sketch(self) -> KnownKinship:
        """Return none: a sketch is asked for other nodes."""
        return KnownKinship()


@dataclass(slots=True)
class Kinship:
    """The stems of nodes, remembered while asked for many: a passage may have ten thousand versions.

    They differ from `VersionGroups`, which follow `edited_from` alone, for what was merged: that was edited
    from the last of what it was put together of, but stands in the place of the first.
    """

    tree: Tree
    known: dict[str, str] = field(default_factory=dict)

    def of(self, node_id: str) -> str:
        """The node at the end of what the first words of a node were taken from; stops at what is not in the
        tree. Damage that leads in a circle is one stem.
        """
        chain: dict[str, None] = {}
        current = node_id
        while current not in self.known and current not in chain:
            chain[current] = None
            before = self.before(current)
            if before is None:
                self.known[current] = current
            else:
                current = before
        stem = self.known.get(current, current)
        self.known.update(dict.fromkeys(chain, stem))
        return stem

    def of_each(self, node_ids: Sequence[str]) -> list[str]:
        """The stems of nodes, in order. Most were written anew and are their own, which is seen at once; and
        of the same hundred thousand ways on they are asked for several times.
        """
        mark, known = self.tree.touches.mark, self.tree.caches.of(KnownKinship)
        if known.mark == mark and known.node_ids is node_ids:
            return known.found
        nodes, found = self.tree.nodes, list(node_ids)
        for place, node_id in enumerate(node_ids):
            node = nodes.get(node_id)
            if node is not None and (node.edited_from is not None or node.extra):
                found[place] = self.of(node_id)
        if len(found) >= MANY:
            known.mark, known.node_ids, known.found = mark, node_ids, found
        return found

    def before(self, node_id: str) -> str | None:
        """The node that the first words of one were taken from; None if it was written anew."""
        node = self.tree.nodes.get(node_id)
        return None if node is None else _before(node)


def _before(node: Node) -> str | None:
    """The node that the first of its words are from that it has from elsewhere."""
    said = node.extra.get(PIECES)
    if isinstance(said, list):
        for piece in said:
            if isinstance(piece, list) and piece and isinstance(piece[0], str):
                return piece[0]
    return node.edited_from
