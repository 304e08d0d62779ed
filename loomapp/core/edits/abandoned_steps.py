"""An abandoned step: the texts that it made, and the Change that brings its nodes into the tree again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.undo import surviving_path
from loomapp.core.errors import AssemblyError
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ActivePath, Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.resolve import resolve

LABEL = "Bring back what was undone"
TEXTS = ("title", "description", "system_context")  # of a tree, that a step may write


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """A step of the log, whether it holds or not.

    `above` are nodes that its own hang on and that are undone too, the nearest first; `edges` lead to all of
    these.
    """

    change: Change
    above: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def texts(self) -> tuple[str, ...]:
        """Return what it wrote, a text for each node or setting, in order; () if it wrote none."""
        change = self.change
        made = [node.text for node in change.added_nodes()]
        names = TEXTS if len(change.rows) == 1 else TEXTS[1:]  # which then follows first words
        for row in change.changed(LoomTree):
            made += _changed_texts(row, names)
        return tuple(text for text in made if text)

    def is_in(self, tree: Tree) -> bool:
        """Return True if every node that it made is in the tree, so that nothing is to be brought back."""
        return all(node.id in tree.nodes for node in self.change.added_nodes())


def bring_back(tree: Tree, step: LoggedStep, pen: EditContext) -> Change | None:
    """Return the change that adds a step's nodes again, as they were, beside all that came meanwhile.

    They hang where they hung; where that is pruned or gone, on the nearest living node above. What they
    answer comes along if it was undone too. None if all are in the tree.
    """
    nodes = [node for node in (*step.above, *step.change.added_nodes()) if node.id not in tree.nodes]
    if not nodes:
        return None
    coming = {node.id for node in nodes}
    rows = [RowChange(None, _unpruned(node)) for node in nodes]
    edges = [edge for edge in step.edges if edge.target_id in coming and edge.id not in tree.edges]
    rows += [RowChange(None, _hung(tree, edge, coming)) for edge in edges]
    gained = list(_gained(tree, step.change, coming))
    change = Change(tree.loom.id, LABEL, pen.now, (*rows, *gained), by=pen.by)
    path = _path_through(tree, change, step.change, gained)
    return change if path is None else replace(change, rows=(*change.rows, RowChange(tree.path, path)))


def _changed_texts(row: RowChange, names: Iterable[str]) -> Iterator[str]:
    assert isinstance(row.after, LoomTree), "a tree always has its one loom"
    for name in names:
        text = getattr(row.after, name)
        if text and text != getattr(row.before, name, None):
            yield text


def _unpruned(node: Node) -> Node:
    return node.with_metadata(replace(node.metadata, pruned=False)) if node.metadata.pruned else node


def _hung(tree: Tree, edge: Edge, coming: Collection[str]) -> Edge:
    """The edge with those of its sources that are there; what it continues is a living node."""
    there = [source for source in edge.sources if source.node_id in coming or source.node_id in tree.nodes]
    primaries = [source.node_id for source in edge.sources if source.role == "primary"]
    if any(i in coming or navigation.lives(tree, i) for i in primaries):
        return replace(edge, sources=tuple(there))
    others = (source for source in there if source.role != "primary")
    above = _living_above(tree, primaries)
    return replace(edge, sources=(EdgeSource(above), *(other for other in others if other.node_id != above)))


def _living_above(tree: Tree, node_ids: Collection[str]) -> str:
    """The nearest living node above the first of some that is in the tree; the root if none is."""
    node_id, seen = next((i for i in node_ids if i in tree.nodes), None), set[str]()
    while node_id is not None and node_id not in seen and not navigation.lives(tree, node_id):
        seen.add(node_id)
        node_id = navigation.parent(tree, node_id)
    return tree.root_id if node_id is None or node_id in seen else node_id


def _gained(tree: Tree, change: Change, coming: Collection[str]) -> Iterator[RowChange]:
    """Yield rows that let what followed a version be read after it again, as far as it is in the tree."""
    for row in change.changed(Edge):
        now = tree.edges.get(row.row.key)
        if now is None or not isinstance(row.after, Edge):
            continue
        known = {source.node_id for source in now.sources}
        new = [s for s in row.after.sources if s.node_id in coming and s.node_id not in known]
        if new:
            yield RowChange(now, replace(now, sources=(*now.sources, *new)))


def _path_through(
    tree: Tree, change: Change, old: Change, gained: Collection[RowChange]
) -> ActivePath | None:
    """The path that shows what came back, as much as possible as it is read now; None if it is on no path."""
    read = _way_read(tree)
    chosen = {row.row.target_id: _newest_source(row) for row in gained if isinstance(row.row, Edge)}
    if not read.isdisjoint(chosen):
        return replace(tree.path, selections={**tree.path.selections, **chosen})
    made = {node.id for node in old.added_nodes()}
    wanted = [row.after for row in old.changed(ActivePath) if isinstance(row.after, ActivePath)]
    if wanted and wanted[-1].leaf_id in made:
        return surviving_path(tree, change, wanted[-1])
    edges = (row.row for row in change.changed(Edge))
    ends = (e.target_id for e in edges if isinstance(e, Edge) and e.type == "continuation")
    end = next((node_id for node_id in ends if node_id in made), None)
    return None if end is None else replace(tree.path, leaf_id=end)


def _newest_source(row: RowChange) -> str:
    assert isinstance(row.after, Edge), "an edge gained a source"
    return row.after.sources[-1].node_id


def _way_read(tree: Tree) -> frozenset[str]:
    with suppress(AssemblyError):
        return frozenset(resolve(tree, tree.path.leaf_id).node_ids)
    return frozenset()
