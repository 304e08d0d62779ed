"""One message as it is shown: its text and siblings, what streams beside it, what becomes of it, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from itertools import dropwhile
from typing import Literal, NamedTuple

from loomapp.core.context import messages
from loomapp.core.context.outcomes import ByName, ShortenedNode
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import server_words
from loomapp.core.generation.drafts import Draft, LiveDraft, RunProgress
from loomapp.core.generation.provider import ProviderError, wants_key
from loomapp.core.loom_commands.trace import TraceEntry, entries_of
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import (
    AttachedDocument,
    Block,
    Content,
    Image,
    Mixed,
    Text,
    ToolResult,
    ToolUse,
    blocks_of,
    images_of,
    taken_apart,
)
from loomapp.core.model.entities import REASONING, Node
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator
from loomapp.ui import figures
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.widgets.error_strip import Tone
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON, name_words, refused_words

TICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class Option:
    """Another way to go on than the one shown: a sibling or a draft. `number` counts from 1; 0 for what
    failed, which is no sibling."""

    key: str
    number: int
    count: int
    text: str
    agent: Agent | None
    is_draft: bool = False
    grows: bool = False
    failed: bool = False
    waits: bool = False  # its text is why nothing comes
    broke_off: bool = False
    name: str = ""  # of its agent, where several have answered
    alike: int = 1  # how many of one request failed as it did, with it: a row stands for all of them


def is_alike(one: Option, other: Option) -> bool:
    """Return True for two answers of one request that failed in the same words."""
    of_one, of_other = (option.key.rpartition(":")[0] for option in (one, other))
    return one.failed and other.failed and of_one == of_other and one.text == other.text


@dataclass(frozen=True, slots=True)
class Cut:
    """A place above a message where what is sent begins or ends, and how many messages have no room there.

    `start`: all before it is left out; `gap`: what follows is, up to `again`; `end`: all that follows is.
    """

    place: Literal["start", "gap", "again", "end"]
    count: int
    strategy: str = ""


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A note on a message; `fate` is what becomes of it in the coming context, empty for nothing. `is_new` if
    another program wrote it and nobody looked at it.
    """

    node_id: str
    text: str
    fate: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as it is shown; `node` or `draft` says what it is. `key` is a node id or a draft's key.
    `number` and `count` are its place among its siblings, as in an option; `before` and `after` pass through
    all that stands there.
    """

    key: str
    text: str
    agent: Agent | None
    node: Node | None = None
    draft: Draft | None = None
    number: int = 1
    before: str | None = None
    after: str | None = None
    count: int = 1
    fate: str = "sent"
    notes: tuple[NoteLine, ...] = ()
    options: tuple[Option, ...] = ()
    more_options: int = 0  # for which there is no row
    cut: Cut | None = None
    merged: bool = False  # sent as one message with the one above
    by_name: ByName | None = None  # images of which only the names are sent
    shortened: ShortenedNode | None = None  # long parts that are sent shortened
    cut_at: int | None = None  # tokens at which a limit cut the answer, 0 if they are not known
    can_continue: bool = False  # it was cut or broke off, and no model has gone on from there
    failed: int = 0  # failed answers in the tree, where it is one of them
    counted: int | None = None  # tokens of it in the coming context, where it has no room there
    estimator: TokenEstimator = field(default=BY_CHARACTERS, compare=False)  # of that context
    no_retry: str = ""  # why nothing can be asked again for it
    run: RunProgress | None = None  # of a loom-aware agent, while it goes on
    named_nodes: tuple[tuple[str, str], ...] = ()  # by their short ids, in what a loom-aware agent wrote

    @property
    def is_human(self) -> bool:
        return self.node is not None and self.node.author_type == "human"

    @property
    def images(self) -> tuple[Image, ...]:
        return () if self.node is None else images_of(self.node.content)

    @property
    def image_names(self) -> str:
        return "".join(f"{_block_words(image)}\n" for image in self.images)

    @property
    def written(self) -> str:
        """Return its words as they are edited, without what is attached to them."""
        return self.text if self.node is None else taken_apart(self.node.content)[0]

    @property
    def reasoning(self) -> str:
        """Return the reasoning of the model before it answered, if it told any."""
        if self.draft is not None:
            return self.draft.reasoning
        kept = self.node.extra.get(REASONING) if self.node is not None else None
        return kept if isinstance(kept, str) else ""

    @property
    def trace(self) -> tuple[TraceEntry, ...]:
        """Return what a loom-aware agent said and did before this answer, or does just now."""
        if self.run is not None:
            return self.run.lines
        return () if self.node is None else entries_of(self.node)

    @property
    def tokens(self) -> int:
        """The size of it, for chips: as the report of the coming context counts it, images by name."""
        if self.counted is not None:
            return self.counted
        if self.node is None:
            return self.estimator.of(self.text.strip())
        return sum(self.estimator.of(part.text) for part in messages.render(self.node, "dialogue"))

    @property
    def grows(self) -> bool:
        return self.draft is not None and not self.draft.ended

    @property
    def is_interrupted(self) -> bool:
        """Return True for an answer that broke off, of which a part is kept."""
        return self.node is not None and self.node.interrupted is not None

    @property
    def waits_for_words(self) -> bool:
        """Return True if nothing of it is to be seen yet."""
        return self.grows and not self.text and not self.trace


def words(content: Content) -> str:
    """Return a content as text to read, its images and tools by name."""
    blocks = content.blocks if isinstance(content, Mixed) else (content,)
    return "\n\n".join(_block_words(block) for block in blocks)


def message_words(content: Content) -> str:
    """A content as the body of a message: its documents as code, whole. Its images are shown above it; one
    that comes after words stands among them by its name, so that the order is that of what is sent.
    """
    if isinstance(content, Text):
        return content.text
    return "\n\n".join(words for _, words in body_words(content))


def body_words(content: Content) -> list[tuple[Block, str]]:
    """Return the blocks of the body of a message, each with its words."""
    blocks = dropwhile(lambda block: isinstance(block, Image), blocks_of(content))
    return [(block, _body_words(block)) for block in blocks]


def _body_words(block: Block) -> str:
    if isinstance(block, AttachedDocument):
        return _document_words(block)
    words = _block_words(block)
    return f"`{_in_one_line(words)}`" if isinstance(block, Image) else words


def _document_words(document: AttachedDocument) -> str:
    """Return a text file in a block that nothing in it can end."""
    longest = max((len(run) for run in TICKS.findall(document.text)), default=0)
    fence = "`" * max(3, longest + 1)
    name = _in_one_line(document.name)
    end = "" if document.text.endswith("\n") else "\n"
    return f"`{name}`\n\n{fence}\n{document.text}{end}{fence}"


def _in_one_line(name: str) -> str:
    return " ".join(name.replace("`", "'").split())


def _block_words(block: object) -> str:
    match block:
        case Text(text=text) | ToolResult(text=text):
            return text
        case Image(alt_text=alt):
            return f"[image: {alt}]" if alt else "[image]"
        case AttachedDocument(name=name, text=text):
            return f"[{name}]\n\n{text}"
        case ToolUse(name=name):
            return f"[tool: {name}]"
        case _:
            return "[audio]"


class FateChip(NamedTuple):
    """A chip under a message."""

    icon: str
    text: str
    role: str
    ground: str = "surface.raised"
    ink: str = ""  # of its words, where that is not the role of the icon


def fates_of(entry: Entry) -> tuple[FateChip, ...]:
    """Return all chips on what becomes of an entry, and became of it."""
    said = (fate_of(entry), merging(entry), naming(entry), interruption(entry), limit_reached(entry))
    return tuple(dict.fromkeys(chip for chip in said if chip is not None))


def fate_of(entry: Entry) -> FateChip | None:
    """Return why an entry is not sent; None if it is."""
    icon, text = {
        "excluded": ("eye-off", tr("Excluded")),
        "truncated": ("scissors", tr("No room: {0} tokens")),
        "pruned": ("leaf", tr("Deleted")),
        "annotation": ("sticky-note", tr("Note, not sent")),
        "empty": ("info", tr("Empty, not sent")),
        "summarised": ("sticky-note", tr("In the summary")),
        "branch_summarised": ("sticky-note", tr("In a branch summary")),
        "refused": (REFUSED_ICON, refused_words()),
    }.get(entry.fate, ("", ""))
    if not text:
        return None
    role = "text.muted" if entry.fate == "refused" else "text.secondary"  # it is said of every message
    return FateChip(icon, text.format(figures.number(entry.tokens)), role)


def merging(entry: Entry) -> FateChip | None:
    """Return that an entry is no message of its own when it is sent; None if it is."""
    if not entry.merged:
        return None
    words = tr("Sent as one with the message above")
    return FateChip("merge", words, "text.muted")


def naming(entry: Entry) -> FateChip | None:
    """Return that images of an entry go only by their names; None if there are none, or all go as images."""
    if entry.by_name is None:
        return None
    return FateChip("image-off", name_words(entry.by_name, len(entry.images)), "text.secondary")


def interruption(entry: Entry) -> FateChip | None:
    """Return why an entry's text ends where it does; None if it is whole."""
    reason = None
    if entry.node is not None and entry.node.interrupted is not None:
        reason = entry.node.interrupted.reason
    elif entry.draft is not None and entry.draft.error is None:
        reason = entry.draft.interrupted
    return None if reason is None else FateChip("circle-pause", broken_off(reason), "state.interrupted")


