"""Branches of a tree in the order in which they are written: every node once, never nested without end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
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
    """Walk through what is not pruned, siblings in their order. Nodes without a fork follow each other. Who
    takes only the first steps has not waited for the others.
    """
    roots = _roots(tree)
    active = active_nodes(tree)
    waiting: deque[str] = deque()
    for number, root in enumerate(roots, 1):
        if len(roots) > 1:
            yield Begin(number, len(roots), None, root in active)
        yield from _from(tree, root, active, waiting)
        if len(roots) > 1:
            yield End()
    while waiting:
        node_id = waiting.popleft()
        yield Begin(1, 1, parent(tree, node_id), node_id in active)
        yield from _from(tree, node_id, active, waiting)
        yield End()


def _from(tree: Tree, first: str, active: frozenset[str], waiting: deque[str]) -> Iterator[Step]:
    """The branch that begins at a node, with those within it."""
    stack: list[Iterator[Step | str]] = [iter([first])]
    while stack:
        at = next(stack[-1], None)
        if at is None:
            stack.pop()
            continue
        if not isinstance(at, str):
            yield at
            continue
        yield SaidNode(at, at in active)
        below = _children(tree, at)
        while len(below) == 1:
            at = below[0]
            yield SaidNode(at, at in active)
            below = _children(tree, at)
        if len(stack) <= MOST_NESTED:
            stack.append(_branches(at, below, active))
        else:
            waiting.extend(below)
            yield from map(Later, below)


def _branches(above: str, below: Sequence[str], active: frozenset[str]) -> Iterator[Step | str]:
    """Branches that continue a node, each between its beginning and its end."""
    for number, node_id in enumerate(below, 1):
        yield Begin(number, len(below), above, node_id in active)
        yield node_id
        yield End()


def _children(tree: Tree, node_id: str) -> Sequence[str]:
    """The nodes that are read after a node, in the order in which they were made."""
    plain = tree.plain_parents
    below = tree.living_children(node_id)
    found = [it for it in dict.fromkeys(below) if (plain.get(it) or parent(tree, it)) == node_id]
    return sorted(found, key=tree.node_places.__getitem__)


def _roots(tree: Tree) -> Sequence[str]:
    """The nodes that the tree begins with: notes are none, and only its root may stand alone."""
    plain = tree.plain_parents
    return [
        node_id
        for node_id in tree.nodes
        if node_id not in plain
        and not tree.incoming(node_id)
        and not tree.annotation_edges_into(node_id)
        and (tree.children(node_id) or node_id == tree.root_id)
    ]


def active_nodes(tree: Tree) -> frozenset[str]:
    """The nodes of the path that was read last."""
    plain = tree.plain_parents
    found: set[str] = set()
    at: str | None = tree.path.leaf_id
    while at is not None and at not in found:
        found.add(at)
        at = plain.get(at) or parent(tree, at)
    return frozenset(found)
