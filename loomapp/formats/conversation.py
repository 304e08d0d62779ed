"""Conversations of other programs: messages with parent pointers, and the tree that is made of them.

A tree of one of them begins with an empty root; the first message of theirs that says nothing is that root,
if nothing stands before it. What continues nothing hangs on it: a message whose parent
is missing, or the first of a circle, is a way of its own from there. `importedFrom` among the keys of the
tree says where it comes from; by that a newer export finds it, and what changed there since.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.tree_edits import title_from
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Content, Text, plain_text
from loomapp.core.model.entities import (
    REASONING,
    ActivePath,
    AuthorType,
    Edge,
    EdgeSource,
    Interrupted,
    LoomTree,
    Metadata,
    Mode,
    Node,
    Tag,
)
from loomapp.core.model.hashes import hash_of
from loomapp.core.model.local_ids import local_ids_for
from loomapp.core.model.new_tree import IMPORTED_FROM, FirstRows, Origin
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence
from loomapp.core.times import Milliseconds
from loomapp.formats.importer import Facts, Imported

PLAIN, EXCLUDED = Metadata(), Metadata(excluded=True)
NO_EXTRA: Json = {}


class Author(NamedTuple):
    """An agent of another program; `id` is None for who wrote what "you" wrote."""

    id: str | None
    name: str
    type: AuthorType


@lru_cache(256)
def model_author(author_id: str, name: str) -> Author:
    """An author that is no person: the same value each time, for a chat has a hundred thousand messages."""
    return Author(author_id, name, "model")


@dataclass(slots=True)
class Message:
    """One message. `at` None: when the one before it was made; `keys` are what its program alone knows of."""

    author: Author
    content: Content
    at: Milliseconds | None = None
    is_excluded: bool = False
    interrupted: Interrupted | None = None
    keys: Json = field(default_factory=dict)
    is_pruned: bool = False
    is_bookmarked: bool = False
    bookmark_label: str | None = None
    reasoning: str = ""

    def node_extra(self, name: str) -> Json:
        """Return the extra keys of the message's node: its reasoning, and others under a format's name."""
        keys: Json = {name: self.keys} if self.keys else NO_EXTRA
        return {REASONING: self.reasoning, **keys} if self.reasoning else keys


@dataclass(slots=True)
class Conversation:
    """Messages by id, and of each the id of the one before it: sound pointers, None for what continues none.

    Siblings stand in the order of the messages. `current_id` is the message where it was left. `tags` are
    node ids by the name of a tag, `media` bytes by their SHA-256; `losses` and `notes` as in `Facts`.
    """

    format: str
    id: str
    title: str
    messages: dict[str, Message]
    parents: Mapping[str, str | None]
    root_id: str
    current_id: str | None = None
    system_context: str | None = None
    created_at: Milliseconds | None = None
    updated_at: Milliseconds | None = None
    extra: Json = field(default_factory=dict)
    mode: Mode = "dialogue"
    root_extra: Json = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    media: Mapping[str, bytes] = field(default_factory=dict)
    losses: tuple[Sentence, ...] = ()
    notes: tuple[Sentence, ...] = ()

    def branches(self) -> int:
        """The messages that nothing continues."""
        continued = set(self.parents.values())
        return sum(1 for key in self.messages if key not in continued)

    def first_words(self) -> str:
        """Return a title made of the first message that says something."""
        texts = (plain_text(self.messages[key].content) for key in parents_first(self.parents))
        return title_from(next((text for text in texts if text.strip()), ""))

    def times(self) -> tuple[Milliseconds | None, Milliseconds | None]:
        """Return when its first and last message were made."""
        known = [message.at for message in self.messages.values() if message.at is not None]
        if not known:
            return self.created_at, self.updated_at or self.created_at
        return min(known), max(known)

    def facts(self) -> Facts:
        """Return the facts of the tree that is made of it."""
        models = (message.author.name for message in self.messages.values() if message.author.id)
        return Facts(
            self.parents.keys(),
            self.branches(),
            *self.times(),
            self.losses,
            self.notes,
            tuple(dict.fromkeys(models)),
            bool(self.system_context),
        )


def tree_of(conversation: Conversation, now: Milliseconds, owner: Agent | None) -> Imported:
    """The tree of a conversation, with hashes and the agents that wrote it. Its messages go as rows are made
    of them.
    """
    first_at, last_at = conversation.times()
    created_at = _first_known(conversation.created_at, first_at, now)
    agents = _agents(conversation, owner)
    title = conversation.title or conversation.first_words()
    origin = Origin(conversation.format, conversation.id, title, conversation.extra)
    loom = LoomTree(
        conversation.id,
        title,
        conversation.mode,
        conversation.root_id,
        system_context=conversation.system_context,
        created_at=created_at,
        updated_at=_first_known(conversation.updated_at, last_at, created_at),
        extra={IMPORTED_FROM: origin.to_json()},
    )
    head = Tree(loom)
    head.tags = {name: Tag(name, None, node_ids) for name, node_ids in conversation.tags.items()}
    head.path = ActivePath(conversation.current_id or conversation.root_id)
    made = _FirstRows(conversation, agents, created_at)
    count = 1 + len(conversation.messages)
    rows = FirstRows(head, count, made.nodes(), made.edges(), begins_empty=True)
    listed = {agent.id: agent for agent in agents.values()}
    return Imported(rows, tuple(listed.values()), media=conversation.media, is_of_other_program=True)


def _first_known(*moments: Milliseconds | None) -> Milliseconds:
    return next((moment for moment in moments if moment is not None), 0)


def _agents(conversation: Conversation, owner: Agent | None) -> dict[Author, Agent]:
    """The agents that wrote it, by author, in the order in which they appear; you began it in any case."""
    yours = owner or Agent("human", "Human", "human", loom_aware=True)
    agents: dict[Author, Agent] = {}
    for message in conversation.messages.values():
        author = message.author
        if author not in agents:
            named = author.id is not None and Agent(shown_id(author.id), author.name, author.type)
            agents[author] = named or yours
    if all(author.id is not None for author in agents):
        agents[Author(None, "You", "human")] = yours
    return agents


class _FirstRows:
    """Makes the rows of a conversation, each message of which goes as its node is made: of a long one only
    ids and times are left for the edges.
    """

    def __init__(
        self, conversation: Conversation, agents: Mapping[Author, Agent], created_at: Milliseconds
    ) -> None:
        self._conversation, self._agents, self._created_at = conversation, agents, created_at
        self._order = parents_first(conversation.parents)
        self._times = array("q")

    def nodes(self) -> Iterator[Node]:
        """Yield the root and the nodes below it, parents first: what stands below one before its sibling."""
        messages, parents = self._conversation.messages, self._conversation.parents
        root = self._root()
        yield root
        local_ids = {root.local_id}
        way: list[tuple[str | None, str, int]] = [(None, root.content_hash, root.created_at)]
        for key in self._order:
            message = messages.pop(key)
            while way[-1][0] != parents[key]:
                way.pop()
            _, above_hash, at = way[-1]
            at = at if message.at is None else message.at
            agent = self._agents[message.author]
            before = (above_hash,)
            hashed = hash_of(message.content, before, at, (agent.type, agent.id), None)
            yield Node(
                key,
                _local_id(key, local_ids),
                message.content,
                agent.type,
                agent.id,
                at,
                hashed,
                before,
                None,
                message.interrupted,
                None,
                _metadata(message),
                message.node_extra(self._conversation.format),
            )
            way.append((key, hashed, at))
            self._times.append(at)

    def _root(self) -> Node:
        one = self._conversation
        owner_id = _owner_id(self._agents)
        hashed = hash_of(Text(""), (), self._created_at, ("human", owner_id), None)
        return Node(
            one.root_id,
            _local_id(one.root_id, set()),
            Text(""),
            "human",
            owner_id,
            self._created_at,
            hashed,
            metadata=PLAIN,
            extra=one.root_extra or NO_EXTRA,
        )

    def edges(self) -> Iterator[Edge]:
        """Yield the edge to each of those nodes but the root."""
        root_id, parents = self._conversation.root_id, self._conversation.parents
        for key, at in zip(self._order, self._times, strict=True):
            source = EdgeSource(parents[key] or root_id)
            yield Edge(f"to-{key}", (source,), key, "continuation", at, NO_EXTRA)


def _metadata(message: Message) -> Metadata:
    if message.is_bookmarked or message.is_pruned:
        label = message.bookmark_label
        return Metadata(message.is_bookmarked, label, message.is_pruned, message.is_excluded)
    return EXCLUDED if message.is_excluded else PLAIN


def _owner_id(agents: Mapping[Author, Agent]) -> str | None:
    return next((agent.id for author, agent in agents.items() if author.id is None), None)


def _local_id(key: str, taken: set[str]) -> str:
    for name in local_ids_for(key):
        if name not in taken:
            taken.add(name)
            return name
    raise AssertionError("the last is as long as a hash")


def shown_id(key: str) -> str:
    """An id of a foreign file, or where it could not be shown on a line, one that is made of it."""
    if key and key.isprintable():
        return key
    return "id-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sound_parents(parents: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return sound pointers: None where one leads nowhere, and at the first node of each circle."""
    sound = {key: parent if parent in parents else None for key, parent in parents.items()}
    places: dict[str, int] = {}  # once a circle is met
    done: set[str] = set()
    for start in parents:
        at = sound[start]
        if start in done or at is None or at in done:  # nearly all: parents stand first
            done.add(start)
            continue
        trail: dict[str, int] = {}
        at = start
        while at is not None and at not in done and at not in trail:
            trail[at] = len(trail)
            at = sound[at]
        if at is not None and at in trail:
            circle = list(trail)[trail[at] :]
            places = places or {key: place for place, key in enumerate(sound)}
            sound[min(circle, key=places.__getitem__)] = None
        done.update(trail)
    return sound


