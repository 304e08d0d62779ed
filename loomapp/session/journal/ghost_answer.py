"""A ghost answer: shown after the end of a text but not in its tree, and how much of it was taken."""

from __future__ import annotations

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits
from loomapp.core.model.entities import ActivePath, verbatim
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import passage_edits, path_choice
from loomapp.core.times import Milliseconds
from loomapp.formats.run_drafts import path_from_json, path_to_json
from loomapp.session.document import Document
from loomapp.session.restored import read_again
from loomapp.store.files.drafts import DraftRow, Slot


@dataclass(frozen=True, slots=True)
class GhostAnswer:
    """An answer offered after the end of a text: the last node of that, the answer's node if it is one, and
    the words that were taken of it. `back` is the path that was read before the text was cut for it.
    """

    tree_id: str
    end_id: str
    node_id: str
    taken: str
    back: ActivePath | None


def offering_row(offered: GhostAnswer, at: Milliseconds) -> DraftRow:
    """Return the draft of a ghost answer."""
    body = {"end": offered.end_id, "node": offered.node_id, "text": offered.taken}
    return DraftRow(Slot(offered.tree_id, "ghost"), at, {**body, "back": path_to_json(offered.back)})


def offering(row: DraftRow) -> GhostAnswer | None:
    """Read a ghost answer from its draft; None if the draft is of something else."""
    if row.slot.kind != "ghost":
        return None
    end_id, node_id, taken = (str(row.body.get(name, "")) for name in ("end", "node", "text"))
    return GhostAnswer(row.slot.tree_id, end_id, node_id, taken, path_from_json(row.body.get("back")))


def settle_left(document: Document, tree: Tree, offered: GhostAnswer) -> None:
    """Settle what was offered when the last session ended: the text goes on with what was taken, else it is
    what it was before. Nothing, if it ends elsewhere by now. Raises: LoomError.
    """
    if tree.path.leaf_id != offered.end_id:
        return
    beside = tree.living_children(offered.end_id)
    answers = [i for i in beside if verbatim(tree.nodes[i]).startswith(offered.taken)]
    if offered.taken and answers:
        node_id = offered.node_id if offered.node_id in answers else answers[-1]
        take_up_to(document, tree, node_id, len(offered.taken), offered.back)
    elif offered.back is not None:
        read_again(document, tree, offered.back, (offered.end_id,))


def take_up_to(document: Document, tree: Tree, node_id: str, at: int, back: ActivePath | None) -> None:
    """Let the path that is read go on with the first characters of a node, or with all of it if there are no
    more. That is one step, and undo reads `back`, else what is read now. Raises: LoomError.
    """
    way = document.path_ids if tree is document.tree else resolve(tree, tree.path.leaf_id).node_ids
    pen, evidence = document.pen(), evidence_of(document, tree, node_id)
    change = passage_edits.take_up_to(tree, way, node_id, at, pen, evidence, back=back)
    if change is None:
        change = node_edits.choose_path(tree, node_id, pen, path_choice.choices_along(tree, [*way, node_id]))
    if change is not None:
        document.commit_to(tree, change)


def evidence_of(document: Document, tree: Tree, node_id: str) -> Evidence | None:
    """Return the response that a model's node rests on."""
    if tree.nodes[node_id].author_type != "model":
        return None
    return document.grove.evidence(tree.loom.id, node_id)