def broken_off(reason: str) -> str:
    """Return the words for a text that ends where it does for a reason."""
    return {
        "timeout": tr("Cut short: no answer in time"),
        "network": tr("Cut short: the connection was lost"),
        "provider error": tr("Cut short: the model failed"),
        "cancelled": tr("Stopped"),
        "crash": tr("Cut short: Loomapp ended"),
    }.get(reason, tr("Cut short: {0}").format(reason))


def limit_reached(entry: Entry) -> FateChip | None:
    """Return at how many tokens a limit cut an entry's text; None if it ended by itself."""
    if entry.cut_at is None:
        return None
    words = cut_words(entry.cut_at)
    return FateChip("arrow-right-to-line", words, "state.warning", "state.warning_soft", "text.primary")


def cut_words(tokens: int) -> str:
    """Return the words for an answer that a limit cut at so many tokens, 0 if they are not known."""
    return tr("cut at {0} tokens").format(figures.number(tokens)) if tokens else tr("cut at its limit")


@dataclass(frozen=True, slots=True)
class Halt:
    """Failed or waiting answer in words. `acts` are names and words, the likeliest first."""

    sentence: str
    acts: tuple[tuple[str, str], ...]
    tone: Tone = "warning"
    closable: bool = False


def halt_of(draft: Draft | None, failed: int = 0) -> Halt | None:
    """Return why a draft failed or waits; None while all is well. `failed`: how many did."""
    if draft is None:
        return None
    if draft.error is not None:
        retry = ("retry", tr("Retry"))
        keyed = (("key", tr("Set the key")), retry)
        acts: tuple[tuple[str, str], ...] = keyed if wants_key(draft.error) else (retry,)
        if isinstance(draft.error, ProviderError):
            acts = (*acts, ("details", tr("Details")))
        if failed > 1:
            acts = (*acts, ("dismiss_all", tr("Dismiss all {count}").format(count=figures.number(failed))))
        said = unsteered(server_words(draft.error))
        sentence = "\n".join(filter(None, (told(draft.error.message), said)))
        return Halt(sentence, acts, "error", closable=True)
    wait = draft.waits
    if wait is None:
        return None
    stop = ("stop", tr("Stop"))
    if wait.again_in_s is not None:
        sentence = "\n".join(filter(None, (told(wait.sentence), unsteered(wait.said))))
        return Halt(sentence, (("retry", tr("Retry now")), stop))
    return Halt(told(wait.sentence), (stop, ("retry", tr("Retry"))))


def named_halt(live: LiveDraft, agents: Mapping[str, Agent], failed: int = 0) -> Halt | None:
    """Return why a draft failed or waits, with its agent's name, for where no head of a message names it."""
    halt, agent = halt_of(live.draft, failed), agents.get(live.agent_id)
    if halt is None or agent is None:
        return halt
    name = unsteered(agent.name)
    if halt.sentence.startswith(f"{name} "):  # its endpoint is called as it is
        return halt
    return replace(halt, sentence=f"{name} · {halt.sentence}")
