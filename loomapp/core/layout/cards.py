"""Cards of a graph and the way they hang together: families, versions, notes, loose sources; their arrays."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.documents import is_loose_document
from loomapp.core.model.change import RowChange
from loomapp.core.model.entities import Edge, LoomTree, Node, Row
from loomapp.core.model.tree import Tree

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.integer[Any]]
Flags: TypeAlias = NDArray[np.bool_]


Families: TypeAlias = Mapping[
    str | None, Sequence[str]
]  # card -> cards in the next column; None: first column
ReferenceKind: TypeAlias = Literal["note", "context", "instruction", "primary"]


class Reference(NamedTuple):
    """A line between two cards that is not the continuation the layout follows."""

    source: str
    target: str
    kind: ReferenceKind


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The cards of a tree. A card goes by the id of its node; a stack of versions by that of its oldest.

    `asides` are the cards that stand beside another one, and that one: in its column, right after it, notes
    under what they are about, loose sources under what they were used with. No edge leads to them from the
    left, and parents are not centred on them.
    """

    families: Families
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # stacks only; oldest first
    asides: Mapping[str, str] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    cards: Mapping[str, str] = field(default_factory=dict)  # for members of stacks: the card they are on

    def card_of(self, node_id: str) -> str:
        """The card a node is on, whether it is its face or not."""
        return self.cards.get(node_id, node_id)


def arrange(tree: Tree, *, show_pruned: bool = False) -> Arrangement:
    """The cards of a tree, every node on one, siblings in order of creation, damaged data included.

    Pruned nodes are left out unless `show_pruned`, or something below them is not pruned.
    """
    return _Arranger(tree).arrange(show_pruned)


def moving_cards(rows: Iterable[RowChange]) -> list[RowChange]:
    """Return the rows whose change may put cards elsewhere. An edge in whose place another one comes between
    the same nodes has no say: the order of ways is looked at anyway.
    """
    moving = [row for row in rows if _moves_cards(row.before, row.after)]
    came = [row.after for row in moving if row.before is None and isinstance(row.after, Edge)]
    went = [row.before for row in moving if row.after is None and isinstance(row.before, Edge)]
    same = {*map(_ends, came)} & {*map(_ends, went)} if came and went else set()
    return [r for r in moving if not isinstance(r.row, Edge) or _ends(r.row) not in same] if same else moving


def _ends(edge: Edge) -> tuple[object, ...]:
    return edge.type, edge.target_id, *((source.node_id, source.role) for source in edge.sources)


def _moves_cards(before: Row | None, after: Row | None) -> bool:
    match before, after:
        case Node(), Node():
            return before.metadata.pruned != after.metadata.pruned
        case LoomTree(), LoomTree():
            return (before.root_id, before.mode) != (after.root_id, after.mode)
    return isinstance(before if after is None else after, Node | Edge | LoomTree)


Place: TypeAlias = tuple[str | None, int]


def place_of(tree: Tree, node_id: str, known: dict[str, Place] | None = None) -> Place:
    """Return the text that a node goes on from, whichever version of that, and which part of its own text it
    is, from 0: parts of a text stand one after the other. `known` gains what was found.
    """
    known, begun, waiting = {} if known is None else known, set[str](), [node_id]
    while waiting:
        current = waiting[-1]
        before = _continued(tree, next(iter(tree.incoming(current)), None))
        is_part = bool(before) and tree.family(before[0]) == tree.family(current)
        begun.add(current)
        missing = [i for i in before if i not in known and i not in begun] if is_part else []
        if missing:
            waiting += missing
            continue
        waiting.pop()
        if is_part:
            text_id, number = known.get(_last_part(before, known), (None, 0))
            known[current] = text_id, number + 1
        else:
            known[current] = tree.family(before[0]) if before else None, 0
    return known[node_id]


def _continued(tree: Tree, edge: Edge | None) -> list[str]:
    """Return the first listed primary source of an edge, and others that are versions of it or its parts."""
    primaries = [i for i in edge.with_role("primary") if i in tree.nodes] if edge is not None else []
    if len(primaries) < 2:
        return primaries
    family = tree.family(primaries[0])
    return [node_id for node_id in primaries if tree.family(node_id) == family]


def _last_part(sources: Sequence[str], places: Mapping[str, Place]) -> str:
    """Return the first of some sources; where that was split since, the newest of its later parts."""
    place = places.get(sources[0])
    return next((i for i in reversed(sources) if places.get(i) != place), sources[0])


def breadth_first(families: Families) -> list[str]:
    """Return all cards that can be reached from the first column, level by level."""
    order = list(families.get(None, ()))
    for key in order:  # grows while it is walked
        order.extend(families.get(key, ()))
    return order