def nearest(
    parents: Mapping[str, str | None], kept: Mapping[str, object] | set[str]
) -> dict[str, str | None]:
    """Return, for each kept node, the nearest kept one above it; expects sound pointers."""
    if len(kept) == len(parents):
        return {key: parents[key] for key in kept}
    found: dict[str, str | None] = {}
    for key in kept:
        trail = []
        at = parents[key]
        while at is not None and at not in kept and at not in found:
            trail.append(at)
            at = parents[at]
        above = found[at] if at is not None and at not in kept else at
        found.update(dict.fromkeys(trail, above))
        found[key] = above
    return {key: found[key] for key in kept}


def parents_first(
    parents: Mapping[str, str | None], listed: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """The keys so that each comes after its parent, siblings in the order of the mapping.

    `listed` are the children that a parent names itself: of those that are its children this is the order;
    what is not listed comes after them.
    """
    children: dict[str | None, list[str]] = {}
    for key, parent in parents.items():
        children.setdefault(parent, []).append(key)
    order: list[str] = []
    waiting = [iter(children.get(None, ()))]
    while waiting:
        name = next(waiting[-1], None)
        if name is None:
            waiting.pop()
            continue
        order.append(name)
        below = children.get(name)
        if below is not None:
            if listed is not None and len(below) > 1:
                below = _in_order(below, listed.get(name, ()))
            waiting.append(iter(below))
    return order


def _in_order(keys: Sequence[str], listed: Iterable[str]) -> list[str]:
    theirs = set(keys)
    named = dict.fromkeys(key for key in listed if key in theirs)
    return [*named, *(key for key in keys if key not in named)]
