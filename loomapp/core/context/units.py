"""Units: a path's nodes with context sources and annotations; and nodes left out before, with reasons."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import takewhile
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from loomapp.core.context.messages import ImagePart, MessageRole, Rendered, render
from loomapp.core.context.passages import ContextPassages, Described, columns_of
from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Withheld
from loomapp.core.model.entities import ROLES, Mode, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator

CoveredReason: TypeAlias = Literal["summarised", "branch_summarised"]
Reason: TypeAlias = Literal[
    "pruned", "excluded", "annotation", "empty", "instruction_without_system", "truncated", "summarised",
    "branch_summarised",
]  # fmt: skip

# A node can play several parts (context here, instruction there); of its reasons the first of these is told.
FILTER_REASONS: tuple[Reason, ...] = (
    "pruned",
    "excluded",
    "annotation",
    "empty",
    "instruction_without_system",
)
AT_THE_END = 1 << 60


class Dropped(NamedTuple):
    """A node that is not sent; `tokens` is what it would have cost by itself."""

    node_id: str
    reason: Reason
    tokens: int


@dataclass(slots=True)
class Drops:
    """Nodes that the filter left out, by id, each with the index of the part it would have stood before."""

    by_id: dict[str, tuple[int, Dropped]] = field(default_factory=dict)
    estimator: TokenEstimator = BY_CHARACTERS

    def add(self, node: Node, reason: Reason, parts: Sequence[Rendered], before: int = AT_THE_END) -> None:
        """Note that a node is left out; of several reasons for one node the foremost counts."""
        noted = self.by_id.get(node.id)
        if noted is None:
            tokens = sum(self.estimator.of(part.text) for part in parts)
            self.by_id[node.id] = before, Dropped(node.id, reason, tokens)
        elif FILTER_REASONS.index(reason) < FILTER_REASONS.index(noted[1].reason):
            self.by_id[node.id] = noted[0], noted[1]._replace(reason=reason)

    def moved(self, parts: int) -> Drops:
        """Return these where so many parts before the others are covered; what was among those is below 0."""
        if not parts:
            return self
        moved = {key: (before - parts, dropped) for key, (before, dropped) in self.by_id.items()}
        return Drops(moved, self.estimator)


def reason_to_drop(node: Node, parts: Sequence[Rendered], *, hidden_note: bool = False) -> Reason | None:
    """Return why the filter leaves a node out, or None. `hidden_note`: an annotation that is not
    switched on.
    """
    if node.metadata.pruned:
        return "pruned"
    if node.metadata.excluded:
        return "excluded"
    if hidden_note:
        return "annotation"
    return None if parts else "empty"


@dataclass(frozen=True, slots=True)
class PathStretch:
    """Neighbours on the path that are neighbours among the parts, one part each: from which place on the path
    to before which, and the index of the first part.
    """

    begin: int
    end: int
    part: int


@dataclass(frozen=True, slots=True)
class Covered:
    """The beginning of a context that a summary stands for: the path before `places`, and all parts that went
    with it, each said by one of `node_ids` at a cost in `tokens`. `beside` are those not on the path.
    """

    reason: CoveredReason
    places: int
    beside: Sequence[str]
    node_ids: Sequence[str | None]
    tokens: Sequence[int]

    def tokens_by_node(self) -> dict[str, int]:
        """Return the costs of its parts, by node, in order."""
        costs: dict[str, int] = {}
        for node_id, cost in zip(self.node_ids, self.tokens, strict=True):
            if node_id is not None:
                costs[node_id] = costs.get(node_id, 0) + cost
        return costs


@dataclass(frozen=True, slots=True)
class Placed:
    """Parts of a context in their places: the path in `stretches`, and the `parts` of every other node that
    says something. What a summary covers is not among them.
    """

    path: Path
    drops: Drops
    stretches: Sequence[PathStretch]
    parts: Mapping[str, range]
    covered: Covered | None = None

    def first_part(self, node_id: str) -> int | None:
        """The index of the first part that a node says; None if it says nothing."""
        others, place = self.parts.get(node_id), self.path.place_of(node_id)
        if others is not None:
            return others.start if others else None
        if place is None:
            return None
        number = bisect_right(self.stretches, place, key=lambda stretch: stretch.begin) - 1
        stretch = self.stretches[number] if number >= 0 else None
        return None if stretch is None or place >= stretch.end else stretch.part + place - stretch.begin


@dataclass()
class Placing:
    """Puts the nodes of one path into passages, every node at its first position only.

    `contexts` are the context sources by the index of the path node they decorate; `switched_on` the
    annotations that are included; `as_images` is False where the model takes no images, and `withheld` are
    those that cannot be sent whatever it takes.
    """

    tree: Tree
    path: Path
    contexts: Mapping[int, Sequence[str]]
    switched_on: Collection[str]
    as_images: bool
    withheld: Mapping[str, Withheld] = field(default_factory=dict)
    passages: ContextPassages = field(default_factory=ContextPassages)
    drops: Drops = field(default_factory=Drops)
    stretches: list[PathStretch] = field(default_factory=list)
    parts: dict[str, range] = field(default_factory=dict)
    specials: list[tuple[int, int]] = field(default_factory=list)  # places not in a stretch, and their part
    _met: set[str] = field(default_factory=set)  # decorations that were placed

    @property
    def mode(self) -> Mode:
        return self.tree.loom.mode

    def place_path(self) -> None:
        """Place every node of the path, plain stretches in one go."""
        begin, columns = 0, columns_of(self.tree, self.path.nodes)
        length = len(self.path.node_ids)
        for index in [*self._special(columns.others), length]:
            if begin < index:
                self.stretches.append(PathStretch(begin, index, len(self.passages)))
                self.passages.add_units(self.path.node_ids, columns, slice(begin, index))
            if index < length:
                self.specials.append((index, len(self.passages)))
                self._place(index, self.path.nodes[index])
            begin = index + 1
        self.specials.append((length, len(self.passages)))

    @property
    def placed(self) -> Placed:
        return Placed(self.path, self.drops, self.stretches, self.parts)

    def part_at(self, place: int) -> int:
        """The index of the first part of the unit at a place of the path, or of what comes next if that unit
        says nothing; at the end of the path of what is no node yet.
        """
        number = bisect_left(self.specials, place, key=itemgetter(0))
        special, part = self.specials[number]
        return part - (special - place)

    def place_composed(self, parts: Iterable[Rendered], contexts: Iterable[str]) -> None:
        """Place what the composer holds as a human message at the end, with the pending context sources."""
        self.passages.begin_unit()
        self._place_contexts(contexts)
        for part in parts:
            self.passages.kinds[len(self.passages)] = "composer"
            self._add_part(None, "user", part)

    def place_buffer_to_come(self, text: str, contexts: Iterable[str]) -> None:
        """Place uncommitted text as the node that it will be, with the pending context sources before it."""
        self.passages.begin_unit()
        self._place_contexts(contexts)
        self.passages.add_uncommitted(text, "workingBuffer")

    def place_working_buffer(self, text: str) -> None:
        """Place uncommitted text as the last part of the newest unit, or as a unit alone."""
        self.passages.unit_begins = not len(self.passages)
        self.passages.add_uncommitted(text, "workingBuffer")

    def _special(self, others: Iterable[int]) -> list[int]:
        """Indexes of the nodes that are decorated, reached as notes, or not plain texts that are sent."""
        path, noted = self.path, self.tree.noted
        special = {*self.contexts, *filter(path.is_note, path.joints)}
        special.update(takewhile(len(path.node_ids).__gt__, others))
        if len(noted) < len(path.node_ids):
            special.update(place for node_id in noted if (place := path.place_of(node_id)) is not None)
        else:
            special.update(place for place, node_id in enumerate(path.node_ids) if node_id in noted)
        return sorted(special)

    def _place(self, index: int, node: Node) -> None:
        parts = render(node, self.mode)
        hidden = self.path.is_note(index) and node.id not in self.switched_on
        reason = reason_to_drop(node, parts, hidden_note=hidden)
        self.passages.begin_unit()
        if reason is None:
            self._place_contexts(self.contexts.get(index, ()))
            self._add(node, node.role or ROLES[node.author_type], parts)
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
                role = note.role or ROLES[note.author_type]
                self._decorate(note, role, hidden=note_id not in self.switched_on)

    def _decorate(self, node: Node, role: MessageRole, *, hidden: bool = False) -> None:
        if node.id in self._met or node.id in self.path:
            return
        parts = render(node, self.mode)
        reason = reason_to_drop(node, parts, hidden_note=hidden)
        if reason is None:
            self._met.add(node.id)
            self._add(node, role, parts)
        else:
            self.drops.add(node, reason, parts, len(self.passages))

    def _add(self, node: Node, role: MessageRole, parts: Iterable[Rendered]) -> None:
        begin = len(self.passages)
        for part in parts:
            self._add_part(node.id, role, part)
        self.parts[node.id] = range(begin, len(self.passages))

    def _add_part(self, node_id: str | None, role: MessageRole, part: Rendered) -> None:
        """An image goes as one in a user's message of a dialogue, if it can; else its text stands for it."""
        why: Described | None = None
        if part.image is not None:
            why = self._why_described(part.image, role)
        self.passages.add(node_id, role, part.text, image=None if why else part.image, described=why)

    def _why_described(self, image: ImagePart, role: MessageRole) -> Described | None:
        if role != "user" or self.mode == "buffer":
            return "words"
        return self.withheld.get(image.ref) if self.as_images else "model"
