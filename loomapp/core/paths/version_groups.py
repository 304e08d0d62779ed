"""Version groups: nodes that are versions of one text, and which of them is read where none was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence


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
