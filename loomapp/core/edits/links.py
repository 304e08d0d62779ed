"""Links between nodes: references that are no edges, each made as one Change."""

from __future__ import annotations

from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Link
from loomapp.core.model.tree import Tree


def link(tree: Tree, from_id: str, to_id: str, label: str | None, pen: EditContext) -> Change | None:
    """Link a node to another one of its tree. None if it is linked so already."""
    wanted = Link(from_id, tree.loom.id, to_id, label)
    before = tree.links.get(wanted.key)
    if before is not None and before.label == label:
        return None
    return change_of(tree, "Link", pen, (RowChange(before, wanted),))
