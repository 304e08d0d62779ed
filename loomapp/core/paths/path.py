"""A way: nodes in an order, and where each stands; a path is one through a tree. What two have in common."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loomapp.core.model.entities import Edge, Node
from loomapp.core.sequences import common_end, common_length

Origins = tuple[tuple[tuple[str, ...], int], ...]  # nodes of another way, and how many of these are the same


@dataclass(frozen=True, slots=True)
class NodeSequence:
    """Nodes in an order, each once, and where each stands.

    `places` is shared by ways that have much in common, so that it may name others too: ask `place_of`.
    `made_from` are ways that this one was made from, by which `shared_length` need not compare them.
    """

    node_ids: tuple[str, ...]
    places: Mapping[str, int] = field(repr=False, compare=False)
    made_from: Origins = field(default=(), repr=False, compare=False, kw_only=True)

    def place_of(self, node_id: str) -> int | None:
        """The index of a node; None if it is not on the path."""
        place = self.places.get(node_id)
        is_here = place is not None and place < len(self.node_ids) and self.node_ids[place] == node_id
        return place if is_here else None

    def __contains__(self, node_id: object) -> bool:
        return isinstance(node_id, str) and self.place_of(node_id) is not None


@dataclass(frozen=True, slots=True)
class Path(NodeSequence):
    """A walk from a start to a node: the nodes in that order, each once.

    `joints` are the edges on it that say more than "this continues that": those with several sources, and
    annotation edges. They are keyed by the index of the node they lead to, in ascending order.
    """

    nodes: tuple[Node, ...]
    joints: Mapping[int, Edge]

    def is_note(self, index: int) -> bool:
        """True for a node that the path reaches through an annotation edge."""
        edge = self.joints.get(index)
        return edge is not None and edge.type == "annotation"

    def beginning(self, length: int) -> Path:
        """The path to its node number `length`."""
        if length == len(self.node_ids):
            return self
        joints = {place: edge for place, edge in self.joints.items() if place < length}
        nodes = self.nodes[:length]
        return Path(self.node_ids[:length], self.places, nodes, joints, made_from=origins(self, length))


def origins(way: NodeSequence, length: int) -> Origins:
    """Return the ways that a new way is made from, which begins with so many nodes of another."""
    earlier = ((node_ids, min(same, length)) for node_ids, same in way.made_from[:1])
    return (way.node_ids, length), *earlier


def node_sequence(node_ids: Iterable[str]) -> NodeSequence:
    """Nodes as a way."""
    ordered = tuple(node_ids)
    return NodeSequence(ordered, dict(zip(ordered, itertools.count(), strict=False)))


def shared_length(a: NodeSequence, b: NodeSequence) -> int:
    """Count the nodes that two ways have in common at their beginning. Of a way that was made from the other
    only the rest is compared: to look at a hundred thousand names for one that is new takes long.
    """
    pairs = ((a.made_from, b.node_ids), (b.made_from, a.node_ids))
    known = [same for origins, other in pairs for node_ids, same in origins if node_ids is other]
    return common_length(a.node_ids, b.node_ids, max(known, default=0))


def apart(a: NodeSequence, b: NodeSequence) -> tuple[int, int]:
    """Count the nodes that two ways have in common at their beginning, and of the others at their end."""
    head = shared_length(a, b)
    return head, common_end(a.node_ids, b.node_ids, min(len(a.node_ids), len(b.node_ids)) - head)
