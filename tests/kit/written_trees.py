"""Small trees for tests, written down as they read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from loomapp.core.model.content import Content, Text
from loomapp.core.model.entities import (
    AuthorType,
    Edge,
    EdgeSource,
    EdgeType,
    LoomTree,
    Metadata,
    Mode,
    Node,
    Role,
)
from loomapp.core.model.tree import Tree


def node(
    name: str,
    content: str | Content = "",
    author: AuthorType = "human",
    *,
    at: int = 0,
    edited_from: str | None = None,
    excluded: bool = False,
    pruned: bool = False,
) -> Node:
    """A node whose local id is its id in capitals; a plain string is its text."""
    return Node(
        name,
        name.upper(),
        Text(content) if isinstance(content, str) else content,
        author,
        created_at=at,
        edited_from=edited_from,
        metadata=Metadata(excluded=excluded, pruned=pruned),
    )


def edge(target: str, *sources: str, kind: EdgeType = "continuation") -> Edge:
    """An edge; a source may name its role: `img context`."""
    return Edge(f"{kind} to {target} from {sources}", tuple(map(_source, sources)), target, kind)


def _source(text: str) -> EdgeSource:
    name, _, role = text.partition(" ")
    roles: dict[str, Role] = {"": "primary", "context": "context", "instruction": "instruction"}
    return EdgeSource(name, roles[role])


def tree(
    nodes: Iterable[Node], edges: Iterable[Edge] = (), mode: Mode = "dialogue", system: str | None = None
) -> Tree:
    """A tree of these rows; the first node is its root."""
    rows = list(nodes)
    return Tree(LoomTree("t", "T", mode, rows[0].id, system_context=system), nodes=rows, edges=edges)


def chain(*nodes: Node, mode: Mode = "dialogue", system: str | None = None) -> Tree:
    """A tree in which each node continues the one before."""
    edges = [edge(after.id, before.id) for before, after in pairwise(nodes)]
    return tree(nodes, edges, mode, system)


def hundreds(count: int, mode: Mode = "dialogue") -> Tree:
    """A conversation of nodes n01, n02, … of exactly 100 tokens each, human first."""
    names = [f"n{number:02}" for number in range(1, count + 1)]
    authors: tuple[AuthorType, AuthorType] = ("human", "model")
    return chain(
        *(node(name, f"{name}:".ljust(400, "x"), authors[i % 2]) for i, name in enumerate(names)), mode=mode
    )
