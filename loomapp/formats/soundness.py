"""Trees as files give them: what they may lack is filled in, damage is refused with its place."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import AuthorType, Edge, LoomTree, Node
from loomapp.core.model.hashes import ResponseDigest, hash_of
from loomapp.core.model.local_ids import local_ids_for
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


DEFAULT_AUTHORS: Mapping[AuthorType, str] = {"human": "Human", "model": "Model"}


def root_of(nodes: Sequence[Node], edges: Iterable[Edge]) -> str:
    """The first listed node without an incoming edge that is not merely a context or instruction source."""
    targets: set[str] = set()
    continued: set[str] = set()
    beside: set[str] = set()
    for edge in edges:
        targets.add(edge.target_id)
        for source in edge.sources:
            (continued if source.role == "primary" else beside).add(source.node_id)
    merely_beside = beside - continued
    loose = [node.id for node in nodes if node.id not in targets]
    return next((id_ for id_ in loose if id_ not in merely_beside), nodes[0].id if nodes else "")


def with_edge_ids(edges: Sequence[Edge], *, rename_doubles: bool) -> list[Edge]:
    """Edges without an id get one from their target's; with `rename_doubles` so does a second of one id."""
    taken = {edge.id for edge in edges if edge.id}
    used: set[str] = set()
    named: list[Edge] = []
    for edge in edges:
        if not edge.id or (rename_doubles and edge.id in used):
            name = _free(f"to-{edge.target_id}", taken)
            # Written out: `replace` takes three times as long, and a file may have a hundred thousand.
            edge = Edge(name, edge.sources, edge.target_id, edge.type, edge.created_at, edge.extra)  # noqa: PLW2901 - the named edge
            taken.add(edge.id)
        used.add(edge.id)
        named.append(edge)
    return named


def authors(nodes: Sequence[Node], agents: Sequence[Agent]) -> tuple[list[str | None], list[Agent]]:
    """An author for each node, and an agent for every author; a node with its hash keeps what it has."""
    known = {agent.id: agent for agent in agents}
    named = {node.author_agent_id for node in nodes} | known.keys()
    default_ids: dict[AuthorType, str] = {}
    found: list[str | None] = []
    for node in nodes:
        author_id, kind = node.author_agent_id, node.author_type
        if author_id is None and not node.content_hash:
            if kind not in default_ids:
                # Of this kind, it is the one of an earlier import; of the other kind, a stranger.
                same = known.get(kind)
                default_ids[kind] = kind if same is None or same.type == kind else _free(kind, named)
            author_id = default_ids[kind]
        if author_id and author_id not in known:
            is_default = author_id == default_ids.get(kind, kind)
            name = DEFAULT_AUTHORS[kind] if is_default else author_id
            known[author_id] = Agent(author_id, name, kind, loom_aware=kind == "human")
        found.append(author_id)
    return found, list(known.values())


def with_local_ids(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, each with a local id, its own or the next one that is free."""
    names = _local_ids(nodes)
    return [
        node if node.local_id else replace(node, local_id=name)
        for node, name in zip(nodes, names, strict=True)
    ]


def _local_ids(nodes: Sequence[Node]) -> list[str]:
    taken = {node.local_id.upper() for node in nodes}
    found: list[str] = []
    for node in nodes:
        local_id = node.local_id or next(name for name in local_ids_for(node.id) if name not in taken)
        taken.add(local_id)
        found.append(local_id)
    return found


def completed(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    order: Iterable[str],
    author_ids: Sequence[str | None],
    digests: Mapping[str, ResponseDigest],
) -> list[Node]:
    """The nodes with local ids, the authors that are given, and hashes; `order` has parents first."""
    by_id = {node.id: node for node in nodes}
    way_in = {edge.target_id: edge for edge in edges if edge.type == "continuation"}
    names = dict(zip(by_id, zip(_local_ids(nodes), author_ids, strict=True), strict=True))
    for node_id in order:
        node, (local_id, author_id) = by_id[node_id], names[node_id]
        parents, made = node.parent_hashes, node.content_hash
        if not made:
            edge = way_in.get(node_id)
            if not parents and edge is not None:
                sources = (by_id[source.node_id] for source in edge.sources)
                parents = tuple(sorted(one.content_hash for one in sources if _was_there(one, node)))
            author = node.author_type, author_id
            made = hash_of(node.content, parents, node.created_at, author, digests.get(node_id))
        elif (local_id, author_id) == (node.local_id, node.author_agent_id):
            continue
        by_id[node_id] = node.completed(local_id, author_id, made, parents)
    return list(by_id.values())


def _was_there(parent: Node, node: Node) -> bool:
    """False for a version that joined the edge after the node was made."""
    return parent.edited_from is None or parent.created_at <= node.created_at


def _free(name: str, taken: Container[str | None]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free
