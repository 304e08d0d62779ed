"""Anchor of an answer: the versions it was asked from, so that it follows those made meanwhile too."""

from __future__ import annotations

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve, siblings


@dataclass(frozen=True, slots=True)
class AnswerAnchor:
    """The versions that the continued node had, and what was read in the gap that is filled in."""

    versions: frozenset[str] = frozenset()
    filled_id: str | None = None


def anchor_at(tree: Tree, node_id: str, gap_id: str | None = None) -> AnswerAnchor:
    """Return the anchor of an answer that continues a node, or fills in a gap after it."""
    return AnswerAnchor(
        frozenset(_versions(tree, node_id)), None if gap_id is None else read_in(tree, gap_id)
    )


def versions_since(tree: Tree, node_id: str, standing: AnswerAnchor) -> tuple[str, ...]:
    """The versions that a node got since: what was asked of it follows them too, as all that was there when
    it was edited does. In order of creation.
    """
    return tuple(version for version in _versions(tree, node_id) if version not in standing.versions)


def read_in(tree: Tree, gap_id: str) -> str | None:
    """The node of the active path that stands in a gap: the gap itself, what fills it, or an edit of that;
    None if the path leads elsewhere.
    """
    try:
        way = resolve.resolve(tree, tree.path.leaf_id).node_ids
    except AssemblyError:
        return None
    return next((node_id for node_id in way if node_id == gap_id or tree.family(node_id) == gap_id), None)


def _versions(tree: Tree, node_id: str) -> tuple[str, ...]:
    return siblings.followed_too(tree, node_id) if tree.loom.mode == "buffer" else ()
