"""Entities: the values that a loom tree consists of, each under a key, and the text of a node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import (
    AttachedDocument,
    Audio,
    Block,
    Content,
    Extra,
    Image,
    Mixed,
    Text,
    ToolResult,
    ToolUse,
    plain_text,
)
from loomapp.core.model.economy_settings import NOTHING_OWN, EconomySettings
from loomapp.core.times import Milliseconds

AuthorType: TypeAlias = Literal["human", "model"]
Mode: TypeAlias = Literal["dialogue", "buffer"]
Role: TypeAlias = Literal["primary", "context", "instruction"]
EdgeType: TypeAlias = Literal["continuation", "annotation"]
SentRole: TypeAlias = Literal["user", "assistant"]
ROLES: Mapping[str, SentRole] = {"human": "user", "model": "assistant"}  # where a node says no other

REASONING = "reasoning"  # of a node's extra: shown with it, no part of its content, never sent
DECIDED = "decided"  # of a node's metadata: what became of commands in its trace that waited, by their place
TRACE = "trace"  # of a node's extra: the steps of the run whose answer it is, likewise
FULL = "full"  # of a node's metadata: what it sends is never shortened


@dataclass(frozen=True, slots=True)
class Metadata:
    """The part of a node that may change after creation."""

    bookmarked: bool = False
    bookmark_label: str | None = None
    pruned: bool = False
    excluded: bool = False
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A generation that was cut short: timeout, network, provider error, cancelled or crash."""

    reason: str
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Node:
    """One committed text. Only `metadata` and `summary` ever differ between two values of one node.

    `role` is the role in which it is sent, whoever wrote it; None leaves that to its author.
    """

    id: str
    local_id: str
    content: Content
    author_type: AuthorType
    author_agent_id: str | None = None
    created_at: Milliseconds = 0
    content_hash: str = ""
    parent_hashes: tuple[str, ...] = ()
    edited_from: str | None = None
    interrupted: Interrupted | None = None
    summary: str | None = None
    metadata: Metadata = Metadata()
    extra: Extra = field(default_factory=dict)
    role: SentRole | None = None

    @property
    def key(self) -> str:
        return self.id

    @property
    def text(self) -> str:
        """Return its words, for reading; see `content.plain_text`."""
        return plain_text(self.content)

    def completed(
        self, local_id: str, author_agent_id: str | None, content_hash: str, parent_hashes: tuple[str, ...]
    ) -> Node:
        """The node with what a file may leave out. Written out as `with_metadata` is."""
        return Node(
            self.id,
            local_id,
            self.content,
            self.author_type,
            author_agent_id,
            self.created_at,
            content_hash,
            parent_hashes,
            self.edited_from,
            self.interrupted,
            self.summary,
            self.metadata,
            self.extra,
            self.role,
        )

    def with_metadata(self, metadata: Metadata) -> Node:
        """The node with other metadata. Written out: `replace` takes three times as long, and a branch has
        thousands.
        """
        return Node(
            self.id,
            self.local_id,
            self.content,
            self.author_type,
            self.author_agent_id,
            self.created_at,
            self.content_hash,
            self.parent_hashes,
            self.edited_from,
            self.interrupted,
            self.summary,
            metadata,
            self.extra,
            self.role,
        )


@dataclass(frozen=True, slots=True)
class EdgeSource:
    """One source of an edge and the role it plays."""

    node_id: str
    role: Role = "primary"
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed hyperedge: what its target continues, refers to and is told."""

    id: str
    sources: tuple[EdgeSource, ...]
    target_id: str
    type: EdgeType = "continuation"
    created_at: Milliseconds = 0
    extra: Extra = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.id

    def with_role(self, role: Role) -> tuple[str, ...]:
        """The node ids of the sources that play `role`, in listed order."""
        return tuple(source.node_id for source in self.sources if source.role == role)


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """A tree's own context settings; None inherits the app's."""

    truncation_strategy: str | None = None
    minimum_recent_nodes: int | None = None
    token_buffer: int | None = None
    instruction_scope: str | None = None
    extra: Extra = field(default_factory=dict)
    dialogue_marker: str | None = None
    buffer_marker: str | None = None
    continue_text: str | None = None
    economy: EconomySettings = NOTHING_OWN


@dataclass(frozen=True, slots=True)
class LoomTree:
    """Facts about a whole tree. `updated_at` follows the newest change and is no part of equality."""

    id: str
    title: str
    mode: Mode
    root_id: str
    description: str | None = None
    summary: str | None = None
    system_context: str | None = None
    buffer_mode_system_context: bool = False
    context_settings: ContextSettings = ContextSettings()
    created_at: Milliseconds = 0
    updated_at: Milliseconds = field(default=0, compare=False)
    archived_at: Milliseconds | None = None
    extra: Extra = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class ActivePath:
    """The path last read: its leaf, and for some targets the primary source chosen on their edge."""

    leaf_id: str
    selections: Mapping[str, str] = field(default_factory=dict)  # target node id -> source node id
    extra: Extra = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Return one key for all: there is one row a tree."""
        return "path"


