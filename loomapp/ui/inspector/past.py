"""What a node was sent: the context of the past in the inspector, and whether it would be the same today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loomapp.core.evidence import Evidence
from loomapp.core.sent.replay import Difference, Replay
from loomapp.core.tree import Node, Tree
from loomapp.ui import figures
from loomapp.ui.inspector.words import strategy_choices
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.exact_line import as_line

LONGEST_VALUE = 60
MOST_REASONS = 6


@dataclass(frozen=True, slots=True)
class Past:
    """What one node was sent. Without a `replay` only the request's own words are known."""

    node: Node
    agent_name: str
    evidence: Evidence
    replay: Replay | None = None
    variant: str | None = None

    def sentence(self, tree: Tree) -> str:
        """Which request this is, and what would be different today."""
        asked = figures.moment(self.evidence.started_at)
        said = tr("What {agent} was sent for {node}, {when}.").format(
            agent=self.agent_name, node=self.node.local_id, when=asked
        )
        if self.variant:
            said += " " + tr("It was tried as “{name}”.").format(name=self.variant)
        return f"{said} {self._today(tree)}"

    def _today(self, tree: Tree) -> str:
        replay = self.replay
        if replay is None:
            return tr("Only the request itself was kept, not what it was made of.")
        reasons = "; ".join(difference_words(one, tree) for one in replay.differences[:MOST_REASONS])
        if replay.is_identical:
            same = tr("Sent again today it would be the same, to the character.")
            idle = tr("What changed makes no difference: {reasons}.").format(reasons=reasons)
            return f"{same} {idle}" if reasons else same
        if replay.now is None and replay.error is not None:
            return tr("Today nothing could be sent: {why}").format(why=told(replay.error.message))
        return tr("Sent again today it would be different: {reasons}.").format(reasons=reasons)


def difference_words(difference: Difference, tree: Tree) -> str:
    """One reason in a few words."""
    names = ", ".join(tree.nodes[i].local_id for i in difference.node_ids[:3] if i in tree.nodes)
    names += "…" if len(difference.node_ids) > 3 else ""
    sentences: dict[str, str] = {
        "excluded": tr("{nodes} was excluded since"),
        "included": tr("{nodes} was excluded then"),
        "pruned": tr("{nodes} was pruned since"),
        "restored": tr("{nodes} was pruned then"),
        "noteIncluded": tr("the note {nodes} is sent now"),
        "noteLeftOut": tr("the note {nodes} was sent then"),
        "moved": tr("the branch hung elsewhere, or part of it was deleted for good"),
        "assembler": tr("this version of Loomapp puts it together differently"),
        "path": tr("the path goes through {nodes} now") if names else tr("the path was longer then"),
    }
    if difference.cause in sentences:
        return sentences[difference.cause].format(nodes=names)
    named = _names().get(difference.name, (difference.name, str))
    then, now = named[1](difference.then), named[1](difference.now)
    return tr("{what} was {then} and is {now}").format(what=named[0], then=then, now=now)


def _names() -> dict[str, tuple[str, Callable[[object], str]]]:
    """What differs, by the name of its field: how it is called, and how its values read."""
    strategies = dict(strategy_choices())
    scopes = {"path": tr("all instructions of the path"), "pending": tr("only those of this request")}
    return {
        "system_prompt": (tr("the agent's prompt"), _quoted),
        "system_context": (tr("the tree's system context"), _quoted),
        "buffer_system_context": (tr("sending system context in a buffer"), _switched),
        "truncation_strategy": (tr("the strategy"), lambda v: f"“{strategies.get(str(v), str(v))}”"),
        "minimum_recent_nodes": (tr("the number of recent nodes"), _number),
        "token_buffer": (tr("the room for the answer"), _number),
        "instruction_scope": (tr("what is instructed"), lambda v: scopes.get(str(v), str(v))),
        "dialogue_marker": (tr("the marker"), _quoted),
        "buffer_marker": (tr("the marker"), lambda v: f"“{as_line(str(v))}”"),
        "continue_text": (tr("the words that ask to go on"), _quoted),
        "max_tokens": (tr("the longest answer"), _number),
        "context_window": (tr("the model's window"), _number),
        "provider_rules": (tr("what the provider insists on"), _quoted),
        "accepts_images": (tr("sending images"), _switched),
        "continues_documents": (tr("sending a document as it is"), _switched),
        "takes_messages": (tr("sending messages"), _switched),
        "text": (tr("the text in the composer"), _quoted),
        "withheld": (tr("the number of images that could not be sent"), _count),
    }


def _quoted(value: object) -> str:
    text = " ".join(str(value or "").split())
    if not text:
        return tr("empty")
    return f"“{text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + '…'}”"


def _switched(value: object) -> str:
    return tr("on") if value else tr("off")


def _count(value: object) -> str:
    return figures.number(len(value)) if isinstance(value, Mapping) else figures.number(0)


def _number(value: object) -> str:
    return figures.number(value) if isinstance(value, int) else tr("not set")
