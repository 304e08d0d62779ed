"""Words and icons for the fate of a node in the coming context, and for what an agent proposes."""

from __future__ import annotations

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import ByName
from loomapp.core.context.units import Reason
from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import images_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words.context_words import REASON_ICONS

REFUSED_ICON = "circle-alert"


@dataclass(frozen=True, slots=True)
class FateWords:
    """Words and icon for a node's fate; `is_out`: it is not sent."""

    words: str
    icon: str
    is_out: bool = True


def fate_words(
    tree: Tree,
    node: Node,
    fate: str,
    assembled: Assembled | None,
    *,
    on_path: bool,
    merged: bool = False,
    in_part: bool = False,
    by_name: ByName | None = None,
) -> FateWords:
    """Return the words for a node's fate; `fate` is its name in the coming context, empty for none."""
    if fate == "sent":
        words = tr("Sent in part") if in_part else _sent(tree, node, assembled, on_path, merged)
        if by_name is not None:
            words = f"{words} · {name_words(by_name, len(images_of(node.content)))}"
        return FateWords(words, "check" if by_name is None else "image-off", is_out=False)
    meta = node.metadata
    reason = fate or ("pruned" if meta.pruned else "excluded" if meta.excluded else "")
    known: dict[str, tuple[Reason, str]] = {
        "pruned": ("pruned", tr("Deleted")),
        "excluded": ("excluded", tr("Excluded")),
        "annotation": ("annotation", tr("Note, not sent")),
        "empty": ("empty", tr("Empty, not sent")),
        "instruction_without_system": ("instruction_without_system", tr("No system context here")),
        "truncated": ("truncated", tr("No room")),
        "summarised": ("summarised", tr("In the summary")),
        "branch_summarised": ("branch_summarised", tr("In a branch summary")),
    }
    if reason in known:
        icon, words = known[reason]
        return FateWords(words, REASON_ICONS[icon])
    if reason == "refused":
        return FateWords(refused_words(), REFUSED_ICON)
    return FateWords(tr("Not on the path"), "minus")


def refused_words() -> str:
    """Return that nothing can be sent, whatever it is; why, is said beside the composer and in the
    inspector.
    """
    return tr("Nothing can be sent now")


def name_words(by_name: ByName, count: int) -> str:
    """Return of how many images of a node, which has `count`, only the names are sent."""
    if count <= 1:
        words = tr("Image: only its name")
    elif by_name.images >= count:
        words = tr("Images: only their names")
    else:
        words = tr("{count} of {all} images: only their names").format(count=by_name.images, all=count)
    return tr("{words} to {agents}").format(words=words, agents=by_name.whose) if by_name.whose else words


def _sent(tree: Tree, node: Node, assembled: Assembled | None, on_path: bool, merged: bool) -> str:
    if on_path:
        return tr("Sent as one with the message before") if merged else tr("Sent")
    instructs = assembled is not None and node.id in assembled.instructed
    is_placed = assembled is not None and node.id in assembled.fates
    if instructs and not is_placed:
        return tr("Sent as an instruction")
    if node.id in tree.included_annotations.node_ids and tree.annotation_edges_into(node.id):
        return tr("Sent with its message")
    return tr("Sent as context")


def proposal_words(command: str) -> str:
    """Return the question that a proposal is, by its command."""
    return {
        "annotate": tr("add a note?"),
        "respond": tr("write an answer?"),
        "edit": tr("write another version?"),
        "link": tr("link two messages?"),
        "bookmark": tr("bookmark this?"),
        "unbookmark": tr("remove the bookmark?"),
        "prune": tr("delete this?"),
        "restore": tr("bring this back?"),
        "continue": tr("ask a model to go on?"),
        "read doc": tr("read a document?"),
        "write doc": tr("write a document?"),
    }.get(command, tr("do this?"))


def proposal_icon(command: str) -> str:
    """Return the icon of a proposal."""
    return {
        "annotate": "sticky-note",
        "prune": "trash-2",
        "edit": "pencil",
        "bookmark": "bookmark",
        "continue": "message-square",
    }.get(command, "hand")
