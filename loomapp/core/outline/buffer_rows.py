"""Parents in the outline of a buffer that is read otherwise: below what was parted or edited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loomapp.core.model.tree import Tree
from loomapp.core.outline.parents import OutlineParents

FEW = 1_000  # nodes that are looked at one by one


def read_otherwise(hanging: OutlineParents, stretches: Iterable[Sequence[str]]) -> set[str]:
    """Nodes that may hang elsewhere now that these are read, or no more: what has one of several versions
    above it, and what was parted or put together.
    """
    tree, found = hanging.tree, set[str]()
    nodes, edited = tree.nodes, tree.edited
    for node_ids in stretches:
        for node_id in _versions_in(tree, node_ids) if len(node_ids) > len(edited) + FEW else node_ids:
            if node_id in nodes and (node_id in edited or nodes[node_id].edited_from is not None):
                found |= _following(tree, node_id)
                found |= _parts(hanging, node_id)
    return found


def _versions_in(tree: Tree, node_ids: Sequence[str]) -> set[str]:
    """Return the nodes of a long stretch that others were edited from, or that are edits."""
    edits = (one for original in tree.edited for one in tree.edits_of(original))
    return {*tree.edited, *edits}.intersection(node_ids)


def _following(tree: Tree, node_id: str) -> set[str]:
    """Return the nodes that have this one and others above them."""
    before = tree.plain_parents
    notes = tree.notes(node_id) if node_id in tree.noted else ()
    return {one for one in (*tree.children(node_id), *notes) if one not in before}


def _parts(hanging: OutlineParents, node_id: str) -> set[str]:
    """Return the merges with this node, the parts of it, and the nodes it was merged from, with all their
    versions.
    """
    tree, first = hanging.tree, hanging.text(node_id)
    waiting, met = [first], {first}
    found: set[str] = set()
    while waiting:
        for one in tree.edits_of(waiting.pop()):
            if one not in met:
                met.add(one)
                waiting.append(one)
                if hanging.text(one) != first:
                    found.add(one)
    found.update(one for one in met if hanging.is_merged(one))
    return found
