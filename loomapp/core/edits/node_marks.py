"""Marks on nodes: excluded, bookmarked, pruned; each set or taken away as one Change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_rows import change_of
from loomapp.core.edits.prune import below_alone, path_without
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Metadata
from loomapp.core.model.tree import Tree


def exclude(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Leave nodes out of every context; they stay where they are."""
    return _set_metadata(tree, node_ids, "Exclude", pen, lambda m: replace(m, excluded=True))


def include(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    return _set_metadata(tree, node_ids, "Include", pen, lambda m: replace(m, excluded=False))


def bookmark(tree: Tree, node_id: str, label: str | None, pen: EditContext) -> Change | None:
    """Mark a node so that it is found again."""

    def marked(metadata: Metadata) -> Metadata:
        return replace(metadata, bookmarked=True, bookmark_label=label)

    return _set_metadata(tree, (node_id,), "Bookmark", pen, marked)


def bookmark_plainly(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Mark nodes without a label."""
    marked: dict[str, Any] = {"bookmarked": True, "bookmark_label": None}
    return _set_metadata(tree, node_ids, "Bookmark", pen, lambda m: replace(m, **marked))


def remove_bookmark(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    return remove_bookmarks(tree, (node_id,), pen)


def remove_bookmarks(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Take several bookmarks away, and their labels."""
    unmarked: dict[str, Any] = {"bookmarked": False, "bookmark_label": None}
    return _set_metadata(tree, node_ids, "Remove bookmark", pen, lambda m: replace(m, **unmarked))


def toggle_bookmarks(tree: Tree, node_ids: Sequence[str], pen: EditContext) -> Change | None:
    """Mark nodes without a label; if all of them are marked, take the marks away."""
    is_marked = all(tree.nodes[node_id].metadata.bookmarked for node_id in node_ids)
    return (remove_bookmarks if is_marked else bookmark_plainly)(tree, node_ids, pen)


def prune(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    """Hide a node and what hangs below it alone; nothing is deleted.

    A descendant that another, living version carries stays, and a path to it takes the newest such version
    in the node's place. Any other path that ran through the node now ends before it. The text before it
    stays, and what it was parted from or merged into does not bring its words back.
    """
    return _pruned(tree, below_alone(tree, [node_id]), pen)


def prune_branches(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Hide nodes that are on no path that is read, and what hangs below them and nothing else."""
    return _hidden(tree, below_alone(tree, node_ids), pen)


def prune_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Hide several nodes and what hangs below them alone; see `prune`."""
    return _pruned(tree, below_alone(tree, node_ids), pen)


def _pruned(tree: Tree, doomed: Collection[str], pen: EditContext) -> Change | None:
    change = _hidden(tree, doomed, pen)
    path = path_without(tree, doomed)
    if change is None or path == tree.path:
        return change
    return replace(change, rows=(*change.rows, RowChange(tree.path, path)))


def _hidden(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    return _set_metadata(tree, node_ids, "Prune", pen, lambda m: replace(m, pruned=True))


def restore(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    """Bring back a pruned node and everything below it."""
    return restore_all(tree, (node_id,), pen)


def restore_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Bring back several pruned nodes and everything below them."""
    below = [i for i in tree.descendants(*node_ids) if i in tree.nodes]  # a damaged tree names more
    return _set_metadata(tree, below, "Restore", pen, lambda m: replace(m, pruned=False))


def _set_metadata(
    tree: Tree, node_ids: Iterable[str], label: str, pen: EditContext, update: Callable[[Metadata], Metadata]
) -> Change | None:
    before = [tree.nodes[node_id] for node_id in dict.fromkeys(node_ids)]
    updated: dict[int, Metadata] = {}  # by which value it was: nearly all nodes have one and the same
    for node in before:
        if id(node.metadata) not in updated:
            updated[id(node.metadata)] = update(node.metadata)
    pairs = [(node, updated[id(node.metadata)]) for node in before]
    is_other = dict.fromkeys(updated, False)
    is_other |= {id(node.metadata): metadata != node.metadata for node, metadata in pairs}
    rows = tuple(RowChange(n, n.with_metadata(after)) for n, after in pairs if is_other[id(n.metadata)])
    if not rows:
        return None
    return change_of(tree, label if len(rows) == 1 else f"{label} {len(rows)} nodes", pen, rows)
