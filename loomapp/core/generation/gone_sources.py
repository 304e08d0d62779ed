"""Gone sources: where an answer goes whose node was taken back, or made anew, while it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from loomapp.core.generation.answers import Sources
from loomapp.core.generation.crashed_run import CrashedRun, has_sources
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Edge
from loomapp.core.model.tree import Tree

ChangesOf: TypeAlias = Callable[[str], Sequence[Change]]  # the logged ones that name a node, oldest first


def with_living_sources(tree: Tree, run: CrashedRun, changes_of: ChangesOf) -> CrashedRun:
    """Return an answer that hangs on nodes of the tree: on what took the place of each that is gone, else on
    the nearest node above it. As it was if all are there, or if nothing of the continued node is known.

    It is read only by who goes there: what it would follow is not the text that it was asked for.
    """
    if has_sources(tree, run):
        return run
    sources = run.sources
    primary_id = place_of(tree, sources.primary_id, changes_of)
    if primary_id is None:
        return run
    living = Sources(
        primary_id,
        tuple(node_id for node_id in sources.context_ids if node_id in tree.nodes),
        tuple(node_id for node_id in sources.instruction_ids if node_id in tree.nodes),
        sources.gap_id,
    )
    if primary_id == sources.primary_id:
        return replace(run, sources=living)
    return replace(run, sources=living, standing=None, follows=False)


def place_of(tree: Tree, node_id: str, changes_of: ChangesOf) -> str | None:
    """Return a node if it is in the tree, else what took its place in the same sitting, else the node that
    it was a version of or hung on, however far above; None if the log does not know it.
    """
    tried: set[str] = set()
    waiting = [node_id]
    while waiting:
        current = waiting.pop()
        if current in tree.nodes:
            return current
        if current not in tried:
            tried.add(current)
            waiting += _instead(current, changes_of(current))
    return None


def _instead(node_id: str, changes: Sequence[Change]) -> Iterator[str]:
    """Return the nodes to look for in the place of one that is gone, the best last."""
    made = next((change for change in changes if any(n.id == node_id for n in change.added_nodes())), None)
    if made is None:
        return
    above = _above(made, node_id)
    node = next(node for node in made.added_nodes() if node.id == node_id)
    yield from above
    if node.edited_from is not None:
        yield node.edited_from
    for change in changes:
        if any(gone.id == node_id for gone in change.removed_nodes()):
            yield from (
                other.id
                for other in change.added_nodes()
                if other.edited_from == node.edited_from and set(_above(change, other.id)) & set(above)
            )


def _above(change: Change, node_id: str) -> tuple[str, ...]:
    """Return the nodes that a node hung on as it was made."""
    edges = (row.after for row in change.rows if row.before is None and isinstance(row.after, Edge))
    return next((edge.with_role("primary") for edge in edges if edge.target_id == node_id), ())
