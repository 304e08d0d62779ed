"""Card table of a whole tree, built at once."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from loomapp.core.edits.documents import is_loose_document
from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.cards import Arrangement, Ints, arrange, breadth_first
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree

_TARGET = attrgetter("target_id")
_PRUNED = attrgetter("metadata.pruned")


def enrol(tree: Tree) -> CardTable:
    """The roster of a tree, pruned nodes and damaged data included."""
    plain = _plain(tree)
    return plain if plain is not None else _arranged(tree, arrange(tree, show_pruned=True))


def nodes_of(tree: Tree, keys: list[str]) -> list[Node | None]:
    """The nodes of these ids, None for what is no node."""
    nodes = tree.nodes
    return [*nodes.values()] if keys == [*nodes] else [*map(nodes.get, keys)]


def _plain(tree: Tree) -> CardTable | None:
    """The roster of a tree without notes, sources, versions and damage: a few looks at each node do."""
    parents, nodes, edges = tree.plain_parents, tree.nodes, tree.edges
    versioned = tree.loom.mode == "buffer" and any(node.edited_from for node in nodes.values())
    if len(parents) != len(edges) or versioned or tree.noted or tree.root_id not in nodes:
        return None
    targets = [*map(_TARGET, edges.values())]
    loose: list[str] = []
    if len(nodes) != len(targets) + 1:
        loose = [node_id for node_id in nodes if node_id not in parents and node_id != tree.root_id]
        if any(nodes[i].edited_from is not None and is_loose_document(tree, i) for i in loose):
            return None
    keys = [tree.root_id, *loose, *targets]
    numbers = _numbered(tree, keys)
    if len(numbers) != len(nodes) or len(keys) != len(nodes):
        return None
    in_order = parents.values() if [*parents] == targets else map(parents.__getitem__, targets)
    try:
        above = [*map(numbers.__getitem__, in_order)]
    except KeyError:  # an end of an edge is missing
        return None
    known = [node for node in nodes_of(tree, keys) if node is not None]
    if len(known) < len(keys):
        return None
    roster = _roster(keys, numbers, [-1] * (1 + len(loose)) + above, known)
    return roster if _all_hang(roster.parents) else None


def _numbered(tree: Tree, keys: list[str]) -> dict[str, int]:
    """The number of each key. Most trees have just these in the order of creation, and copying is faster."""
    places = tree.node_places
    if len(places) == len(keys) and [*places] == keys:
        return dict(places)
    return dict(zip(keys, range(len(keys)), strict=True))


def _all_hang(parents: Ints) -> bool:
    """True if no card hangs in a circle. Each look goes twice as far up as the one before."""
    if (parents < np.arange(len(parents))).all():  # as they came, each after its parent
        return True
    above = parents.copy()
    for _ in range(len(parents).bit_length() + 1):
        if not (above >= 0).any():
            return True
        above = np.where(above >= 0, above[above], -1)
    return False


def _arranged(tree: Tree, arrangement: Arrangement) -> CardTable:
    keys = breadth_first(arrangement.families)
    numbers = {key: number for number, key in enumerate(keys)}
    parents = [-1] * len(keys)
    for parent, members in arrangement.families.items():
        if parent is not None:
            for member in members:
                parents[numbers[member]] = numbers[parent]
    roster = _roster(keys, numbers, parents, [tree.nodes[key] for key in keys])
    roster.versions, roster.cards = arrangement.versions, arrangement.cards
    roster.references = arrangement.references
    roster.hosts = {numbers[card]: numbers[host] for card, host in arrangement.asides.items()}
    roster.asides[list(roster.hosts)] = True
    for card, members in arrangement.versions.items():
        roster.pruned[numbers[card]] = all(tree.nodes[node_id].metadata.pruned for node_id in members)
    return roster


def _roster(
    keys: list[str], numbers: dict[str, int], parents: Sequence[int], nodes: Sequence[Node]
) -> CardTable:
    pruned = np.fromiter(map(_PRUNED, nodes), bool, len(keys))
    asides = np.zeros(len(keys), bool)
    return CardTable(keys, numbers, np.array(parents, np.int32), asides, pruned)
