"""Arrivals: what leads to a node and in which role, and what a node is itself used for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import Edge
from loomapp.core.model.tree import Tree
from loomapp.core.paths.version_groups import VersionGroups, default_primary

Part: TypeAlias = Literal["primary", "context", "instruction", "annotation"]
ORDER: tuple[Part, ...] = ("primary", "annotation", "context", "instruction")


@dataclass(frozen=True, slots=True)
class NodeSource:
    """One source of an edge into a node; `annotation` where the node is a note on it.

    Of several primary sources the path takes one (`is_taken`); the others are versions of it, or not.
    """

    node_id: str
    part: Part
    is_taken: bool = True
    is_version: bool = False


def arrivals(tree: Tree, node_id: str) -> tuple[NodeSource, ...]:
    """Every source that leads to a node: what it continues first, then notes, context and instructions, in
    listed order. Of damaged trees those of all edges; a source may be missing from the tree.
    """
    found: list[NodeSource] = []
    for edge in tree.incoming(node_id):
        found += _of(tree, edge)
    for edge in tree.annotation_edges_into(node_id):
        found += [NodeSource(source.node_id, "annotation") for source in edge.sources]
    return tuple(sorted(dict.fromkeys(found), key=lambda arrival: ORDER.index(arrival.part)))


def _of(tree: Tree, edge: Edge) -> Iterator[NodeSource]:
    primaries, families = edge.with_role("primary"), VersionGroups(tree)
    taken = tree.path.selections.get(edge.target_id, "")
    if primaries and taken not in primaries:
        taken = default_primary(tree, primaries, families)
    for source in edge.sources:
        is_primary = source.role == "primary"
        is_taken = not is_primary or source.node_id == taken
        is_version = not is_taken and families.of(source.node_id) == families.of(taken)
        yield NodeSource(source.node_id, source.role, is_taken, is_version)


def uses(tree: Tree, node_id: str) -> tuple[NodeSource, ...]:
    """The nodes for which a node is material or a directive, and the part that it plays for each."""
    found = [
        NodeSource(edge.target_id, source.role)
        for edge in tree.edges_out(node_id)
        for source in edge.sources
        if source.node_id == node_id and source.role != "primary" and edge.type == "continuation"
    ]
    return tuple(dict.fromkeys(found))
