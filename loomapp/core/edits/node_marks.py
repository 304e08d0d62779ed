"""Marks on nodes: excluded, bookmarked, deleted (pruned) or restored, tagged; each set as one Change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import FULL, ActivePath, Edge, Metadata, Node, Tag
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation, resolve, siblings
from loomapp.core.paths.version_groups import VersionGroups, default_primary


def exclude(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Leave nodes out of every context; they stay where they are."""
    return _set_metadata(tree, node_ids, "Exclude", pen, lambda m: replace(m, excluded=True))


def include(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    return _set_metadata(tree, node_ids, "Include", pen, lambda m: replace(m, excluded=False))


def bookmark(tree: Tree, node_id: str, label: str | None, pen: EditContext) -> Change | None:
    def marked(metadata: Metadata) -> Metadata:
        return replace(metadata, bookmarked=True, bookmark_label=label)

    return _set_metadata(tree, (node_id,), "Bookmark", pen, marked)


def bookmark_plainly(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Mark nodes without a label."""
    marked: dict[str, Any] = {"bookmarked": True, "bookmark_label": None}
    return _set_metadata(tree, node_ids, "Bookmark", pen, lambda m: replace(m, **marked))


def remove_bookmarks(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Take several bookmarks away, and their labels."""
    unmarked: dict[str, Any] = {"bookmarked": False, "bookmark_label": None}
    return _set_metadata(tree, node_ids, "Remove bookmark", pen, lambda m: replace(m, **unmarked))


def toggle_bookmarks(tree: Tree, node_ids: Sequence[str], pen: EditContext) -> Change | None:
    """Mark nodes without a label; if all of them are marked, take the marks away."""
    is_marked = all(tree.nodes[node_id].metadata.bookmarked for node_id in node_ids)
    return (remove_bookmarks if is_marked else bookmark_plainly)(tree, node_ids, pen)


def send_in_full(tree: Tree, node_id: str, in_full: bool, pen: EditContext) -> Change | None:
    """Never shorten what a node sends, or let it be shortened again."""

    def marked(metadata: Metadata) -> Metadata:
        extra = {key: value for key, value in metadata.extra.items() if key != FULL}
        return replace(metadata, extra={**extra, FULL: True} if in_full else extra)

    return _set_metadata(tree, (node_id,), "Send in full" if in_full else "Shorten when full", pen, marked)


def prune(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    """Hide a node and what hangs below it alone; nothing is deleted.

    A descendant that another, living version carries stays, and a path to it takes the newest such version
    in the node's place. Any other path that ran through the node now ends before it. The text before it
    stays, and what it was parted from or merged into does not bring its words back; nor does a version that
    differs in nothing but spaces at its end, which were left out for a request: it goes too.
    """
    return prune_all(tree, [node_id], pen)


def prune_branches(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Hide nodes that are on no path that is read, and what hangs below them and nothing else."""
    return _hidden(tree, below_alone(tree, node_ids), pen)


def prune_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Hide several nodes and what hangs below them alone; see `prune`."""
    alike = (version for node_id in node_ids for version in siblings.alike(tree, node_id))
    return _pruned(tree, below_alone(tree, alike), pen)


def _pruned(tree: Tree, doomed: Collection[str], pen: EditContext) -> Change | None:
    change = _hidden(tree, doomed, pen)
    path = path_without(tree, doomed)
    if change is None or path == tree.path:
        return change
    return replace(change, rows=(*change.rows, RowChange(tree.path, path)))


def _hidden(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    return _set_metadata(tree, node_ids, "Prune", pen, lambda m: replace(m, pruned=True))


def restore(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    """Bring back a pruned node and everything below it."""
    return restore_all(tree, (node_id,), pen)


def restore_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Bring back several pruned nodes and everything below them."""
    below = [i for i in tree.descendants(*node_ids) if i in tree.nodes]  # a damaged tree names more
    return _set_metadata(tree, below, "Restore", pen, lambda m: replace(m, pruned=False))


def _set_metadata(
    tree: Tree, node_ids: Iterable[str], label: str, pen: EditContext, update: Callable[[Metadata], Metadata]
) -> Change | None:
    before = [tree.nodes[node_id] for node_id in dict.fromkeys(node_ids)]
    updated: dict[int, Metadata] = {}  # by which value it was: nearly all nodes have one and the same
    for node in before:
        if id(node.metadata) not in updated:
            updated[id(node.metadata)] = update(node.metadata)
    pairs = [(node, updated[id(node.metadata)]) for node in before]
    is_other = dict.fromkeys(updated, False)
    is_other |= {id(node.metadata): metadata != node.metadata for node, metadata in pairs}
    rows = tuple(RowChange(n, n.with_metadata(after)) for n, after in pairs if is_other[id(n.metadata)])
    if not rows:
        return None
    return change_of(tree, label if len(rows) == 1 else f"{label} {len(rows)} nodes", pen, rows)


def below_alone(tree: Tree, node_ids: Iterable[str]) -> dict[str, None]:
    """The nodes and what hangs below them and nothing else that is living.

    What is read after one of them hangs below it alone too where it could otherwise only be read after what
    holds its words: what it was parted from, or merged into. They would be back with all that follows.
    """
    doomed, plain = dict.fromkeys(node_ids), tree.plain_parents
    stack = list(doomed)
    while stack:
        current = stack.pop()
        for edge in tree.edges_out(current):
            if edge.target_id in doomed or edge.target_id not in tree.nodes:
                continue
            is_plain = plain.get(edge.target_id) == current
            if is_plain or (current in edge.with_role("primary") and _goes_too(tree, edge, doomed)):
                doomed[edge.target_id] = None
                stack.append(edge.target_id)
    return doomed


def path_without(tree: Tree, doomed: Container[str]) -> ActivePath:
    """The active path past nodes that are hidden, as far as versions in their place lead on. What comes
    before them stays. No choice leads over them any more where another source does.
    """
    kept = {target: source for target, source in tree.path.selections.items() if source not in doomed}
    gone = {target: source for target, source in tree.path.selections.items() if target in doomed}
    selections = {**kept, **gone}
    before = tree.path if selections == tree.path.selections else replace(tree.path, selections=selections)
    try:
        way = resolve.resolve(tree, tree.path.leaf_id).node_ids
    except AssemblyError:
        return tree.path
    first = next((place for place, node_id in enumerate(way) if node_id in doomed), 0)
    if not first:
        return before
    if way[-1] in doomed:
        return replace(before, leaf_id=way[first - 1])
    instead = _past(tree, way, first, doomed)
    chosen = {
        node_id: above
        for above, node_id in pairwise(instead[first - 1 :])
        if tree.plain_parents.get(node_id) != above
    }
    return replace(before, leaf_id=instead[-1], selections={**selections, **chosen})


def _past(tree: Tree, way: tuple[str, ...], first: int, doomed: Container[str]) -> list[str]:
    """A way with others in the place of hidden nodes, as far as it leads."""
    found = list(way[:first])
    for place in range(first, len(way)):
        node_id = way[place]
        if node_id in doomed:
            after = way[place + 1]
            beside = [i for i in tree.living_children(found[-1]) if i not in doomed]
            others = [i for i in beside if siblings.is_edit_of(tree, i, node_id)]
            others = [i for i in others if after in doomed or i in _primaries(tree, after)]
            if not others:
                return found
            node_id = default_primary(tree, others, VersionGroups(tree))
        elif found[-1] != way[place - 1] and found[-1] not in _primaries(tree, node_id):
            return found
        found.append(node_id)
    return found


def _goes_too(tree: Tree, edge: Edge, doomed: Container[str]) -> bool:
    """True if nothing is left after which the target of an edge is read."""
    primaries = edge.with_role("primary")
    left = [tree.nodes[i] for i in primaries if i not in doomed and i in tree.nodes]
    living = [node.id for node in left if not node.metadata.pruned]
    if not living:
        return True
    read = navigation.parent(tree, edge.target_id)
    if read is None or read not in doomed:
        return False
    whole = _parted_from(tree, read)
    return all(_holds(tree, other, read, whole) for other in living)


def _holds(tree: Tree, other: str, node_id: str, whole: Container[str]) -> bool:
    """True if another node has the words of one, but does not stand in its place."""
    is_beside = not set(_primaries(tree, other)).isdisjoint(_primaries(tree, node_id))
    if is_beside and siblings.is_edit_of(tree, other, node_id):
        return False
    return other in whole or any(part in whole for part in siblings.merged_from(tree, other))


def _parted_from(tree: Tree, node_id: str) -> dict[str, None]:
    """A node, and those that it is a part or an edit of."""
    found: dict[str, None] = {}
    current: str | None = node_id
    while current is not None and current not in found:
        found[current] = None
        node = tree.nodes.get(current)
        current = None if node is None or siblings.is_merged(node) else node.edited_from
    return found


def _primaries(tree: Tree, node_id: str) -> tuple[str, ...]:
    edges = tree.incoming(node_id)
    return tuple(edges[0].with_role("primary")) if edges else ()


SIGN = "#"
LONGEST_NAME = 60  # characters


def clean_name(typed: str) -> str:
    """Return a typed tag name as one line, without the sign in front; it may be empty."""
    return " ".join(typed.split()).removeprefix(SIGN).strip()[:LONGEST_NAME].rstrip()


def find_tag(tree: Tree, name: str) -> Tag | None:
    exact = tree.tags.get(name)
    folded = name.casefold()
    return exact or next((tag for tag in tree.tags.values() if tag.name.casefold() == folded), None)


def sorted_tags(tree: Tree) -> list[Tag]:
    return sorted(tree.tags.values(), key=lambda tag: (tag.name.casefold(), tag.name))


def tags_of(tree: Tree, node_id: str) -> list[Tag]:
    return [tag for tag in sorted_tags(tree) if node_id in tag.node_ids]


def tagged_nodes(tree: Tree, tag: Tag) -> list[Node]:
    """The nodes with a tag that are not pruned, oldest first."""
    found = (tree.nodes[node_id] for node_id in tag.node_ids if node_id in tree.nodes)
    return sorted((n for n in found if not n.metadata.pruned), key=lambda node: (node.created_at, node.id))


def put_tag(tree: Tree, node_ids: Iterable[str], name: str, pen: EditContext) -> Change | None:
    """Tag nodes; a name that is there already in another case means that tag. None if all have it.

    Raises: InvalidInput for a name without letters.
    """
    cleaned = clean_name(name)
    if not cleaned:
        raise InvalidInput("A tag needs a name.")
    before = find_tag(tree, cleaned)
    known = before or Tag(cleaned)
    after = replace(known, node_ids=tuple(dict.fromkeys((*known.node_ids, *node_ids))))
    return None if after == before else _change(tree, "Tag", pen, RowChange(before, after))


def take_tag(tree: Tree, node_ids: Iterable[str], name: str, pen: EditContext) -> Change | None:
    """Take a tag away from nodes; a tag that is on none any more is gone. None if none of them had it."""
    before = find_tag(tree, name)
    if before is None:
        return None
    gone = set(node_ids)
    left = tuple(node_id for node_id in before.node_ids if node_id not in gone)
    if left == before.node_ids:
        return None
    after = replace(before, node_ids=left) if left else None
    return _change(tree, "Remove tag", pen, RowChange(before, after))


def rename_tag(tree: Tree, name: str, typed: str, pen: EditContext) -> Change | None:
    """Call a tag otherwise; of two that are called the same by it one is made. None if nothing changes.

    Raises: InvalidInput for a name without letters.
    """
    before, cleaned = find_tag(tree, name), clean_name(typed)
    if not cleaned:
        raise InvalidInput("A tag needs a name.")
    if before is None or before.name == cleaned:
        return None
    other = find_tag(tree, cleaned)
    rows = [RowChange(before, None)]
    if other is None or other.name == before.name:
        rows.append(RowChange(None, replace(before, name=cleaned)))
    else:
        both = tuple(dict.fromkeys((*other.node_ids, *before.node_ids)))
        rows.append(RowChange(other, replace(other, node_ids=both)))
    return _change(tree, "Rename tag", pen, *rows)


def _change(tree: Tree, label: str, pen: EditContext, *rows: RowChange) -> Change:
    return Change(tree.loom.id, label, pen.now, rows, by=pen.by)