@dataclass(frozen=True, slots=True)
class IncludedAnnotations:
    """The annotations that are switched on for context."""

    node_ids: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return one key for all: there is one row a tree."""
        return "included"


@dataclass(frozen=True, slots=True)
class Tag:
    """A named mark on nodes of one tree."""

    name: str
    colour: str | None = None
    node_ids: tuple[str, ...] = ()
    extra: Extra = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name: unique in its tree."""
        return self.name


@dataclass(frozen=True, slots=True)
class Link:
    """A reference from a node of this tree to a node of any tree; not an edge."""

    from_node_id: str
    to_tree_id: str
    to_node_id: str
    label: str | None = None
    extra: Extra = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Return its three ends: there is at most one link between two nodes."""
        return "\0".join((self.from_node_id, self.to_tree_id, self.to_node_id))


@dataclass(frozen=True, slots=True)
class BranchSummary:
    """A title and summary of the branch at a node; `body` holds its Loom JSON keys.

    `response_id` names the response that its text was taken from, None if no model wrote it as it is.
    """

    node_id: str
    body: Mapping[str, object] = field(default_factory=dict)
    response_id: str | None = None

    @property
    def key(self) -> str:
        return self.node_id


@dataclass(frozen=True, slots=True)
class ContextSummary:
    """A summary that stands for older messages of a path; `body` holds its Loom JSON keys.

    `response_id` as of a BranchSummary.
    """

    anchor_node_id: str
    covered_hash: str
    body: Mapping[str, object] = field(default_factory=dict)
    response_id: str | None = None

    @property
    def node_id(self) -> str:
        """The node whose path it covers."""
        return self.anchor_node_id

    @property
    def key(self) -> str:
        return f"{self.anchor_node_id}\0{self.covered_hash}"


Summary: TypeAlias = BranchSummary | ContextSummary


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """The memory that an agent has of a tree; `body` holds its Loom JSON keys."""

    agent_id: str
    body: Mapping[str, object] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.agent_id


Mark: TypeAlias = Tag | Link | BranchSummary | ContextSummary | AgentMemory
Row: TypeAlias = Node | Edge | LoomTree | ActivePath | IncludedAnnotations | Mark


def verbatim(node: Node) -> str:
    """Return all that the node says in Buffer, as one text."""
    content = node.content
    if isinstance(content, Text):
        return content.text
    blocks = content.blocks if isinstance(content, Mixed) else (content,)
    return "".join(block_text(block, node.local_id) for block in blocks)


def message_text(node: Node) -> str:
    """Return all that the node says in Dialogue: a blank line between what is attached and the words."""
    content = node.content
    if not isinstance(content, Mixed):
        return verbatim(node)
    texts = (block_text(block, node.local_id).strip("\r\n") for block in content.blocks)
    return "\n\n".join(filter(None, texts))


def block_text(block: Block, local_id: str) -> str:
    """Return the text of a block, or the words that stand for it; `local_id` names what has no other name."""
    match block:
        case Text() | AttachedDocument() | ToolResult():
            return block.text
        case Image():
            return f"[image: {image_name(block, local_id)}]"
        case Audio():
            return f"[audio: {local_id}]"
        case ToolUse():
            # Only a stand-in: models are sent texts, not calls that they would have to answer for.
            arguments = json.dumps(block.input, ensure_ascii=False, sort_keys=True)
            return f"[tool_use: {block.name} {arguments}]"


def image_name(image: Image, local_id: str) -> str:
    """Return an image's alternative text, else the local id of its node."""
    return image.alt_text if image.alt_text and image.alt_text.strip() else local_id
