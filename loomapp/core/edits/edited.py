"""An edit that is not saved yet: the tree as it will be then, for the context that is shown meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from loomapp.core.edits import node_edits
from loomapp.core.edits.node_edits import Pen
from loomapp.core.model.change import apply
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.uncommitted_tree import Ahead


def once_saved(tree: Tree, read: Path, node_id: str, text: str, pen: Pen) -> Ahead | None:
    """Return the tree once the edit of a message of a dialogue is saved, which is continued then; the edit of
    a first message starts a tree of its own. None if the text is the same.
    """
    sketch = replace(pen, is_sketch=True, new_id=_ids_in_no_file().__next__)
    if not tree.incoming(node_id) and not tree.annotation_edges_into(node_id):
        fresh = node_edits.tree_from_edited_root(tree, text, sketch)
        return Ahead(fresh, fresh.root_id, {fresh.root_id: node_id}, read)
    change = node_edits.edit_as_sibling(tree, node_id, text, sketch)
    if change is None:
        return None
    seen = tree.sketch()
    apply(seen, change)
    [node] = change.added_nodes()
    return Ahead(seen, node.id, {node.id: node_id}, read)


def _ids_in_no_file() -> Iterator[str]:
    return (f"\0edit {number}" for number in count(1))
