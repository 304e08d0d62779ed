"""An offering: an answer that is only shown after the end of a text, and how much of it was taken."""

from __future__ import annotations

from loomapp.core import choosing, edits, revising
from loomapp.core.evidence import Evidence
from loomapp.core.paths import resolve
from loomapp.core.tree import ActivePath, Tree
from loomapp.session.document import Document


def take_up_to(document: Document, tree: Tree, node_id: str, at: int, back: ActivePath | None) -> None:
    """The path that is read goes on with the first characters of a node, or with all of it if there are no
    more. That is one step, and undo reads `back`, else what is read now. Raises: LoomError.
    """
    way = document.path_ids if tree is document.tree else resolve(tree, tree.path.leaf_id).node_ids
    pen, evidence = document.pen(), evidence_of(document, tree, node_id)
    change = revising.take_up_to(tree, way, node_id, at, pen, evidence, back=back)
    if change is None:
        change = edits.choose_path(tree, node_id, pen, choosing.choices_along(tree, [*way, node_id]))
    if change is not None:
        document.commit_to(tree, change)


def evidence_of(document: Document, tree: Tree, node_id: str) -> Evidence | None:
    """The response that a model's node rests on."""
    if tree.nodes[node_id].author_type != "model":
        return None
    return document.grove.evidence(tree.loom.id, node_id)
