"""Rows of the context preview: an assembled context in reading order, with what is left out in place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.compression import is_full
from loomapp.core.context.fit import FittedPassages
from loomapp.core.context.outcomes import ShortenedNode
from loomapp.core.context.units import Dropped, Reason
from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.prose.authorship import author_of, main_author
from loomapp.core.text.token_counts import TOKENIZER, Tokenized
from loomapp.ui.strings import tr, with_blank_named
from loomapp.ui.widgets.words import amounts
from loomapp.ui.widgets.words.amounts import shortened_nodes, shortened_words
from loomapp.ui.widgets.words.context_words import infos, own_words

Kind: TypeAlias = Literal["system", "sent", "unsent", "marker", "left out", "info"]
SHOWN_CHARACTERS = 600  # of a row's text; the node has the rest


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One line: `name` who says it, `chip` which node, `note` what is special about it.

    `unsent` is text that is not committed yet. `joined`: it goes into the same message as the row above.
    """

    kind: Kind
    name: str = ""
    chip: str = ""
    text: str = ""
    tokens: int | None = None
    node_id: str | None = None
    agent: Agent | None = None
    note: str = ""
    reason: Reason | None = None
    joined: bool = False
    remedy: str = ""  # of a warning about a node: the name of what can be done
    act: str = ""  # what else its menu offers, by its name
    shortened: ShortenedNode | None = None  # its note stands in a chip then, which says more
    local_id: str = ""  # of an instruction in the system context, whose chip is its kind
    is_estimate: bool = False  # of its tokens: by no tokenizer

    @property
    def name_of_node(self) -> str:
        """Name in the chip where there is room for words elsewhere."""
        return self.local_id or self.chip

    @property
    def shown(self) -> str:
        """Text as it is shown: white space alone has a name."""
        return with_blank_named(self.text)

    @property
    def lead(self) -> str:
        """Word that introduces the text where the chip does not say it."""
        return tr("Instruction:") if self.local_id else ""


class Extra(NamedTuple):
    """A row that says nothing that is sent: a node that the filter left out, None for the marker. It stands
    right before a part.
    """

    before: int
    dropped: Dropped | None


