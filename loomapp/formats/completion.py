"""Values that a hand-written file may lack, filled in alike each time: root, edge ids, authors, hashes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import AuthorType, Edge, Node
from loomapp.core.model.hashes import ResponseDigest, hash_of
from loomapp.core.model.local_ids import local_ids_for

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