class _Arranger:
    """One arranging: parents, then stacks, then families, then what stands beside them."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.parents: dict[str, str] = {}  # along the first continuation edge, see `_last_part`
        self._places: dict[str, Place] = {}
        self.beside: dict[str, str] = {}  # asides -> the node they stand under
        self.references: list[Reference] = []
        self.cards: dict[str, str] = {}
        self.versions: dict[str, tuple[str, ...]] = {}

    def arrange(self, show_pruned: bool) -> Arrangement:
        shared = self._read_edges()
        self._stack_versions(shared)
        families, asides = self._families()
        if not show_pruned:
            self._hide_pruned(families)
        return Arrangement(families, self.versions, asides, self._card_references(), self.cards)

    def _card(self, node_id: str) -> str:
        return self.cards.get(node_id, node_id)

    def _read_edges(self) -> set[str]:
        """Fill parents, asides and references; returns the nodes that share an edge as versions."""
        nodes, shared = self.tree.nodes, set()
        for edge in self.tree.edges.values():
            if edge.type == "continuation" and edge.target_id in nodes:
                if len(edge.sources) == 1:
                    source = edge.sources[0].node_id
                    if source in nodes:
                        self.parents.setdefault(edge.target_id, source)
                else:
                    shared |= self._read_sources(edge)
        for edge in self.tree.edges.values():
            if edge.type == "annotation" and edge.target_id in nodes:
                self._read_note(edge)
        return shared

    def _read_sources(self, edge: Edge) -> set[str]:
        primaries = [node_id for node_id in edge.with_role("primary") if node_id in self.tree.nodes]
        if not primaries:
            return set()
        first, *others = primaries
        versions = _continued(self.tree, edge)
        if len(versions) > 1:
            for node_id in versions:
                place_of(self.tree, node_id, self._places)
        self.parents.setdefault(edge.target_id, _last_part(versions, self._places))
        for source in edge.sources:
            if source.role != "primary" and source.node_id in self.tree.nodes:
                self.references.append(Reference(source.node_id, edge.target_id, source.role))
                if not self.tree.incoming(source.node_id) and source.node_id != self.tree.root_id:
                    self.beside.setdefault(source.node_id, first)
        self.references.extend(
            Reference(node_id, edge.target_id, "primary") for node_id in others if node_id not in versions
        )
        return {*versions} if len(versions) > 1 else set()

    def _read_note(self, edge: Edge) -> None:
        for source in edge.sources:
            if source.node_id in self.tree.nodes:
                self.references.append(Reference(source.node_id, edge.target_id, "note"))
                if edge.target_id not in self.parents and edge.target_id != self.tree.root_id:
                    self.beside[edge.target_id] = source.node_id
                return

    def _stack_versions(self, shared: set[str]) -> None:
        """Stack versions: in buffers every edited text is one; in dialogues only those that share what
        follows, and those of a document, which nothing follows.
        """
        groups: dict[tuple[str, Place], list[str]] = {}
        buffer = self.tree.loom.mode == "buffer"
        for node_id, node in self.tree.nodes.items():
            versioned = node.edited_from is not None or self.tree.edits_of(node_id)
            if (versioned and (buffer or is_loose_document(self.tree, node_id))) or node_id in shared:
                place = place_of(self.tree, node_id, self._places)
                groups.setdefault((self.tree.family(node_id), place), []).append(node_id)
        for members in groups.values():
            if len(members) > 1:
                self.versions[members[0]] = tuple(members)
                self.cards.update(dict.fromkeys(members, members[0]))

    def _families(self) -> tuple[dict[str | None, list[str]], dict[str, str]]:
        families: dict[str | None, list[str]] = {None: [self._card(self.tree.root_id)]}
        placed = {self._card(self.tree.root_id)}
        after: dict[str, list[str]] = {}
        parents, cards = self.parents, self.cards
        for edge in self.tree.edges.values():
            node_id = edge.target_id
            if node_id in parents and edge.type == "continuation":
                card, parent = cards.get(node_id, node_id), parents[node_id]
                parent = cards.get(parent, parent)
                if card not in placed and card != parent:
                    placed.add(card)
                    families.setdefault(parent, []).append(card)
        for node_id, beside in self.beside.items():
            card, host = self._card(node_id), self._card(beside)
            if card not in placed and card != host:
                placed.add(card)
                after.setdefault(host, []).append(card)
        asides = {card: host for host, cards in after.items() for card in cards}
        families[None].extend(c for n in self.tree.nodes if (c := self._card(n)) not in placed)
        families[None] = list(dict.fromkeys(families[None]))
        if after:
            families = {key: _with_asides(members, after) for key, members in families.items()}
        self._rescue(families, after)
        return families, asides

    def _rescue(self, families: dict[str | None, list[str]], after: Mapping[str, Sequence[str]]) -> None:
        """Give what hangs in a circle (damaged data) a place in the first column: no text goes unseen."""
        reached = set(breadth_first(families))
        listed = {member for members in families.values() for member in members}
        for card in dict.fromkeys(map(self._card, self.tree.nodes)):
            if card in reached:
                continue
            found = [card] if card in listed else _with_asides([card], after, listed)
            for members in families.values() if card in listed else ():
                if card in members:
                    members.remove(card)
            families[None].extend(found)
            listed.update(found)
            while found:
                current = found.pop()
                reached.add(current)
                found.extend(child for child in families.get(current, ()) if child not in reached)

    def _hide_pruned(self, families: dict[str | None, list[str]]) -> None:
        nodes = self.tree.nodes
        if not any(node.metadata.pruned for node in nodes.values()):
            return
        shown: set[str] = set()
        for key in reversed(breadth_first(families)):
            versions = self.versions.get(key, (key,))
            below = families.get(key, ())
            if any(child in shown for child in below) or not all(
                nodes[version].metadata.pruned for version in versions
            ):
                shown.add(key)
        shown.add(self._card(self.tree.root_id))
        for parent, members in families.items():
            families[parent] = [member for member in members if member in shown]
        for key, versions in list(self.versions.items()):
            kept = tuple(n for n in versions if not nodes[n].metadata.pruned)
            self.versions[key] = kept or versions

    def _card_references(self) -> tuple[Reference, ...]:
        carded = (Reference(self._card(s), self._card(t), kind) for s, t, kind in self.references)
        return tuple(dict.fromkeys(carded))


def _with_asides(
    members: Iterable[str], after: Mapping[str, Sequence[str]], listed: Container[str] = ()
) -> list[str]:
    """The members, each followed by what stands beside it, and by what stands beside that; each once."""
    result: dict[str, None] = {}
    pending = list(members)[::-1]
    while pending:
        key = pending.pop()
        if key not in result and key not in listed:
            result[key] = None
            pending.extend(reversed(after.get(key, ())))
    return list(result)
