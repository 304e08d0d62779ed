"""Exports: a tree with its path and agents, and what of it is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node, message_text, verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.times import iso_time

UNKNOWN = {"human": "You", "model": "Model"}
WINDOW = 128_000  # tokens, as `loomapp assemble` counts where nothing else is said


@dataclass(frozen=True, slots=True)
class Wanted:
    """Choice of what goes out of a tree. With `branches` the whole tree, where a format has a choice."""

    excluded: bool = True
    annotations: bool = False
    metadata: bool = False
    speakers: bool = True
    branches: bool = False


@dataclass(frozen=True)
class Export:
    """A tree on its way out. `nodes` are its path in order, `media` bytes of images by their SHA-256,
    `defaults` the settings that what is sent is assembled by.
    """

    tree: Tree
    agents: Sequence[Agent]
    nodes: Sequence[Node]
    wanted: Wanted = Wanted()
    media: Mapping[str, bytes] = field(default_factory=dict)
    defaults: AppContextSettings = AppContextSettings()

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {agent.id: " ".join(agent.name.split()) for agent in self.agents}

    @property
    def is_buffer(self) -> bool:
        return self.tree.loom.mode == "buffer"

    def is_wanted(self, node: Node) -> bool:
        """Tell whether a node goes out; an empty root is no message."""
        if self.tree.is_empty_root(node.id):
            return False
        return self.wanted.excluded or not node.metadata.excluded

    def name(self, node: Node) -> str:
        """Return who wrote it."""
        return self._names.get(node.author_agent_id or "", UNKNOWN[node.author_type])

    def text(self, node: Node) -> str:
        """Return what it says: of a buffer every character, of a message all that it says."""
        return verbatim(node) if self.is_buffer else message_text(node)

    def remarks(self, node: Node) -> Iterator[str]:
        """The lines about a node that are wanted: its facts, and the notes on it."""
        if self.wanted.metadata:
            marks = node.metadata
            facts = [node.local_id, iso_time(node.created_at), self.name(node)]
            facts += [
                word for word, is_so in (("excluded", marks.excluded), ("pruned", marks.pruned)) if is_so
            ]
            facts += [f"bookmark {marks.bookmark_label or ''}".strip()] if marks.bookmarked else []
            yield " · ".join(facts)
        if self.wanted.annotations:
            for note_id in self.tree.notes(node.id):
                yield f"Note: {self.tree.nodes[note_id].text}"

    def path(self) -> Iterator[Node]:
        """The nodes of the path that go out."""
        return (node for node in self.nodes if self.is_wanted(node))
