"""One message as it is shown: its text, its siblings, what streams beside it, and what becomes of it."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import dropwhile
from typing import Literal

from loomapp.core.context import messages
from loomapp.core.context.outcomes import ByName, ShortenedNode
from loomapp.core.dataclass import dataclass
from loomapp.core.generation.drafts import Draft, RunProgress
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
