"""Exports: a tree with its path and agents, and what of it is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node, message_text, verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.times import iso_time
from loomapp.formats.exports.branches import Begin, End, SaidNode, Step, active_nodes, steps

UNKNOWN = {"human": "You", "model": "Model"}
WINDOW = 128_000  # tokens, as `loomapp assemble` counts where nothing else is said


@dataclass(frozen=True, slots=True)
class Wanted:
    """Choice of what goes out of a tree. With `branches` the whole tree, where a format can hold it."""

    excluded: bool = True
    annotations: bool = False
    metadata: bool = False
    speakers: bool = True
    system: bool = True
    branches: bool = False


@dataclass(frozen=True)
class Export:
    """A tree on its way out. `nodes` are its path, or those that were chosen, in order; `media` bytes of
    images by their SHA-256; `defaults` the settings that what is sent is assembled by. With `most` only the
    beginning goes out: so many nodes.
    """

    tree: Tree
    agents: Sequence[Agent]
    nodes: Sequence[Node]
    wanted: Wanted = Wanted()
    media: Mapping[str, bytes] = field(default_factory=dict)
    defaults: AppContextSettings = AppContextSettings()
    most: int | None = None

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
            notes = (self.tree.nodes[one] for one in self.tree.notes(node.id) if one in self.tree.nodes)
            for note in notes:
                if not note.metadata.pruned and (self.wanted.excluded or not note.metadata.excluded):
                    yield f"Note: {note.text}"

    def path(self) -> Iterator[Node]:
        """The nodes of the path that go out."""
        return islice((node for node in self.nodes if self.is_wanted(node)), self.most)

    def _one_line(self) -> Iterator[Step]:
        active = active_nodes(self.tree)
        return (SaidNode(node.id, node.id in active) for node in self.nodes)

    def steps(self) -> Iterator[Step]:
        """The nodes that go out, with the branches that they stand in if all of them do."""
        left = len(self.tree.nodes) if self.most is None else self.most
        depth = 0
        for step in steps(self.tree) if self.wanted.branches else self._one_line():
            if not isinstance(step, SaidNode):
                depth += isinstance(step, Begin) - isinstance(step, End)
                yield step
            elif self.is_wanted(self.tree.nodes[step.node_id]):
                if not left:
                    yield from [End()] * depth
                    return
                left -= 1
                yield step
