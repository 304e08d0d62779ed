"""A sitting: what is committed to one passage before anything hangs on it is one version, or one node."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits, undo
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import StaleChange
from loomapp.core.model.change import Change, ChangeKind, RowChange, apply, check
from loomapp.core.model.entities import ActivePath, Edge
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import PIECES
from loomapp.core.prose.buffer_text import PendingText
from loomapp.core.prose.passage_edits import revise

NEW = ""  # in the place of the node that a version was made of, where there was none


@dataclass(frozen=True, slots=True)
class EditSession:
    """Passages as far as they are committed.

    `change` makes it of the tree as it was before, however often it was committed since; `origins` are the
    nodes that its nodes are versions of, NEW for one that continues the path; `typed` is what was written in
    each.
    """

    change: Change
    origins: Mapping[str, str]
    typed: Mapping[str, PendingText]


@dataclass(frozen=True, slots=True)
class Commit:
    """Change to commit now, None where nothing is other, and the sitting after it.

    `became` are the nodes that stand for others in the text: of a passage that was written at the path's end
    NEW stands for what it is while it is no node.
    """

    change: Change | None
    sitting: EditSession | None
    became: Mapping[str, str]


def versions(
    tree: Tree,
    way: Sequence[str],
    penned: Mapping[str, PendingText],
    pen: EditContext,
    ids: Mapping[str, str],
    sittings: Sequence[EditSession] = (),
    action: str = "",
) -> Commit:
    """Make versions of what stands under the pen, instead of those that these sittings made of the same
    passages: nothing hangs on those (see `may_be_amended`). Raises: InvalidInput as `revise`.
    """
    before = {now: origin for sitting in sittings for now, origin in sitting.origins.items()}
    typed: dict[str, PendingText] = {}
    for sitting in sittings:
        typed |= {sitting.origins[now]: one for now, one in sitting.typed.items()}
    typed |= {before.get(node_id, node_id): one for node_id, one in penned.items()}
    coming = {before.get(node_id, node_id): coming_id for node_id, coming_id in ids.items()}
    seen, back = _before(tree, sittings)
    old_way = [before.get(node_id, node_id) for node_id in way]
    change = revise(seen, old_way, typed, pen, coming)
    made = {} if change is None else {n.edited_from or "": n.id for n in change.added_nodes()}
    became = {node_id: made.get(origin, origin) for node_id, origin in before.items()}
    became |= {node_id: made.get(node_id, node_id) for node_id in penned if node_id not in before}
    whole = _whole(tree, seen, back, change, "Edit", pen)
    if change is None or whole is None:
        return Commit(whole and replace(whole, action=action), None, became)
    origins = {version_id: origin for origin, version_id in made.items()}
    kept = {version_id: typed[origin] for version_id, origin in origins.items()}
    return Commit(replace(whole, action=action), EditSession(change, origins, kept), became)


def added(
    tree: Tree,
    leaf_id: str,
    typed: PendingText,
    pen: EditContext,
    sitting: EditSession | None = None,
    action: str = "",
) -> Commit:
    """Make a node of what was written at the path's end, instead of the one that this sitting made of it."""
    seen, back = _before(tree, () if sitting is None else (sitting,))
    before_id = NEW if sitting is None else next(iter(sitting.origins))
    sources = None
    if sitting is not None:
        [edge] = [
            row.before for row in back if isinstance(row.before, Edge) and row.before.target_id == before_id
        ]
        sources = edge.sources
        leaf_id = tree.path.selections.get(before_id, sources[-1].node_id)
    change = node_edits.add_node(seen, leaf_id, typed.text, pen, sources=sources) if typed.text else None
    if change is not None and sources is not None:
        change = _through(seen, change, leaf_id)
    whole = _whole(tree, seen, back, change, "Write", pen, "write")
    if change is None or whole is None:
        return Commit(whole and replace(whole, action=action), None, {before_id: NEW})
    [node] = change.added_nodes()
    made = EditSession(change, {node.id: NEW}, {node.id: typed})
    return Commit(replace(whole, action=action), made, {before_id: node.id})


def _through(tree: Tree, change: Change, leaf_id: str) -> Change:
    """A new node's change, its path through one of the versions that it hangs on."""
    [node] = change.added_nodes()
    path = ActivePath(node.id, {**tree.path.selections, node.id: leaf_id}, tree.path.extra)
    rows = tuple(row for row in change.rows if not isinstance(row.row, ActivePath))
    return replace(change, rows=(*rows, RowChange(tree.path, path)))


