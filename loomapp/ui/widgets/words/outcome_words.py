"""Words and icons: the fate of a node in the coming context, proposals, and in what a variant differs."""

from __future__ import annotations

from collections.abc import Sequence

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import ByName
from loomapp.core.context.report import counted
from loomapp.core.context.units import Reason
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import images_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import SentEconomy
from loomapp.core.sent.inputs import NO_ECONOMY
from loomapp.core.sent.replay import Variant
from loomapp.ui.figures import number
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.fields import as_line
from loomapp.ui.widgets.words.context_words import REASON_ICONS, scope_choices, strategy_choices

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
    return {
        "annotate": "sticky-note",
        "prune": "trash-2",
        "edit": "pencil",
        "bookmark": "bookmark",
        "continue": "message-square",
    }.get(command, "hand")


MOST_NODES = 2


def name_of(variant: Variant | None) -> str:
    """Return the name of a variant; None is the tree as it is."""
    return tr("As it is") if variant is None else tr("Variant {name}").format(name=variant.name)


def difference_of(variant: Variant | None, tree: Tree) -> str:
    """Return the differences of a variant from the tree as it is, in a few words."""
    if variant is None:
        return ""
    said = [
        *_nodes(tr("without {nodes}"), variant.left_out | variant.notes_off, tree),
        *_nodes(tr("with {nodes}"), variant.taken_in | variant.restored | frozenset(variant.notes_on), tree),
        *(_setting(name, value, tree) for name, value in variant.settings),
    ]
    return " · ".join(said) if said else tr("nothing changed yet")


def whose_words(by_agent: Sequence[tuple[Agent, Assembled | LoomError]]) -> str:
    """Return the context of each of several models in words, a line each; nothing if there is one."""
    lines = []
    for agent, result in by_agent:
        if isinstance(result, LoomError):
            lines.append(f"{agent.name}: {told(result.message)}")
            continue
        report = result.report
        words = tr("{name}: {tokens} of {available} tokens, {kept} of {whole} nodes")
        kept, whole = counted(report)
        lines.append(
            words.format(
                name=agent.name,
                tokens=number(report.after_tokens),
                available=number(report.available),
                kept=number(kept),
                whole=number(whole),
            )
        )
    return "\n".join(lines)


def _nodes(words: str, node_ids: frozenset[str], tree: Tree) -> list[str]:
    if not node_ids:
        return []
    names = sorted(tree.nodes[node_id].local_id for node_id in node_ids if node_id in tree.nodes)
    rest = len(names) - MOST_NODES
    more = tr(" and {count} more").format(count=number(rest)) if rest > 0 else ""
    return [words.format(nodes=", ".join(names[:MOST_NODES]) + more)]


def _setting(name: str, value: object, tree: Tree) -> str:
    count = number(value) if isinstance(value, int) else tr("not set")
    match name:
        case "truncation_strategy":
            return dict(strategy_choices()).get(str(value), str(value))
        case "minimum_recent_nodes":
            return tr("newest {count}").format(count=count)
        case "token_buffer":
            return tr("room {count}").format(count=count)
        case "max_tokens":
            return tr("longest answer {count}").format(count=count)
        case "instruction_scope":
            words = dict(scope_choices()).get(str(value), str(value))
            return tr("instructions: {words}").format(words=words)
        case "system_context":
            return tr("another system text") if value else tr("no system text")
        case "system_prompt":
            return tr("another agent's prompt") if value else tr("no agent's prompt")
        case "dialogue_marker" | "buffer_marker":
            return tr("marker “{words}”").format(words=as_line(str(value)))
        case "continue_text":
            return tr("“{words}” to go on").format(words=as_line(str(value)))
        case "economy":
            return _economy(value if isinstance(value, SentEconomy) else NO_ECONOMY, tree)
        case "buffer_system_context":
            return tr("system text sent") if value else tr("system text not sent")
    return name


def _economy(economy: SentEconomy, tree: Tree) -> str:
    """Return what stands for the beginning, and whether long parts are shortened."""
    summary = tr("no summary") if economy.heads is None else tr("summaries of the branches")
    if economy.summary is not None:
        node = tree.nodes.get(economy.summary.anchor_node_id)
        summary = tr("summary up to {id}").format(id="" if node is None else node.local_id)
    long_parts = tr("long parts in full") if economy.numbers is None else tr("long parts shortened")
    return f"{summary} · {long_parts}"
