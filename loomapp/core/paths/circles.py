"""Circles: nodes that come before themselves by the edges of a damaged tree."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from loomapp.core.model.tree import Tree


def circle_in(tree: Tree) -> tuple[str, ...]:
    """Return the nodes of one circle that primary sources lead in; () in a sound tree. O(nodes + edges)."""
    place = {node_id: at for at, node_id in enumerate(tree.nodes)}
    edges = [edge for edge in tree.edges.values() if edge.target_id in place]
    # Nearly every tree lists its nodes after those that they continue.
    if all(
        place.get(source.node_id, -1) < place[edge.target_id] for edge in edges for source in edge.sources
    ):
        return ()
    sorter = TopologicalSorter[str]()
    for edge in edges:
        sorter.add(edge.target_id, *edge.with_role("primary"))
    try:
        sorter.prepare()
    except CycleError as error:
        return tuple(error.args[1][1:])
    return ()