class ContextRows:
    """The rows of one context. Only their order is made at once; a row is made when it is first looked at."""

    def __init__(self, assembled: Assembled, tree: Tree, agents: Mapping[str, Agent]) -> None:
        self.assembled = assembled
        self._tree = tree
        self._beside = _beside(assembled, tree)
        self._agents = agents
        self._made: dict[int, ContextRow] = {}  # a view asks for each of those in sight again and again
        self._system = _system_rows(assembled, tree, agents)
        self._begins = _begins(assembled)
        self._extra = _extra(assembled, tree)
        self._extra_numbers = [
            bisect_left(self._begins, place.before) + number for number, place in enumerate(self._extra)
        ]
        self._infos = _suffix_rows(assembled)
        self._infos += [
            ContextRow("info", text=said.text, note=said.tone, node_id=said.node_id, remedy=said.remedy)
            for said in infos(assembled, tree)
        ]

    def __len__(self) -> int:
        return len(self._system) + self._entries + len(self._infos)

    @property
    def _entries(self) -> int:
        return len(self._begins) + len(self._extra)

    @property
    def system_count(self) -> int:
        """Number of rows at the start that are the system context."""
        return len(self._system)

    def __getitem__(self, number: int) -> ContextRow:
        found = self._made.get(number)
        if found is None:
            is_estimate = self.assembled.report.estimator != TOKENIZER
            found = self._made[number] = replace(self._row(number), is_estimate=is_estimate)
        return found

    def _row(self, number: int) -> ContextRow:
        if number < len(self._system):
            return self._system[number]
        number -= len(self._system)
        if number >= self._entries:
            return self._infos[number - self._entries]
        extra = bisect_left(self._extra_numbers, number)
        if extra == len(self._extra) or self._extra_numbers[extra] != number:
            return self._sent(self._begins[number - extra])
        dropped = self._extra[extra].dropped
        return _marker_row(self._fitted) if dropped is None else self._left_out(dropped)

    def number_of(self, node_id: str) -> int | None:
        part = self.assembled.placed.first_part(node_id)
        if part is None:
            return self._numbers.get(node_id)
        extra = bisect_right(self._extra, part, key=lambda place: place.before)
        return len(self._system) + bisect_left(self._begins, part) + extra

    def message_text(self, number: int) -> str:
        """The message that a row is part of, as it is sent: all system parts, or all parts of one message; of
        a document the passage alone.
        """
        row = self[number]
        if number < len(self._system):
            return (self.assembled.system or "") if number < len(self.assembled.system_parts) else row.text
        for message in self.assembled.messages:
            if row.node_id in message.node_ids if row.node_id else None in message.node_ids:
                return message.text
        return row.text

    @property
    def _fitted(self) -> FittedPassages:
        return self.assembled.fitted

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Return the rows that are numbered by themselves."""
        found: dict[str, int] = {}
        for number, place in zip(self._extra_numbers, self._extra, strict=True):
            if place.dropped is not None:
                found.setdefault(place.dropped.node_id, len(self._system) + number)
        for number, row in enumerate(self._system):
            if row.node_id is not None:
                found.setdefault(row.node_id, number)
        return found

    def _node(self, node_id: str) -> Node:
        """A node as it was when the context was assembled: it may leave the tree before it is drawn."""
        path = self.assembled.placed.path
        place = path.place_of(node_id)
        return self._beside[node_id] if place is None else path.nodes[place]

    def _author(self, node: Node) -> tuple[str, Agent | None]:
        """Return who wrote most of a node, as its card says."""
        author = main_author(self._tree, node) if node.id in self._tree.nodes else author_of(node)
        agent = self._agents.get(author.agent_id or "")
        return _name(agent, author.author_type), agent

    def _sent(self, begin: int) -> ContextRow:
        """The row of the parts that begin there and belong together; in the gap they have no room."""
        fitted, passages = self._fitted, self._fitted.passages
        node_id = passages.node_ids[begin]
        end = begin + 1
        while node_id is not None and end < len(passages) and passages.node_ids[end] == node_id:
            end += 1
        if begin in fitted.gap and end <= fitted.gap.stop:
            text = " ".join(passages.texts[begin:end])
            return self._of_node(Dropped(node_id or "", "truncated", sum(passages.tokens[begin:end])), text)
        text, cost, note = _what_stays(fitted, begin, end)
        role = passages.roles[begin]
        joined = self._is_joined(begin)
        if node_id is None:
            note = ", ".join(filter(None, (tr("still being written"), _image_note(fitted, begin, end))))
            return ContextRow("unsent", own_words(), "", text, cost, note=note, joined=joined)
        node = self._node(node_id)
        name, agent = self._author(node)
        words, act = self._shortened_words(node)
        shortened = None if note else self._shortened.get(node.id)
        note = note or words or _image_note(fitted, begin, end) or self._written_note(node)
        if role == "user" and node.author_type == "model":
            note = note or tr("as you")
        if role == "assistant" and node.author_type == "human" and self.assembled.mode == "dialogue":
            note = note or tr("as the model")
        return ContextRow(
            "sent",
            name,
            node.local_id,
            text,
            cost,
            node_id,
            agent,
            note,
            joined=joined,
            act=act,
            shortened=shortened,
        )

    @cached_property
    def _shortened(self) -> Mapping[str, ShortenedNode]:
        return shortened_nodes(self.assembled)

    def _shortened_words(self, node: Node) -> tuple[str, str]:
        """Return how a node was shortened, or that it is sent in full, and the name of what undoes that."""
        shortened = self._shortened.get(node.id)
        if shortened is not None:
            return shortened_words(shortened), "sendInFull"
        if self.assembled.report.economy.load is not None and is_full(node.metadata):
            return tr("sent in full"), "shortenWhenFull"
        return "", ""

    def _written_note(self, node: Node) -> str:
        """Return the note on a passage that is sent as it is being written, or only up to the caret; else
        nothing.
        """
        known = self._tree.nodes.get(node.id)
        if known is None or known is node or known.content == node.content:
            return ""
        return tr("up to the caret") if known.text.startswith(node.text) else tr("still being written")

    def _left_out(self, dropped: Dropped) -> ContextRow:
        return self._of_node(dropped, self._node(dropped.node_id).text)

    def _of_node(self, dropped: Dropped, text: str) -> ContextRow:
        node = self._node(dropped.node_id)
        name, agent = self._author(node)
        return ContextRow(
            "left out", name, node.local_id, text, dropped.tokens, node.id, agent, reason=dropped.reason
        )

    def _is_joined(self, begin: int) -> bool:
        """Tell whether a message goes on here: the part sent before has the same role. Never in a
        document.
        """
        fitted, roles = self._fitted, self._fitted.passages.roles
        if self.assembled.mode == "buffer" or begin == 0:
            return False
        if begin == fitted.tail.start and fitted.gap:
            if fitted.marker is not None:
                return roles[begin] == "user"
            return bool(fitted.head) and roles[fitted.head.stop - 1] == roles[begin]
        return roles[begin - 1] == roles[begin]


def _image_note(fitted: FittedPassages, begin: int, end: int) -> str:
    """Return the note on a row that goes out as an image, or only by its name; else nothing."""
    images, described = fitted.passages.images, fitted.passages.described
    if not images and not described:
        return ""
    if any(part in images for part in range(begin, end)):
        return tr("as an image")
    return tr("only its name") if any(part in described for part in range(begin, end)) else ""


def _what_stays(fitted: FittedPassages, begin: int, end: int) -> tuple[str, int, str]:
    """Return text, tokens and a note for a node of which at least something is sent."""
    texts, tokens = fitted.passages.texts, fitted.passages.tokens
    first = max(begin, fitted.tail.start) if begin in fitted.gap else begin
    text, cost = " ".join(texts[first:end]), sum(tokens[first:end])
    if fitted.front is None or first != fitted.tail.start:
        return text, cost, tr("its beginning is cut off") if first > begin else ""
    gone = len(texts[first]) - fitted.front.kept_chars
    note = amounts.characters_cut(fitted.front.dropped_chars)
    return text[gone:], cost - tokens[first] + fitted.front_tokens, note


def _beside(assembled: Assembled, tree: Tree) -> dict[str, Node]:
    """Return the nodes that are named and are not on the path."""
    ids = (*assembled.placed.parts, *assembled.drops.by_id)
    return {node_id: tree.nodes[node_id] for node_id in ids if node_id in tree.nodes}


def _begins(assembled: Assembled) -> Sequence[int]:
    """Return the first part of each node, and of what is not committed yet."""
    passages = assembled.fitted.passages
    ids = passages.node_ids
    later = {
        part for part in passages.joined if part and ids[part] is not None and ids[part] == ids[part - 1]
    }
    return [part for part in range(len(ids)) if part not in later] if later else range(len(ids))


def _extra(assembled: Assembled, tree: Tree) -> list[Extra]:
    """Return left-out nodes and the marker, in reading order; never the empty root."""
    fitted, fates = assembled.fitted, assembled.fates
    found = [] if fitted.marker is None else [Extra(fitted.gap.start, None)]
    found += [
        Extra(before, dropped)
        for before, dropped in assembled.drops.by_id.values()
        if fates[dropped.node_id] not in ("sent", "truncated") and not tree.is_empty_root(dropped.node_id)
    ]
    return sorted(found, key=lambda extra: (extra.before, extra.dropped is not None))


def _system_rows(assembled: Assembled, tree: Tree, agents: Mapping[str, Agent]) -> list[ContextRow]:
    """The system context, each contribution apart, with what it adds to the estimate of its words; then what
    goes beside them.
    """
    rows: list[ContextRow] = []
    length = counted = 0
    words = "\n\n".join(part.text for part in assembled.system_parts)
    estimator = assembled.fitted.passages.estimator
    whole = estimator.bare(words) if isinstance(estimator, Tokenized) else estimator.of(words) if words else 0
    for part in assembled.system_parts:
        length += len(part.text) + (2 if rows else 0)  # the blank line between them
        so_far = -(-whole * length // len(words))
        tokens, counted = so_far - counted, so_far
        node = tree.nodes.get(part.node_id) if part.node_id else None
        agent = agents.get(node.author_agent_id or "") if node else None
        chip = {
            "agent": tr("agent"),
            "tree": tr("tree"),
            "instruction": tr("instruction"),
            "threads": tr("branches"),
            "summary": tr("summary"),
            "loom": tr("commands"),
        }[part.kind]
        rows.append(
            ContextRow("system", tr("System"), chip, part.text, tokens, part.node_id, agent,
                local_id=node.local_id if node else "")
        )  # fmt: skip
    return rows + _rows_beside(assembled, whole, is_prose=tree.loom.mode == "buffer")


def _rows_beside(assembled: Assembled, counted: int, *, is_prose: bool) -> list[ContextRow]:
    """Return what counts as system context beside its words, which are `counted` tokens: what an agent that
    sees the tree is told, and what the model's template adds. A text that is to be continued has none around
    it: there it is only what was counted.
    """
    passages, rows = assembled.fitted.passages, list[ContextRow]()
    told, by_template = (
        passages.fixed_tokens,
        assembled.report.system_tokens - counted - passages.fixed_tokens,
    )
    if told:
        text = "\n\n".join((passages.before_newest, *(text for _, text in passages.after))).strip()
        rows.append(ContextRow("system", tr("System"), tr("memory"), text, told))
    if by_template and is_prose:
        text = tr("Counted by the model’s server beyond these words; nothing more is sent")
        rows.append(ContextRow("system", tr("System"), tr("count"), text, by_template))
    elif by_template:
        text = tr("Added by the model’s chat template")
        if assembled.report.estimator != TOKENIZER:
            text = tr("Counted by the provider beside these texts")
        elif not assembled.system:
            text = tr("Added by the model’s chat template, usually with a system prompt of its own")
        rows.append(ContextRow("system", tr("System"), tr("template"), text, by_template))
    return rows


def _suffix_rows(assembled: Assembled) -> list[ContextRow]:
    """Return the rows of the text that follows the answer's place, as far as it is sent."""
    suffix = assembled.suffix
    if suffix is None:
        return []
    gone = amounts.characters_cut(suffix.dropped_chars) if suffix.is_cut else ""
    return [ContextRow("unsent", tr("After the caret"), text=suffix.text, tokens=suffix.tokens, note=gone)]


def _marker_row(fitted: FittedPassages) -> ContextRow:
    text = fitted.marker or ""
    note = tr("marker, sent as you") if text == text.strip() else tr("marker")
    return ContextRow("marker", text=text.strip(), tokens=fitted.passages.estimator.of(text), note=note)


def _name(agent: Agent | None, author_type: str) -> str:
    if agent is not None and agent.name:
        return agent.name
    return own_words() if author_type == "human" else tr("Model")
