"""Tags of a tree: named marks on nodes, given, taken away, renamed, each as one Change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Node, Tag
from loomapp.core.model.tree import Tree

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
