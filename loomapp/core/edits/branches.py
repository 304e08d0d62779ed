"""Moving branches elsewhere, and edits of several nodes at once, each as one Change."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from loomapp.core.edits import node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Edge, EdgeSource, Node
from loomapp.core.model.hashes import MOVED
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sentences import worded


def reparent(tree: Tree, node_id: str, parent_id: str, pen: EditContext) -> Change | None:
    """Hang a node, and all that is below it, under another node; versions that share its place go along.

    What it was written under stays recorded with it; a choice of what it is read after is given up. None if
    it hangs there already. Raises: InvalidInput for what hangs nowhere, and for a move that would make a
    circle.
    """
    return _moved(tree, _edges_moved(tree, node_id, parent_id), pen)


def _edges_moved(tree: Tree, node_id: str, parent_id: str) -> list[RowChange]:
    node, parent = tree.nodes[node_id], tree.nodes[parent_id]
    arrivals = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    if not arrivals:
        raise InvalidInput(
            worded("{node} has no parent and cannot be moved; move what is below it.", node=node.local_id)
        )
    moved = [arrivals[0], *_beside(tree, node, arrivals[0])]
    for edge in moved:
        if hangs_on(tree, parent_id, edge.target_id):
            raise InvalidInput(
                worded(
                    "{parent} is {node} or below it, so the branch cannot move there. Drop it elsewhere.",
                    parent=parent.local_id,
                    node=tree.nodes[edge.target_id].local_id,
                )
            )
    return [RowChange(edge, after) for edge in moved if (after := _hung(edge, parent_id)) != edge]


def _moved(tree: Tree, edges: Sequence[RowChange], pen: EditContext) -> Change | None:
    """The change that moves edges, each once, and the path without choices that lead nowhere then."""
    rows = {row.row.key: row for row in edges}
    if not rows:
        return None
    sources = {
        row.after.target_id: row.after.with_role("primary")
        for row in rows.values()
        if isinstance(row.after, Edge)
    }
    chosen = tree.path.selections
    kept = {target: source for target, source in chosen.items() if source in sources.get(target, (source,))}
    path = () if kept == chosen else (RowChange(tree.path, replace(tree.path, selections=kept)),)
    return Change(tree.loom.id, "Move branch", pen.now, (*rows.values(), *path), by=pen.by)


def hangs_on(tree: Tree, node_id: str, above_id: str) -> bool:
    """True for a node, and for one below it by any way. Looked for upwards: a branch may be large, and the
    path up is known mostly.
    """
    with suppress(AssemblyError):
        path = resolve(tree, node_id)
        if above_id in path:
            return True
        has_one_way = all(len(edge.with_role("primary")) == 1 for edge in path.joints.values())
        if has_one_way and not any(note_id in path for note_id in tree.note_ids):
            return False
    before, seen, queue = tree.plain_parents, set[str](), [node_id]
    while queue:
        current: str | None = queue.pop()
        while current is not None and current not in seen:
            if current == above_id:
                return True
            seen.add(current)
            last, current = current, before.get(current)
            if current is None or last in tree.note_ids:
                edges = (*tree.incoming(last), *tree.annotation_edges_into(last))
                queue += (source for edge in edges for source in edge.with_role("primary"))
    return False


def reparent_all(tree: Tree, node_ids: Iterable[str], parent_id: str, pen: EditContext) -> Change | None:
    """Hang several branches under another node; what is below one of them goes along where it hangs. None if
    all hang there already. Raises: InvalidInput, see `reparent`; then none is moved.
    """
    chosen = dict.fromkeys(node_ids)
    tops = [node_id for node_id in chosen if not _is_below(tree, node_id, chosen)]
    moves = [move for node_id in tops if (move := _edges_moved(tree, node_id, parent_id))]
    change = _moved(tree, [row for move in moves for row in move], pen)
    if change is None or len(moves) == 1:
        return change
    return replace(change, label=f"Move {len(moves)} branches")


def _is_below(tree: Tree, node_id: str, chosen: Container[str]) -> bool:
    seen = {node_id}
    above = parents(tree, node_id)[:1]
    while above and above[0] not in seen:
        if above[0] in chosen:
            return True
        seen.add(above[0])
        above = parents(tree, above[0])[:1]
    return False


def parents(tree: Tree, node_id: str) -> tuple[str, ...]:
    """Return the nodes that a node continues, or that it is a note on; nothing for the root."""
    arrivals = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    return arrivals[0].with_role("primary") if arrivals else ()


def _hung(edge: Edge, parent_id: str) -> Edge:
    others = tuple(source for source in edge.sources if source.role != "primary")
    if edge.with_role("primary") == (parent_id,):
        return edge
    sources = (EdgeSource(parent_id), *(s for s in others if s.node_id != parent_id))
    return replace(edge, sources=sources, extra={**edge.extra, MOVED: True})


def _beside(tree: Tree, node: Node, edge: Edge) -> list[Edge]:
    """The edges into the other versions of a node in a buffer, where they hang on the same."""
    if tree.loom.mode != "buffer" or edge.type != "continuation":
        return []
    family = tree.family(node.id)
    found: list[Edge] = []
    primary = edge.with_role("primary")[0]
    for sibling in tree.children(primary):
        if sibling != node.id and tree.family(sibling) == family:
            found += tree.incoming(sibling)[:1]
    return found


def exclude_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Leave messages out of every context; if all of them are, take them back in."""
    chosen = list(node_ids)
    if all(tree.nodes[node_id].metadata.excluded for node_id in chosen):
        return _counted("Include", node_marks.include(tree, chosen, pen))
    return _counted("Exclude", node_marks.exclude(tree, chosen, pen))