def may_be_amended(tree: Tree, sitting: EditSession) -> bool:
    """True if nothing hangs on what a sitting made: no child, note, answer, version, tag, link or summary,
    whoever made it; and nothing of it was changed.
    """
    made = {node.id for node in sitting.change.added_nodes()}
    rows = {row.row.key for row in sitting.change.rows if isinstance(row.row, Edge)}
    try:
        check(tree, Change(tree.loom.id, "", 0, tuple(_back(tree, sitting))))
    except StaleChange:
        return False
    edges = [edge for node_id in made for edge in tree.edges_out(node_id)]
    is_marked = any(True for node_id in _named(tree) if node_id in made)
    return (
        all(edge.id in rows for edge in edges)
        and not any(tree.edits_of(node_id) for node_id in made)
        and not is_marked
    )


def names(change: Change, node_ids: Collection[str]) -> bool:
    """True if a change adds nodes that are made of pieces of some others."""
    made_of = (str(node.extra.get(PIECES, "")) for node in change.added_nodes())
    return any(node_id in pieces for pieces in made_of for node_id in node_ids)


def _named(tree: Tree) -> Iterator[str]:
    """The nodes that have tags, links, summaries or a place among the notes that are sent."""
    for tag in tree.tags.values():
        yield from tag.node_ids
    for link in tree.links.values():
        yield link.from_node_id
        if link.to_tree_id == tree.loom.id:
            yield link.to_node_id
    yield from (summary.node_id for summary in tree.branch_summaries.values())
    yield from (summary.anchor_node_id for summary in tree.context_summaries.values())
    yield from tree.included_annotations.node_ids


def _back(tree: Tree, sitting: EditSession) -> list[RowChange]:
    """The rows that take a sitting back, but for the path. What its nodes hang on may have got versions."""
    made = {node.id for node in sitting.change.added_nodes()}
    rows = [row for row in sitting.change.inverse().rows if not isinstance(row.row, ActivePath)]
    return [
        RowChange(tree.edges.get(row.row.key, row.before), None)
        if isinstance(row.before, Edge) and row.after is None and row.before.target_id in made
        else row
        for row in rows
    ]


def _before(tree: Tree, sittings: Sequence[EditSession]) -> tuple[Tree, list[RowChange]]:
    """The tree as it would be without some sittings, and the rows that make it so."""
    back = [row for sitting in reversed(sittings) for row in _back(tree, sitting)]
    if not back:
        return tree, back
    seen = tree.sketch()
    apply(seen, Change(tree.loom.id, "", tree.loom.updated_at, tuple(back)))
    origins = {now: origin for sitting in sittings for now, origin in sitting.origins.items()}
    seen.path = _path_before(tree, sittings, origins)
    return seen, back


def _path_before(tree: Tree, sittings: Sequence[EditSession], origins: Mapping[str, str]) -> ActivePath:
    """The path that is read, through what these sittings began with."""
    path, chosen = tree.path, dict(tree.path.selections)
    for target, source in path.selections.items():
        if target in origins or source in origins:
            del chosen[target]
    for sitting in sittings:
        first = next((r.before for r in sitting.change.rows if isinstance(r.before, ActivePath)), None)
        for target, source in () if first is None else first.selections.items():
            if path.selections.get(target) in origins:
                chosen |= {target: source}
    for now, origin in origins.items():
        if origin and path.selections.get(now):
            chosen.setdefault(origin, path.selections[now])
    leaf = path.leaf_id
    if leaf in origins:
        leaf = origins[leaf] or path.selections.get(leaf) or tree.incoming(leaf)[0].with_role("primary")[-1]
    return replace(path, leaf_id=leaf, selections=_that_are(tree, chosen, origins))


def _that_are(tree: Tree, chosen: Mapping[str, str], gone: Mapping[str, str]) -> Mapping[str, str]:
    """The choices between several sources, as a tree stores them."""
    return {
        target: source
        for target, source in chosen.items()
        if target not in gone
        and source not in gone
        and any(source in edge.with_role("primary") for edge in tree.incoming(target))
    }


def _whole(
    tree: Tree,
    seen: Tree,
    back: Sequence[RowChange],
    change: Change | None,
    label: str,
    pen: EditContext,
    kind: ChangeKind = "",
) -> Change | None:
    """Return one change that takes back what was, and makes what is; None if both are the same."""
    if not back:
        return change
    taken = Change(tree.loom.id, label, pen.now, tuple(back), by=pen.by, kind=kind)
    both = taken if change is None else undo.joined((taken, change), backwards=False)
    path = seen.path
    rows = []
    for row in both.rows:
        if isinstance(row.after, ActivePath):
            path = row.after
        elif row.before is not None or row.after is not None:
            rows.append(row)
    rows.append(RowChange(tree.path, path))
    named = taken if change is None else change
    return replace(both, label=named.label, kind=named.kind, rows=tuple(rows))
