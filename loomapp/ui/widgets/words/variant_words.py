"""Words of a variant: its name, and in what it differs from the tree as it is."""

from __future__ import annotations

from collections.abc import Sequence

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.report import counted
from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import SentEconomy
from loomapp.core.sent.inputs import NO_ECONOMY
from loomapp.core.sent.variant import Variant
from loomapp.ui.figures import number
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.fields import as_line
from loomapp.ui.widgets.words.context_words import scope_choices, strategy_choices

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
