"""Version groups: versions of one text, the one that is read unless chosen, and where their words began."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence
from loomapp.core.paths.piece_table import PIECES


@dataclass(slots=True)
class VersionGroups:
    """Groups of nodes that are versions of one text, remembered while asked for many."""

    tree: Tree
    originals: dict[str, str] = field(default_factory=dict)

    def of(self, node_id: str) -> str:
        """The original at the end of the `edited_from` chain, or what it names if that is not in the tree.

        Damage that leads in a circle counts as one family.
        """
        chain: dict[str, None] = {}
        current = node_id
        while current not in self.originals and current not in chain:
            chain[current] = None
            node = self.tree.nodes.get(current)
            if node is None or node.edited_from is None:
                self.originals[current] = current
            else:
                current = node.edited_from
        original = self.originals.get(current, current)
        self.originals.update(dict.fromkeys(chain, original))
        return original


def default_primary(tree: Tree, primaries: Sequence[str], families: VersionGroups) -> str:
    """The primary source of an edge that counts when none was chosen; there is at least one.

    Versions of one text: the newest that is not pruned (of all, if all are). Otherwise the first listed.
    A version that is missing from a damaged tree is passed over as long as another is there.
    """
    if len(primaries) == 1 or len({families.of(node_id) for node_id in primaries}) > 1:
        return primaries[0]
    versions = [tree.nodes[node_id] for node_id in primaries if node_id in tree.nodes]
    living = [node for node in versions if not node.metadata.pruned] or versions
    return max(living, key=lambda node: (node.created_at, node.id)).id if living else primaries[0]


def place_of_version(tree: Tree, way: NodeSequence, node_id: str, place: int) -> int | None:
    """Return the present place of a node that stood at a place of a way, itself or another version of it."""
    if (found := way.place_of(node_id)) is not None:
        return found
    if node_id not in tree.nodes:
        return None
    ids, family = way.node_ids, tree.family(node_id)
    if place < len(ids) and tree.family(ids[place]) == family:
        return place
    return next((at for at, one in enumerate(ids) if tree.family(one) == family), None)


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
