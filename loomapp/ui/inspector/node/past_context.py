"""Past context in the inspector: the request that a node was sent, and differences from today's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from loomapp.core.dataclass import dataclass
from loomapp.core.model.economy_settings import BY_NAME
from loomapp.core.model.entities import Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import SentEconomy
from loomapp.core.sent.replay import Difference, Replay
from loomapp.core.settings.setting import BY_FIELD
from loomapp.ui import figures
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.fields import as_line
from loomapp.ui.widgets.words.context_words import strategy_choices

LONGEST_VALUE = 60
MOST_NAMED = 3  # nodes of one reason; the others are counted


@dataclass(frozen=True, slots=True)
class PastContext:
    """Context that one node was sent. Without a `replay` only the request's own words are known."""

    node: Node
    agent_name: str
    evidence: Evidence
    replay: Replay | None = None
    variant: str | None = None
    beside: tuple[Difference, ...] = ()  # what the request would say otherwise today, apart from its words
    rests_on: object = None  # what else than the tree `replay` and `beside` follow from

    def sentence(self, tree: Tree) -> str:
        """Return the sentence that names the request, and its differences from today's."""
        asked = figures.moment(self.evidence.started_at)
        said = tr("What {agent} was sent for {node}, {when}.").format(
            agent=self.agent_name, node=self.node.local_id, when=asked
        )
        if self.variant:
            said += " " + tr("It was tried as the variant “{name}” of the tree.").format(name=self.variant)
        return f"{said} {self._today(tree)}"

    def _today(self, tree: Tree) -> str:
        replay = self.replay
        if replay is None:
            return tr("Only the request itself was kept, not what it was made of.")
        words = difference_from_variant if self.variant else difference_words
        reasons = "; ".join(words(one, tree) for one in replay.differences)
        beside = "; ".join(words(one, tree) for one in self.beside)
        if replay.is_identical:
            same = tr("Sent again today it would be the same, to the character.")
            if beside:
                same = tr("Sent again today its words would be the same, to the character; but {reasons}.")
                same = same.format(reasons=beside)
            idle = tr("What changed in the tree and the settings makes no difference to them: {reasons}.")
            if self.variant:
                idle = tr("The tree now differs from the variant, which changes nothing of it: {reasons}.")
            return f"{same} {idle.format(reasons=reasons)}" if reasons else same
        reasons = "; ".join(part for part in (reasons, beside) if part)
        if replay.now is None and replay.error is not None:
            return tr("Today nothing could be sent: {why}").format(why=told(replay.error.message))
        different = tr("Sent again today it would be different: {reasons}.")
        if self.variant:
            different = tr("What the tree would send now differs from the variant: {reasons}.")
        return different.format(reasons=reasons)


def difference_from_variant(difference: Difference, tree: Tree) -> str:
    """Return the words for what differs between a variant and the tree now. Which of them changed, and when,
    is not known: the variant may have differed from the start.
    """
    several = len(difference.node_ids) > 1
    sentences: dict[str, str] = {
        "included": tr("{nodes} are not excluded now") if several else tr("{nodes} is not excluded now"),
        "pruned": tr("{nodes} are deleted now") if several else tr("{nodes} is deleted now"),
        "restored": tr("{nodes} are not deleted now") if several else tr("{nodes} is not deleted now"),
        "noteLeftOut": tr("{nodes} are not sent now") if several else tr("the note {nodes} is not sent now"),
    }
    if difference.cause in sentences:
        return sentences[difference.cause].format(nodes=node_names(difference.node_ids, tree))
    return difference_words(difference, tree, tr("{what} is {now} now, in the variant {then}"))


def difference_words(difference: Difference, tree: Tree, values: str = "") -> str:
    """Return the words for a difference; `values` are those for a value that is another."""
    values = values or tr("{what} was {then} and is {now}")
    if difference.cause == "request":
        return _request_words(difference, values)
    names = node_names(difference.node_ids, tree)
    several = len(difference.node_ids) > 1
    sentences: dict[str, str] = {
        "excluded": tr("{nodes} are excluded now") if several else tr("{nodes} is excluded now"),
        "included": tr("{nodes} were excluded then") if several else tr("{nodes} was excluded then"),
        "pruned": tr("{nodes} were deleted since") if several else tr("{nodes} was deleted since"),
        "restored": tr("{nodes} were deleted then") if several else tr("{nodes} was deleted then"),
        "noteIncluded": tr("{nodes} are sent now") if several else tr("the note {nodes} is sent now"),
        "noteLeftOut": tr("{nodes} were sent then") if several else tr("the note {nodes} was sent then"),
        "moved": tr("the branch was somewhere else, or part of it was deleted for good"),
        "assembler": tr("this version of Loomapp puts it together differently"),
        "path": tr("the path goes through {nodes} now") if names else tr("the path was longer then"),
    }
    if difference.cause in sentences:
        return sentences[difference.cause].format(nodes=names)
    if difference.name in ("context_ids", "instruction_ids"):
        return _sources_words(difference, tree)
    named = _names().get(difference.name, (difference.name, str))
    then, now = named[1](difference.then), named[1](difference.now)
    return values.format(what=named[0], then=then, now=now)


