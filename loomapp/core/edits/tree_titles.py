"""Titles of trees that nobody named: they follow the first words, as a row of the change that moves these."""

from __future__ import annotations

import re
from dataclasses import replace

from loomapp.core.edits.tree_edits import title_from
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.entities import Edge, LoomTree, Node, Row
from loomapp.core.model.tree import Tree

_NUMBERED = re.compile(r"Loom Tree \d+")


def first_words(tree: Tree) -> str:
    """Return the first words of the root, or of the first message below an empty one, in the newest version
    that lives; empty if there are none.
    """
    root = tree.root_id
    first = tree.first_living_child(root) if tree.is_empty_root(root) else root
    return "" if first is None else title_from(tree.nodes[_newest_version(tree, first)].text)


def _newest_version(tree: Tree, node_id: str) -> str:
    """Return the newest living version of a message, at any remove from the first; else the node itself."""
    original = tree.family(node_id)
    met, waiting = {original}, [original]
    while waiting:
        edits = [i for i in tree.edits_of(waiting.pop()) if i in tree.nodes and i not in met]
        met.update(edits)
        waiting += edits
    living = (i for i in met if i in tree.nodes and not tree.nodes[i].metadata.pruned)
    return max(living, key=tree.node_places.__getitem__, default=node_id)


def is_unnamed(tree: Tree) -> bool:
    """True for a tree that has the title it was given without being asked, or none."""
    title = tree.loom.title
    return not title or _NUMBERED.fullmatch(title) is not None or title == first_words(tree)


def with_title(tree: Tree, change: Change) -> Change:
    """Let the title of an unnamed tree follow its first words where a step that is to come moves them. It
    is a row of that step: undo takes back both.
    """
    if not change.undoable or not _is_about_the_start(tree, change) or not is_unnamed(tree):
        return change
    if any(tree.was_here(node.id) for node in change.added_nodes()):
        return change  # what was undone is brought back beside the words of now; no sketch can do that
    moved = tree.sketch()
    apply(moved, replace(change, rows=tuple(row for row in change.rows if _may_decide(tree, row))))
    title = first_words(moved)
    if title in ("", first_words(tree), tree.loom.title):
        return change
    return replace(change, rows=(*change.rows, RowChange(tree.loom, replace(tree.loom, title=title))))


def with_title_of_today(tree: Tree, change: Change) -> Change:
    """Return a step that fits a tree which another program called otherwise, or set otherwise, meanwhile."""
    if len(change.rows) == 1:
        return change
    rows = tuple(row for row in change.rows if not _is_of_another_start(row, tree, change))
    return change if len(rows) == len(change.rows) else with_title(tree, replace(change, rows=rows))


def with_settings_of_today(tree: Tree, change: Change) -> Change:
    """Return a change of settings, or of a name, that fits a tree of which the title followed its first words
    since the change was made.
    """
    rows = tuple(_of_todays_title(row, tree.loom) for row in change.rows)
    return replace(change, rows=rows) if rows != change.rows else change


def _of_todays_title(row: RowChange, now: LoomTree) -> RowChange:
    before, after = row.before, row.after
    if not isinstance(before, LoomTree) or not isinstance(after, LoomTree) or before == now:
        return row
    if replace(before, title=now.title) != now:
        return row
    title = now.title if after.title == before.title else after.title
    return RowChange(now, replace(after, title=title))


def _is_of_another_start(row: RowChange, tree: Tree, change: Change) -> bool:
    """True for a title that was found before another program called the tree something, or wrote in it."""
    before, after = row.before, row.after
    if not isinstance(before, LoomTree) or not isinstance(after, LoomTree):
        return False
    if replace(after, title=before.title) != before:
        return False
    return before != tree.loom or any(title_from(node.text) == after.title for node in change.added_nodes())


def _is_about_the_start(tree: Tree, change: Change) -> bool:
    """True if words come, go or change that stand at the root, or right below it, and the title stays."""
    if any(True for _ in change.changed(LoomTree)):
        return False
    return any(_is_at_the_start(tree, row.row) for row in change.rows)


def _may_decide(tree: Tree, change: RowChange) -> bool:
    """True for a row that first words may rest on: at the start, new, gone, or one of several versions. Of
    a branch that is deleted these are few.
    """
    before, after = change.before, change.after
    if before is None or after is None:
        return True
    if isinstance(after, Node):
        return after.edited_from is not None or after.id in tree.edited or _is_at_the_start(tree, after)
    return _is_at_the_start(tree, before) or _is_at_the_start(tree, after)


def _is_at_the_start(tree: Tree, row: Row) -> bool:
    root = tree.root_id
    if isinstance(row, Edge):
        return any(source.node_id == root for source in row.sources)
    if not isinstance(row, Node):
        return False
    if row.edited_from is not None and tree.family(row.edited_from) == root:
        return True
    above = tree.plain_parents.get(row.id)
    if above is not None:
        return above == root
    edges = tree.incoming(row.id)
    return row.id == root or any(source.node_id == root for edge in edges for source in edge.sources)
