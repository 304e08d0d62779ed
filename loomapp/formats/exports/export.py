"""Exports: a tree with its path and agents, what of it is wanted, and its branches in written order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeAlias

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import read_branch
from loomapp.core.economy.calls import Calls
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node, message_text, verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import parent
from loomapp.core.times import iso_time

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
    beginning goes out: so many nodes. `calls` tell the models behind answers, and where a limit cut them.
    """

    tree: Tree
    agents: Sequence[Agent]
    nodes: Sequence[Node]
    wanted: Wanted = Wanted()
    media: Mapping[str, bytes] = field(default_factory=dict)
    defaults: AppContextSettings = AppContextSettings()
    most: int | None = None
    calls: Calls = field(default_factory=dict)

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

    def heading(self, node: Node) -> str:
        """Return who wrote it, with a sign if it is excluded: in a text by words nothing else tells."""
        return f"{self.name(node)} (excluded)" if node.metadata.excluded else self.name(node)

    def text(self, node: Node) -> str:
        """Return what it says: of a buffer every character, of a message all that it says."""
        return verbatim(node) if self.is_buffer else message_text(node)

    def remarks(self, node: Node) -> Iterator[str]:
        """The lines about a node that are wanted: its facts, and the notes on it."""
        if self.wanted.metadata:
            marks = node.metadata
            facts = [node.local_id, iso_time(node.created_at), self.name(node), *self._written(node)]
            facts += [
                word for word, is_so in (("excluded", marks.excluded), ("pruned", marks.pruned)) if is_so
            ]
            facts += [f"bookmark {marks.bookmark_label or ''}".strip()] if marks.bookmarked else []
            facts += self._branch(node)
            facts += self._tags.get(node.id, ())
            yield " · ".join(facts)
        if self.wanted.annotations:
            notes = (self.tree.nodes[one] for one in self.tree.notes(node.id) if one in self.tree.nodes)
            for note in notes:
                if not note.metadata.pruned and (self.wanted.excluded or not note.metadata.excluded):
                    yield f"Note: {note.text}"

    def _written(self, node: Node) -> Iterator[str]:
        """The model that wrote it, and why it ends before its end."""
        call = self.calls.get(node.id)
        if call is not None and (model := call.model.partition(":")[2] or call.returned):
            yield model
        if node.interrupted is not None:
            yield f"broken off: {node.interrupted.reason}"
        elif call is not None and node.id in call.cut:
            yield "cut at its limit"

    def _branch(self, node: Node) -> Iterator[str]:
        """The name of the branch that begins with it."""
        row = None if node.id == self.tree.root_id else self.tree.branch_summaries.get(node.id)
        title = "" if row is None else " ".join((read_branch(row).title or "").split())
        if title:
            yield f"branch {title}"

    @cached_property
    def _tags(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for tag in self.tree.tags.values():
            for node_id in tag.node_ids:
                found.setdefault(node_id, []).append(f"#{tag.name}")
        return found

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


MOST_NESTED = 60  # branches within each other; deeper ones are written after all others


class Begin(NamedTuple):
    """A branch begins: its number among its siblings, what it continues, and whether it is the one read."""

    number: int
    of: int
    above: str | None
    is_active: bool


class SaidNode(NamedTuple):
    """A node of the branch that has begun."""

    node_id: str
    is_active: bool


class End(NamedTuple):
    """The branch that began last ends."""


class Later(NamedTuple):
    """A branch that is nested too deep here, and is written after all others."""

    node_id: str


Step: TypeAlias = Begin | SaidNode | End | Later


def steps(tree: Tree) -> Iterator[Step]:
    """Walk through what is not pruned, siblings in their order. Nodes without a fork follow each other. Who
    takes only the first steps has not waited for the others.
    """
    roots = _roots(tree)
    active = active_nodes(tree)
    waiting: deque[str] = deque()
    for number, root in enumerate(roots, 1):
        if len(roots) > 1:
            yield Begin(number, len(roots), None, root in active)
        yield from _from(tree, root, active, waiting)
        if len(roots) > 1:
            yield End()
    while waiting:
        node_id = waiting.popleft()
        yield Begin(1, 1, parent(tree, node_id), node_id in active)
        yield from _from(tree, node_id, active, waiting)
        yield End()


def _from(tree: Tree, first: str, active: frozenset[str], waiting: deque[str]) -> Iterator[Step]:
    """The branch that begins at a node, with those within it."""
    stack: list[Iterator[Step | str]] = [iter([first])]
    while stack:
        at = next(stack[-1], None)
        if at is None:
            stack.pop()
            continue
        if not isinstance(at, str):
            yield at
            continue
        yield SaidNode(at, at in active)
        below = _children(tree, at)
        while len(below) == 1:
            at = below[0]
            yield SaidNode(at, at in active)
            below = _children(tree, at)
        if len(stack) <= MOST_NESTED:
            stack.append(_branches(at, below, active))
        else:
            waiting.extend(below)
            yield from map(Later, below)


def _branches(above: str, below: Sequence[str], active: frozenset[str]) -> Iterator[Step | str]:
    """Branches that continue a node, each between its beginning and its end."""
    for number, node_id in enumerate(below, 1):
        yield Begin(number, len(below), above, node_id in active)
        yield node_id
        yield End()


def _children(tree: Tree, node_id: str) -> Sequence[str]:
    """The nodes that are read after a node, in the order in which they were made."""
    plain = tree.plain_parents
    below = tree.living_children(node_id)
    found = [it for it in dict.fromkeys(below) if (plain.get(it) or parent(tree, it)) == node_id]
    return sorted(found, key=tree.node_places.__getitem__)


def _roots(tree: Tree) -> Sequence[str]:
    """The nodes that the tree begins with: notes are none, and only its root may stand alone."""
    plain = tree.plain_parents
    return [
        node_id
        for node_id in tree.nodes
        if node_id not in plain
        and not tree.incoming(node_id)
        and not tree.annotation_edges_into(node_id)
        and (tree.children(node_id) or node_id == tree.root_id)
    ]


def active_nodes(tree: Tree) -> frozenset[str]:
    """The nodes of the path that was read last."""
    plain = tree.plain_parents
    found: set[str] = set()
    at: str | None = tree.path.leaf_id
    while at is not None and at not in found:
        found.add(at)
        at = plain.get(at) or parent(tree, at)
    return frozenset(found)