def setting_words(name: str, value: object) -> tuple[str, str]:
    """Return what a setting of a tree is called in a sentence, and how a value of it reads."""
    if name in BY_FIELD or name in BY_NAME:
        title = BY_FIELD[name].title if name in BY_FIELD else BY_NAME[name].title
        return f"“{tr(title)}”", _quoted("; ".join(texts_in(value))) if texts_in(value) else _json(value)
    known = "buffer_system_context" if name == "buffer_mode_system_context" else name
    what, reads = _names().get(known, (name, str))
    is_text = reads is _quoted
    return what, tr("not set") if value is None and not is_text else reads(value)


def texts_in(value: object) -> list[str]:
    """Return the texts that a value of a setting is made of: itself, or one for each kind of conversation."""
    values = value.values() if isinstance(value, Mapping) else (value,)
    return [one for one in values if isinstance(one, str) and one]


def node_names(node_ids: Sequence[str], tree: Tree) -> str:
    """Return the short names of the first nodes, and how many more there are."""
    known = [tree.nodes[i].local_id for i in node_ids[:MOST_NAMED] if i in tree.nodes]
    more = len(node_ids) - len(known)
    if known and more > 0:
        return tr("{nodes} and {count} more").format(nodes=", ".join(known), count=figures.number(more))
    return ", ".join(known)


def _sources_words(difference: Difference, tree: Tree) -> str:
    """Return the words for nodes that went along with the request then and now."""
    then, now = (
        node_names(ids, tree) or tr("nothing") if isinstance(ids, tuple) else tr("nothing")
        for ids in (difference.then, difference.now)
    )
    if difference.name == "instruction_ids":
        return tr("{then} went along as instruction and {now} does now").format(then=then, now=now)
    return tr("{then} went along as context and {now} does now").format(then=then, now=now)


def _request_words(difference: Difference, values: str) -> str:
    """Return the words for a request's other fields, in the provider's own terms, which a reader
    can look up.
    """
    if difference.name == "model":
        return tr("{now} would be asked and not {then}").format(then=difference.then, now=difference.now)
    then, now = (_json(value) for value in (difference.then, difference.now))
    return values.format(what=difference.name, then=then, now=now)


def _json(value: object) -> str:
    if value is None:
        return tr("not set")
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"


def _names() -> dict[str, tuple[str, Callable[[object], str]]]:
    """Return the names of fields that differ, and the way their values read, by field."""
    strategies = dict(strategy_choices())
    scopes = {"path": tr("all instructions of the path"), "pending": tr("only those of this request")}
    return {
        "system_prompt": (tr("the agent's prompt"), _quoted),
        "description": (tr("the tree's description"), _quoted),
        "system_context": (tr("the tree's system context"), _quoted),
        "buffer_system_context": (tr("sending system context in a buffer"), _switched),
        "truncation_strategy": (
            tr("the strategy"),
            lambda v: f"“{strategies.get(str(v), str(v))}”",
        ),
        "minimum_recent_nodes": (tr("how many of the newest messages are kept"), _number),
        "token_buffer": (tr("the room for the answer"), _number),
        "instruction_scope": (tr("what is instructed"), lambda v: scopes.get(str(v), str(v))),
        "dialogue_marker": (tr("the marker"), _quoted),
        "buffer_marker": (tr("the marker"), lambda v: f"“{as_line(str(v))}”"),
        "continue_text": (tr("the words that ask to go on"), _quoted),
        "max_tokens": (tr("the longest answer"), _number),
        "economy": (tr("summaries and compression"), _economy),
        "awareness": (
            tr("what an agent was told of the tree"),
            lambda v: tr("nothing") if v is None else "…",
        ),
        "context_window": (tr("the model's context window"), _number),
        "provider_rules": (tr("the rules of the provider"), _quoted),
        "accepts_images": (tr("sending images"), _switched),
        "continues_documents": (tr("sending a document as it is"), _switched),
        "takes_messages": (tr("sending messages"), _switched),
        "fills_in": (tr("filling in"), _switched),
        "suffix": (tr("the text after the caret"), _quoted),
        "text": (tr("the text in the composer"), _quoted),
        "withheld": (tr("the number of images that could not be sent"), _count),
    }


def _economy(value: object) -> str:
    """Return what stood for the beginning of a path, and whether long parts were shortened."""
    if not isinstance(value, SentEconomy):
        return tr("off")
    said = [
        (value.heads is not None, tr("branch summaries")),
        (value.summary is not None, tr("a summary")),
        (value.numbers is not None, tr("compression")),
    ]
    return ", ".join(words for is_on, words in said if is_on)


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
