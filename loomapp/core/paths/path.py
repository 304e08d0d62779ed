"""A path: nodes in an order, and where each stands; what two sequences share; circles of damaged trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from graphlib import CycleError, TopologicalSorter

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.tree import Tree


@dataclass(frozen=True, slots=True)
class NodeSequence:
    """Nodes in an order, each once, and where each stands.

    `places` is shared by ways that have much in common, so that it may name others too: ask `place_of`.
    """

    node_ids: tuple[str, ...]
    places: Mapping[str, int] = field(repr=False, compare=False)

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
        if length == len(self.node_ids):
            return self
        joints = {place: edge for place, edge in self.joints.items() if place < length}
        nodes = self.nodes[:length]
        return Path(self.node_ids[:length], self.places, nodes, joints)


def node_sequence(node_ids: Iterable[str]) -> NodeSequence:
    ordered = tuple(node_ids)
    return NodeSequence(ordered, dict(zip(ordered, itertools.count(), strict=False)))


def shared_length(a: NodeSequence, b: NodeSequence) -> int:
    return common_length(a.node_ids, b.node_ids)


def apart(a: NodeSequence, b: NodeSequence) -> tuple[int, int]:
    """Count the nodes that two ways have in common at their beginning, and of the others at their end."""
    head = shared_length(a, b)
    return head, common_end(a.node_ids, b.node_ids, min(len(a.node_ids), len(b.node_ids)) - head)


def circle_in(tree: Tree) -> tuple[str, ...]:
    """Return the nodes of one circle that primary sources lead in; () in a sound tree. O(nodes + edges)."""
    places = tree.node_places
    if all(_comes_after(places, edge) for edge in tree.edges.values()):
        return ()
    sorter = TopologicalSorter[str]()
    for edge in tree.edges.values():
        if edge.target_id in tree.nodes:
            sorter.add(edge.target_id, *edge.with_role("primary"))
    try:
        sorter.prepare()
    except CycleError as error:
        return tuple(error.args[1][1:])
    return ()


def _comes_after(places: Mapping[str, int], edge: Edge) -> bool:
    """Tell whether a node was made after all that it continues, as nearly all were."""
    place = places.get(edge.target_id, -1)
    if len(edge.sources) == 1:  # as of nearly all: no loop for one
        return places.get(edge.sources[0].node_id, -1) < place
    return all(places.get(source.node_id, -1) < place for source in edge.sources)


SLICE = 4_096  # elements that are compared at once


def common_length(a: Sequence[object], b: Sequence[object], known: int = 0) -> int:
    """Count the elements that two sequences have in common at their beginning, where so many are known."""
    high = min(len(a), len(b))
    if a is b or (not known and len(a) == len(b) and a == b):  # which is seen without copying anything
        return high
    # Small slices stay in the processor's cache; a copy of a long path does not.
    low = next((n for n in range(known, high, SLICE) if a[n : n + SLICE] != b[n : n + SLICE]), high)
    places = range(low, min(low + SLICE, high))  # nodes are mostly the same ones: no need to look into them
    return next((n for n in places if a[n] is not b[n] and a[n] != b[n]), high)


def common_end(a: Sequence[object], b: Sequence[object], most: int) -> int:
    """Count the elements that two sequences have in common at their end, up to so many."""
    high = min(len(a), len(b), most)
    same = 0
    while same < high:
        size = min(SLICE, high - same)
        one, other = _before_end(a, same, size), _before_end(b, same, size)
        if one != other:
            pairs = zip(reversed(one), reversed(other), strict=True)
            return same + next(n for n, (x, y) in enumerate(pairs) if x is not y and x != y)
        same += size
    return high


def _before_end(a: Sequence[object], skipped: int, size: int) -> Sequence[object]:
    return a[len(a) - skipped - size : len(a) - skipped]