def exclude_branches(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Leave messages and all below them out of every context; if all of them are, take them back in. A node
    that is only the place where the tree starts is none.
    """
    below = (i for i in tree.descendants(*node_ids) if i in tree.nodes)
    return exclude_all(tree, [i for i in below if not tree.is_empty_root(i)], pen)


def bookmark_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Mark messages; if all of them are, take the marks away."""
    chosen = list(dict.fromkeys(node_ids))
    if all(tree.nodes[node_id].metadata.bookmarked for node_id in chosen):
        return _counted("Unmark", node_marks.remove_bookmarks(tree, chosen, pen))
    unmarked = [node_id for node_id in chosen if not tree.nodes[node_id].metadata.bookmarked]
    return _counted("Bookmark", node_marks.bookmark_plainly(tree, unmarked, pen))


def prune_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Hide several nodes and what hangs below each alone; the root stays."""
    chosen = [node_id for node_id in dict.fromkeys(node_ids) if node_id != tree.root_id]
    return _counted("Prune", node_marks.prune_all(tree, chosen, pen))


def restore_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Bring back several pruned nodes and everything below them."""
    pruned = [node_id for node_id in dict.fromkeys(node_ids) if tree.nodes[node_id].metadata.pruned]
    return _counted("Restore", node_marks.restore_all(tree, pruned, pen))


def include_notes(tree: Tree, note_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Send notes with their messages; if all of them are sent, keep them to oneself."""
    before = tree.included_annotations
    chosen = dict.fromkeys(note_ids)
    if chosen.keys() <= set(before.node_ids):
        after = tuple(node_id for node_id in before.node_ids if node_id not in chosen)
        label = "Take notes out of context"
    else:
        after = (*before.node_ids, *(node_id for node_id in chosen if node_id not in before.node_ids))
        label = "Include notes in context"
    if after == before.node_ids:
        return None
    rows = (RowChange(before, replace(before, node_ids=after)),)
    return Change(tree.loom.id, label, pen.now, rows, by=pen.by)


def _counted(verb: str, change: Change | None) -> Change | None:
    """`Exclude 5 messages`; of one its plain name."""
    if change is None:
        return None
    count = sum(isinstance(row.row, Node) for row in change.rows)
    return replace(change, label=f"{verb} {count} messages" if count > 1 else verb)
