"""What a hand-written file may leave out, filled in alike each time: root, edge ids, authors, hashes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from loomapp.core.agent import Agent
from loomapp.core.provenance import ResponseDigest, content_hash
from loomapp.core.rows import AuthorType, Edge, Node

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
            edge = replace(edge, id=_free(f"to-{edge.target_id}", taken))  # noqa: PLW2901 - the named edge
            taken.add(edge.id)
        used.add(edge.id)
        named.append(edge)
    return named


def with_authors(nodes: Sequence[Node], agents: Sequence[Agent]) -> tuple[list[Node], list[Agent]]:
    """Every node gets an author and every author an agent; a node that brings its hash keeps what it has."""
    known = {agent.id: agent for agent in agents}
    named = {node.author_agent_id for node in nodes} | known.keys()
    default_ids: dict[AuthorType, str] = {}
    authored: list[Node] = []
    for node in nodes:
        author_id = node.author_agent_id
        if author_id is None and not node.content_hash:
            kind = node.author_type
            if kind not in default_ids:
                # Of this kind, it is the one of an earlier import; of the other kind, a stranger.
                same = known.get(kind)
                default_ids[kind] = kind if same is None or same.type == kind else _free(kind, named)
            author_id = default_ids[kind]
        if author_id and author_id not in known:
            kind = node.author_type
            is_default = author_id == default_ids.get(kind, kind)
            name = DEFAULT_AUTHORS[kind] if is_default else author_id
            known[author_id] = Agent(author_id, name, kind, loom_aware=kind == "human")
        authored.append(
            node if author_id == node.author_agent_id else replace(node, author_agent_id=author_id)
        )
    return authored, list(known.values())


def with_hashes(
    nodes: Sequence[Node], edges: Sequence[Edge], order: Iterable[str], digests: Mapping[str, ResponseDigest]
) -> list[Node]:
    """Nodes without a hash get theirs; `order` has parents first."""
    by_id = {node.id: node for node in nodes}
    way_in = {edge.target_id: edge for edge in edges if edge.type == "continuation"}
    for node_id in order:
        node = by_id[node_id]
        if node.content_hash:
            continue
        if not node.parent_hashes and node_id in way_in:
            parents = (by_id[source.node_id] for source in way_in[node_id].sources)
            hashes = sorted(parent.content_hash for parent in parents if _was_there(parent, node))
            node = replace(node, parent_hashes=tuple(hashes))
        by_id[node_id] = replace(node, content_hash=content_hash(node, digests.get(node_id)))
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
