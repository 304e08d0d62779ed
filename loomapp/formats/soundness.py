"""Is a tree sound? Damaged ones (a circle, two ways in, a missing end) are refused with the place."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from loomapp.core.errors import InvalidInput
from loomapp.core.model.entities import Edge, LoomTree, Node
from loomapp.core.sentences import sentence, worded

# Control characters, line ends, and what turns the direction of the text around it.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def check_shown(rows: str, field: str, ids: Iterable[str | None]) -> None:
    """Raises: InvalidInput at the first id that could not be shown on a line as what it is."""
    for i, name in enumerate(ids):
        if name and _UNSEEN.search(name):
            raise _bad(
                f"tree.{field}" if rows == "tree" else f"{rows}[{i}].{field}",
                worded("{name} holds a control character; give it another id", name=json.dumps(name)),
            )


def check_unique(names: Sequence[str], place: str, what: str) -> None:
    """Refuse a name that is there twice, unless it is empty; `place` is where it stands, `nodes[{}].id`.

    Raises: InvalidInput at the second place of a name.
    """
    if len({*names}) == len(names):
        return
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if name and first.setdefault(name, i) != i:
            here, before = place.format(i), place.format(first[name])
            raise _bad(
                here,
                worded(
                    "“{name}” is already the {what} of {places}",
                    name=name,
                    what=what,
                    places=before.rpartition(".")[0] or before,
                ),
            )


def check_known(values: Iterable[tuple[str, str]], known: Container[str]) -> None:
    """`values` are places and node ids. Raises: InvalidInput at the first that is no node of the file."""
    for place, name in values:
        if name not in known:
            raise _bad(place, worded("“{name}” is not a node of this file", name=name))


def check_edges(edges: Sequence[Edge], known: Container[str]) -> None:
    """Raises: InvalidInput if an edge lacks a source or an end, or a node has two incoming continuations."""
    incoming: dict[str, int] = {}
    for i, edge in enumerate(edges):
        sources = edge.sources
        is_usual = len(sources) == 1 and sources[0].role == "primary" and sources[0].node_id in known
        if not (is_usual and edge.target_id in known):
            _check_ends(f"edges[{i}]", edge, known)
        if edge.type == "continuation" and incoming.setdefault(edge.target_id, i) != i:
            first = incoming[edge.target_id]
            raise _bad(
                f"edges[{i}].targetNodeId",
                worded(
                    "“{target_id}” already continues by edges[{first}]", target_id=edge.target_id, first=first
                ),
            )


def _check_ends(place: str, edge: Edge, known: Container[str]) -> None:
    ends = ((f"{place}.sources[{j}].nodeId", s.node_id) for j, s in enumerate(edge.sources))
    check_known((*ends, (f"{place}.targetNodeId", edge.target_id)), known)
    if all(source.role != "primary" for source in edge.sources):
        raise _bad(f"{place}.sources", "there is no primary source to continue")


def check_root(loom: LoomTree, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
    """Raises: InvalidInput if the tree's root is not there or continues another node."""
    check_known([("tree.rootNodeId", loom.root_id)], {node.id for node in nodes})
    for i, edge in enumerate(edges):
        if edge.type == "continuation" and edge.target_id == loom.root_id:
            raise _bad(
                "tree.rootNodeId",
                worded("“{root_id}” is not a root: edges[{i}] leads into it", root_id=loom.root_id, i=i),
            )


def ways_in(nodes: Iterable[Node], edges: Sequence[Edge]) -> dict[str, int]:
    """Return, by node, the position of the edge that leads up from it: its continuation, else its first note
    edge.
    """
    continuations: dict[str, int] = {}
    notes: dict[str, int] = {}
    for i, edge in enumerate(edges):
        (continuations if edge.type == "continuation" else notes).setdefault(edge.target_id, i)
    leading = {**notes, **continuations}
    return {node.id: leading[node.id] for node in nodes if node.id in leading}


def parents_first(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[str]:
    """The node ids so that all sources of a node's way in come before it. Expects edges whose ends exist.

    Raises: InvalidInput if the edges go in a circle, naming one of its edges.
    """
    way_in = ways_in(nodes, edges)
    seen: set[str] = set()
    for node in nodes:  # nearly every file lists them so
        i = way_in.get(node.id)
        if i is not None and any(source.node_id not in seen for source in edges[i].sources):
            break
        seen.add(node.id)
    else:
        return [node.id for node in nodes]
    waiting = {node.id: 0 for node in nodes}
    followers: defaultdict[str, list[str]] = defaultdict(list)
    for target_id, i in way_in.items():
        for source_id in {source.node_id for source in edges[i].sources}:
            followers[source_id].append(target_id)
            waiting[target_id] += 1
    order = [node.id for node in nodes if not waiting[node.id]]
    for node_id in order:
        for follower in followers[node_id]:
            waiting[follower] -= 1
            if not waiting[follower]:
                order.append(follower)
    if len(order) < len(nodes):
        stuck = {node.id for node in nodes} - set(order)
        raise _circle(stuck, way_in, edges)
    return order


def _circle(stuck: set[str], way_in: dict[str, int], edges: Sequence[Edge]) -> InvalidInput:
    # Every stuck node waits for another stuck node, so walking up among them must come round.
    node_id = next(node_id for node_id in way_in if node_id in stuck)
    seen: set[str] = set()
    while node_id not in seen:
        seen.add(node_id)
        node_id = next(s.node_id for s in edges[way_in[node_id]].sources if s.node_id in stuck)
    return _bad(
        f"edges[{way_in[node_id]}]",
        worded("goes in a circle: “{node_id}” comes before itself", node_id=node_id),
    )


def _bad(place: str, message: str) -> InvalidInput:
    return InvalidInput(worded("{place}: {message}", place=place, message=sentence(message)), place=place)
