"""Conversations of other programs: messages with parent pointers, and the tree that is made of them.

A tree of one of them begins with an empty root. What continues nothing hangs on it: a message whose parent
is missing, or the first of a circle, is a way of its own from there. `importedFrom` among the keys of the
tree says where it comes from; by that a newer export finds it, and what changed there since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from loomapp.core.edits.new_trees import title_from
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Content, Text
from loomapp.core.model.entities import (
    ActivePath,
    AuthorType,
    Edge,
    EdgeSource,
    Interrupted,
    LoomTree,
    Metadata,
    Node,
)
from loomapp.core.model.hashes import hash_of
from loomapp.core.model.imported_from import IMPORTED_FROM, Origin
from loomapp.core.model.local_ids import local_ids_for
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import deepest_leaf
from loomapp.core.times import Milliseconds
from loomapp.formats.imported import Imported
from loomapp.formats.parent_links import parents_first

PLAIN, EXCLUDED = Metadata(), Metadata(excluded=True)
NO_EXTRA: Json = {}


@dataclass(frozen=True, slots=True)
class Author:
    """An agent of another program; `id` is None for who wrote what "you" wrote."""

    id: str | None
    name: str
    type: AuthorType


@dataclass(slots=True)
class Message:
    """One message. `at` None: when the one before it was made."""

    author: Author
    content: Content
    at: Milliseconds | None = None
    is_excluded: bool = False
    interrupted: Interrupted | None = None
    extra: Json = field(default_factory=dict)


@dataclass(slots=True)
class Conversation:
    """Messages by id, and of each the id of the one before it: sound pointers, None for what continues none.

    Siblings stand in the order of the messages. `current_id` is where it was left.
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

    def branches(self) -> int:
        """The messages that nothing continues."""
        continued = set(self.parents.values())
        return sum(1 for key in self.messages if key not in continued)

    def times(self) -> tuple[Milliseconds | None, Milliseconds | None]:
        """Return when its first and last message were made."""
        known = [message.at for message in self.messages.values() if message.at is not None]
        if not known:
            return self.created_at, self.updated_at or self.created_at
        return min(known), max(known)


def tree_of(conversation: Conversation, now: Milliseconds, owner: Agent | None) -> Imported:
    """The tree of a conversation, with hashes and the agents that wrote it."""
    first_at, last_at = conversation.times()
    created_at = _first_known(conversation.created_at, first_at, now)
    agents = _agents(conversation, owner)
    nodes, edges = _rows(conversation, agents, created_at)
    title = conversation.title or title_from(next((n.text for n in nodes if n.text.strip()), ""))
    origin = Origin(conversation.format, conversation.id, title, conversation.extra)
    loom = LoomTree(
        conversation.id,
        title,
        "dialogue",
        conversation.root_id,
        system_context=conversation.system_context,
        created_at=created_at,
        updated_at=_first_known(conversation.updated_at, last_at, created_at),
        extra={IMPORTED_FROM: origin.to_json()},
    )
    tree = Tree(loom, nodes=nodes, edges=edges)
    if conversation.current_id in tree.nodes:
        tree.path = ActivePath(str(conversation.current_id))
    else:
        tree.path = ActivePath(deepest_leaf(tree, tree.root_id, tree.path))
    return Imported(tree, tuple({agent.id: agent for agent in agents.values()}.values()))


def _first_known(*moments: Milliseconds | None) -> Milliseconds:
    return next((moment for moment in moments if moment is not None), 0)


def _agents(conversation: Conversation, owner: Agent | None) -> dict[Author, Agent]:
    """The agents that wrote it, by author, in the order in which they appear."""
    agents: dict[Author, Agent] = {}
    for message in conversation.messages.values():
        author = message.author
        if author not in agents:
            yours = owner or Agent("human", "Human", "human", loom_aware=True)
            agents[author] = yours if author.id is None else Agent(author.id, author.name, author.type)
    return agents


def _rows(
    conversation: Conversation, agents: Mapping[Author, Agent], created_at: Milliseconds
) -> tuple[list[Node], list[Edge]]:
    root_id, parents = conversation.root_id, conversation.parents
    local_ids: set[str] = set()
    root = Node(
        root_id,
        _local_id(root_id, local_ids),
        Text(""),
        "human",
        _owner_id(agents),
        created_at,
        metadata=PLAIN,
    )
    hashed = hash_of(root.content, (), created_at, ("human", root.author_agent_id), None)
    root = root.completed(root.local_id, root.author_agent_id, hashed, ())
    made = {root_id: root}
    edges: list[Edge] = []
    for key in parents_first(parents):
        message = conversation.messages[key]
        above = made[parents[key] or root_id]
        at = above.created_at if message.at is None else message.at
        agent = agents[message.author]
        before = (above.content_hash,)
        made[key] = Node(
            key,
            _local_id(key, local_ids),
            message.content,
            agent.type,
            agent.id,
            at,
            hash_of(message.content, before, at, (agent.type, agent.id), None),
            before,
            None,
            message.interrupted,
            None,
            EXCLUDED if message.is_excluded else PLAIN,
            message.extra or NO_EXTRA,
        )
        edges.append(Edge(f"to-{key}", (EdgeSource(above.id),), key, "continuation", at, NO_EXTRA))
    return list(made.values()), edges


def _owner_id(agents: Mapping[Author, Agent]) -> str | None:
    return next((agent.id for author, agent in agents.items() if author.id is None), None)


def _local_id(key: str, taken: set[str]) -> str:
    found = next(name for name in local_ids_for(key) if name not in taken)
    taken.add(found)
    return found


def shown_id(key: str) -> str:
    """An id of a foreign file, or where it could not be shown on a line, one that is made of it."""
    if key and key.isprintable():
        return key
    return "id-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
