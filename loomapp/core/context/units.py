"""Units: the path's nodes with their context sources before and their annotations after them, filtered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from loomapp.core.content import Text
from loomapp.core.context.messages import MessageRole
from loomapp.core.context.parts import Rendered, render, tokens
from loomapp.core.context.passages import Passages
from loomapp.core.context.report import REASONS, Dropped, Reason
from loomapp.core.paths import Path, node_not_found
from loomapp.core.tree import Edge, Mode, Node, Tree

END = 1 << 60  # the position of what has none among the parts


@dataclass(slots=True)
class Gathered:
    """All units of a path, and what the filter left out."""

    passages: Passages = field(default_factory=Passages)
    dropped: dict[str, tuple[int, Dropped]] = field(default_factory=dict)  # with the part it stood before

    def drop(self, node: Node, reason: Reason, cost: int, at: int = END) -> None:
        """Note that a node is left out; of several reasons for one node the foremost counts."""
        before = self.dropped.get(node.id)
        if before is None:
            self.dropped[node.id] = at, Dropped(node.id, reason, cost)
        elif REASONS.index(reason) < REASONS.index(before[1].reason):
            self.dropped[node.id] = before[0], replace(before[1], reason=reason)


def reason_to_drop(node: Node, parts: tuple[Rendered, ...], *, hidden_note: bool = False) -> Reason | None:
    """Why the filter leaves a node out, or None. `hidden_note`: an annotation that is not switched on."""
    if node.metadata.pruned:
        return "pruned"
    if node.metadata.excluded:
        return "excluded"
    if hidden_note:
        return "annotation"
    return None if parts else "empty"


def edge_sources(tree: Tree, path: Path) -> list[tuple[int, Edge]]:
    """The edges of a path with more than one source, each with the index of the node it leads to.

    Raises: AssemblyError NODE_NOT_FOUND if one of their context or instruction sources is not in the tree.
    """
    found = [(i, edge) for i, edge in enumerate(path.edges) if edge is not None and len(edge.sources) > 1]
    for _, edge in found:
        for source in edge.sources:
            if source.role != "primary" and source.node_id not in tree.nodes:
                raise node_not_found(source.node_id)
    return found


@dataclass(slots=True)
class Placing:
    """Puts the nodes of one path into passages. Node ids are placed at their first position only."""

    tree: Tree
    mode: Mode
    path: Path
    contexts: dict[int, list[str]]  # index on the path -> context sources that decorate this node
    switched_on: Collection[str]  # annotations that are included
    gathered: Gathered = field(default_factory=Gathered)
    seen: set[str] = field(init=False)  # on the path, or placed already

    def __post_init__(self) -> None:
        self.seen = set(self.path.node_ids)

    def place_all(self) -> None:
        """Place every node of the path; plain stretches in one go."""
        nodes = [self.tree.nodes[node_id] for node_id in self.path.node_ids]
        texts = _plain_texts(nodes, keep_space=self.mode == "buffer")
        begin = 0
        for index in self._special(texts):
            self._place_plain(nodes[begin:index], texts[begin:index])
            self._place(index, nodes[index])
            begin = index + 1
        self._place_plain(nodes[begin:], texts[begin:])

    def _special(self, texts: Sequence[str]) -> list[int]:
        """Indexes of nodes that are decorated, filtered, or more than a text."""
        path = self.path
        special = {i for i, text in enumerate(texts) if not text}
        special.update(self.contexts)
        special.update(
            i for i, edge in enumerate(path.edges) if edge is not None and edge.type == "annotation"
        )
        special.update(i for i, node_id in enumerate(path.node_ids) if self.tree.notes(node_id))
        return sorted(special)

    def _place_plain(self, nodes: Sequence[Node], texts: Sequence[str]) -> None:
        roles = [_role(node) for node in nodes]
        self.gathered.passages.add_units([node.id for node in nodes], roles, texts)

    def _place(self, index: int, node: Node) -> None:
        edge = self.path.edges[index]
        by_annotation = edge is not None and edge.type == "annotation"
        parts = render(node, self.mode)
        hidden = by_annotation and node.id not in self.switched_on
        reason = reason_to_drop(node, parts, hidden_note=hidden)
        passages = self.gathered.passages
        passages.begin_unit()
        if reason is None:
            self._place_contexts(self.contexts.get(index, ()))
            self._add(node, _role(node), parts)
        else:
            self.gathered.drop(node, reason, tokens(parts), len(passages))
        self._place_notes(node.id)
        passages.end_unit()

    def _place_contexts(self, node_ids: Iterable[str]) -> None:
        for node_id in node_ids:
            if node_id not in self.seen:
                self._place_decoration(self.tree.nodes[node_id], "user")

    def _place_notes(self, node_id: str) -> None:
        for note_id in self.tree.notes(node_id):
            note = self.tree.nodes.get(note_id)
            if note is not None and note_id not in self.seen:
                self._place_decoration(note, _role(note), hidden=note_id not in self.switched_on)

    def _place_decoration(self, node: Node, role: MessageRole, *, hidden: bool = False) -> None:
        parts = render(node, self.mode)
        reason = reason_to_drop(node, parts, hidden_note=hidden)
        if reason is None:
            self.seen.add(node.id)
            self._add(node, role, parts)
        else:
            self.gathered.drop(node, reason, tokens(parts), len(self.gathered.passages))

    def _add(self, node: Node, role: MessageRole, parts: Iterable[Rendered]) -> None:
        as_image = role == "user" and self.mode == "dialogue"
        for part in parts:
            self.gathered.passages.add(node.id, role, part.text, image=part.image if as_image else None)

    def place_uncommitted(self, text: str, contexts: Iterable[str]) -> None:
        """Place text from the composer as a human message at the end, with the pending context sources."""
        self.gathered.passages.begin_unit()
        self._place_contexts(contexts)
        self.gathered.passages.add(None, "user", text, kind="composer")

    def place_working_buffer(self, text: str) -> None:
        """Place uncommitted text as the last part of the newest unit."""
        passages = self.gathered.passages
        if not passages.starts:
            passages.begin_unit()
        passages.add(None, "user", text, kind="workingBuffer")


def _plain_texts(nodes: Iterable[Node], *, keep_space: bool) -> list[str]:
    """The text of every node that is nothing but an unflagged text, else an empty string."""
    return [
        (node.content.text if keep_space else node.content.text.strip())
        if isinstance(node.content, Text) and not (node.metadata.pruned or node.metadata.excluded)
        else ""
        for node in nodes
    ]


def _role(node: Node) -> MessageRole:
    return "user" if node.author_type == "human" else "assistant"
