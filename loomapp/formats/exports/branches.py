"""Branches of a tree in the order in which they are written: every node once, never nested without end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import parent

MOST_NESTED = 60  # branches within each other; deeper ones are written after all others


class Begin(NamedTuple):
    """A branch begins: its number among its siblings, what it continues, and whether it is the one read."""

    number: int
    of: int
    above: str | None
    is_active: bool


class SaidNode(NamedTuple):
    """A node of the branch that has begun."""

    node_id: str
    is_active: bool


class End(NamedTuple):
    """The branch that began last ends."""


class Later(NamedTuple):
    """A branch that is nested too deep here, and is written after all others."""

    node_id: str


Step: TypeAlias = Begin | SaidNode | End | Later


def steps(tree: Tree) -> Iterator[Step]:
    """Walk through what is not pruned, siblings in their order. Nodes without a fork follow each other."""
    children, roots = _children(tree)
    active = active_nodes(tree)
    waiting: deque[str] = deque()
    for number, root in enumerate(roots, 1):
        if len(roots) > 1:
            yield Begin(number, len(roots), None, root in active)
        yield from _from(root, children, active, waiting)
        if len(roots) > 1:
            yield End()
    while waiting:
        node_id = waiting.popleft()
        yield Begin(1, 1, parent(tree, node_id), node_id in active)
        yield from _from(node_id, children, active, waiting)
        yield End()


def _from(
    first: str, children: dict[str, list[str]], active: frozenset[str], waiting: deque[str]
) -> Iterator[Step]:
    """The branch that begins at a node, with those within it."""
    stack: list[Step | str] = [first]
    depth = 0
    while stack:
        at = stack.pop()
        if not isinstance(at, str):
            depth += isinstance(at, Begin)
            depth -= isinstance(at, End)
            yield at
            continue
        yield SaidNode(at, at in active)
        below = children.get(at, [])
        if len(below) == 1:
            stack.append(below[0])
        elif depth < MOST_NESTED:
            for number in range(len(below), 0, -1):
                one = below[number - 1]
                stack += [End(), one, Begin(number, len(below), at, one in active)]
        else:
            waiting.extend(below)
            stack += [Later(one) for one in reversed(below)]


def _children(tree: Tree) -> tuple[dict[str, list[str]], list[str]]:
    """Each node under the one that it is read after; and where the tree begins."""
    children: dict[str, list[str]] = {}
    roots: list[str] = []
    for node_id, node in tree.nodes.items():
        if tree.incoming(node_id):
            above = parent(tree, node_id)
            if above is not None and not node.metadata.pruned:
                children.setdefault(above, []).append(node_id)
        elif not tree.annotation_edges_into(node_id) and (tree.children(node_id) or node_id == tree.root_id):
            roots.append(node_id)
    return children, roots


def active_nodes(tree: Tree) -> frozenset[str]:
    """The nodes of the path that was read last."""
    found: set[str] = set()
    at: str | None = tree.path.leaf_id
    while at is not None and at not in found:
        found.add(at)
        at = parent(tree, at)
    return frozenset(found)
