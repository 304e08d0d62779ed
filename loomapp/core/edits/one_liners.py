"""Edits of one-liners: a message or a tree in a sentence, made unasked, so they are no steps of undo."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import LoomTree, Node
from loomapp.core.model.tree import Tree


def sum_up_node(tree: Tree, node_id: str, sentence: str, pen: EditContext) -> Change | None:
    """Give a node its one-liner; None if it has just that."""
    node = tree.nodes[node_id]
    if node.summary == sentence:
        return None
    change = change_of(tree, "One-liner", pen, (RowChange(node, replace(node, summary=sentence)),))
    return replace(change, undoable=False)


def sum_up_tree(tree: Tree, sentences: str, pen: EditContext) -> Change | None:
    """Give a tree its one-liner; None if it has just that."""
    if tree.loom.summary == sentences:
        return None
    loom = replace(tree.loom, summary=sentences)
    change = change_of(tree, "One-liner", pen, (RowChange(tree.loom, loom),))
    return replace(change, undoable=False)


def with_one_liners_of_today(tree: Tree, change: Change) -> Change:
    """An undo or redo that fits a tree in which one-liners were made since: they stay. Whatever else is not
    as the change expects is left as it is, to be refused.
    """
    rows = tuple(_with_one_liner_of_today(tree, row) for row in change.rows)
    return replace(change, rows=rows) if rows != change.rows else change


def _with_one_liner_of_today(tree: Tree, row: RowChange) -> RowChange:
    before, after = row.before, row.after
    if isinstance(before, Node):
        node = tree.nodes.get(before.id)
        if node is None or node.summary == before.summary or replace(node, summary=before.summary) != before:
            return row
        kept = replace(after, summary=node.summary) if isinstance(after, Node) else after
        return RowChange(node, kept)
    if isinstance(before, LoomTree) and isinstance(after, LoomTree):
        loom = tree.loom
        if loom.summary != before.summary and replace(loom, summary=before.summary) == before:
            return RowChange(loom, replace(after, summary=loom.summary))
    return row
