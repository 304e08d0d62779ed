"""Units: the path's nodes with their context sources before and their annotations after them, filtered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from loomapp.core.content import Text
from loomapp.core.context.drops import Drops, reason_to_drop
from loomapp.core.context.messages import MessageRole
from loomapp.core.context.parts import Rendered, render
from loomapp.core.context.passages import Passages
from loomapp.core.paths import Path
from loomapp.core.tree import Mode, Node, Tree

ROLES: Mapping[str, MessageRole] = {"human": "user", "model": "assistant"}


@dataclass
class Placing:
    """Puts the nodes of one path into passages, every node at its first position only.

    `contexts` are the context sources by the index of the path node they decorate; `switched_on` the
    annotations that are included; `as_images` is False where images are sent as their placeholder.
    """

    tree: Tree
    path: Path
    contexts: Mapping[int, Sequence[str]]
    switched_on: Collection[str]
    as_images: bool
    passages: Passages = field(default_factory=Passages)
    drops: Drops = field(default_factory=Drops)

    @property
    def mode(self) -> Mode:
        """The tree's mode."""
        return self.tree.loom.mode

    @cached_property
    def met(self) -> set[str]:
        """The nodes that are on the path or placed already."""
        return set(self.path.node_ids)

    def place_path(self) -> None:
        """Place every node of the path, plain stretches in one go."""
        path, begin = self.path, 0
        texts = _plain_texts(path.nodes, self.mode)
        roles = [ROLES[node.author_type] for node in path.nodes]
        for index in self._special(texts):
            stretch = slice(begin, index)
            self.passages.add_units(path.node_ids[stretch], roles[stretch], texts[stretch])
            self._place(index, path.nodes[index])
            begin = index + 1
        self.passages.add_units(path.node_ids[begin:], roles[begin:], texts[begin:])

    def place_composed(self, text: str, contexts: Iterable[str]) -> None:
        """Place text from the composer as a human message at the end, with the pending context sources."""
        self.passages.begin_unit()
        self._place_contexts(contexts)
        self.passages.add_uncommitted(text, "composer")

    def place_working_buffer(self, text: str) -> None:
        """Place uncommitted text as the last part of the newest unit, or as a unit alone."""
        self.passages.unit_begins = not len(self.passages)
        self.passages.add_uncommitted(text, "workingBuffer")

    def _special(self, texts: Sequence[str]) -> list[int]:
        """Indexes of the nodes that are decorated, reached as notes, or not plain texts that are sent."""
        path = self.path
        special = {*self.contexts, *filter(path.is_note, path.joints)}
        if not all(texts):
            special.update(index for index, text in enumerate(texts) if not text)
        noted = self.tree.noted
        if noted and not noted.isdisjoint(path.node_ids):
            special.update(index for index, node_id in enumerate(path.node_ids) if node_id in noted)
        return sorted(special)

    def _place(self, index: int, node: Node) -> None:
        parts = render(node, self.mode)
        hidden = self.path.is_note(index) and node.id not in self.switched_on
        reason = reason_to_drop(node, parts, hidden_note=hidden)
        self.passages.begin_unit()
        if reason is None:
            self._place_contexts(self.contexts.get(index, ()))
            self._add(node, ROLES[node.author_type], parts)
        else:
            self.drops.add(node, reason, parts, len(self.passages))
        self._place_notes(node.id)

    def _place_contexts(self, node_ids: Iterable[str]) -> None:
        for node_id in node_ids:
            self._decorate(self.tree.nodes[node_id], "user")

    def _place_notes(self, node_id: str) -> None:
        for note_id in self.tree.notes(node_id):
            note = self.tree.nodes.get(note_id)
            if note is not None:
                self._decorate(note, ROLES[note.author_type], hidden=note_id not in self.switched_on)

    def _decorate(self, node: Node, role: MessageRole, *, hidden: bool = False) -> None:
        if node.id in self.met:
            return
        parts = render(node, self.mode)
        reason = reason_to_drop(node, parts, hidden_note=hidden)
        if reason is None:
            self.met.add(node.id)
            self._add(node, role, parts)
        else:
            self.drops.add(node, reason, parts, len(self.passages))

    def _add(self, node: Node, role: MessageRole, parts: Iterable[Rendered]) -> None:
        as_image = self.as_images and role == "user"
        for part in parts:
            self.passages.add(node.id, role, part.text, image=part.image if as_image else None)


def _plain_texts(nodes: Iterable[Node], mode: Mode) -> list[str]:
    """The text of every node that is an unflagged text and nothing else; an empty string for the others."""
    texts = [
        content.text
        if type(content := node.content) is Text
        and not ((metadata := node.metadata).pruned or metadata.excluded)
        else ""
        for node in nodes
    ]
    return texts if mode == "buffer" else list(map(str.strip, texts))
