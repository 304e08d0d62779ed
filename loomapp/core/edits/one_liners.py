"""Edits of one-liners: a message or a tree in a sentence, made unasked, so they are no steps of undo."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import LoomTree, Node, Row
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


def with_one_liner_of_today(now: Row | None, row: RowChange) -> RowChange:
    """A row of an undo or redo that fits what it is about as that is `now`, if a one-liner was made since: it
    stays. A row that fits, and one that is not as expected otherwise, is left as it is.
    """
    before, after = row.before, row.after
    if isinstance(before, Node) and isinstance(now, Node):
        if now.summary == before.summary or replace(now, summary=before.summary) != before:
            return row
        return RowChange(now, replace(after, summary=now.summary) if isinstance(after, Node) else after)
    if isinstance(before, LoomTree) and isinstance(now, LoomTree) and isinstance(after, LoomTree):
        if now.summary == before.summary or replace(now, summary=before.summary) != before:
            return row
        return RowChange(now, replace(after, summary=now.summary))
    return row
