"""Trees: new ones, the Change that saves other settings, and titles that follow the first words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from itertools import islice
from typing import Any

from loomapp.core.edits.edit_context import EditContext, change_of, new_node, role_kept
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.content import Text, with_text
from loomapp.core.model.entities import ContextSettings, Edge, LoomTree, Mode, Node, Row
from loomapp.core.model.tree import Tree

TITLE_WORDS = 6
TITLE_LENGTH = 48
_WORD = re.compile(r"\S+")
_LINE_END = re.compile(r"[\n\r\u2029]")
_HEADING = re.compile(r"\s*#{1,6}[ \t]+([^\s#][^\n]{0,400})")  # of Markdown


def new_tree(
    mode: Mode, title: str, pen: EditContext, *, text: str = "", system_context: str | None = None
) -> Tree:
    """A tree with one root; the root may be empty, then it is only the place where the tree starts."""
    root_id = pen.new_id()
    loom = LoomTree(
        pen.new_id(),
        title or title_from(text),
        mode,
        root_id,
        system_context=system_context or None,
        created_at=pen.now,
        updated_at=pen.now,
    )
    tree = Tree(loom)
    tree.put_node(new_node(tree, root_id, Text(text), pen))
    return tree


def title_from(text: str) -> str:
    """The heading that a text begins with, else the first words of its first line, for a title; empty if it
    has none.
    """
    heading = _HEADING.match(text)
    text, most = (text, TITLE_WORDS) if heading is None else (heading[1].rstrip(" \t\r#"), TITLE_LENGTH)
    # Of a long text no more than these words is looked at, and of a long word no more than a title takes.
    first = _WORD.search(text)
    end = None if first is None else _LINE_END.search(text, first.end())
    found = islice(_WORD.finditer(text, 0, len(text) if end is None else end.start()), most + 1)
    words = [text[m.start() : min(m.end(), m.start() + TITLE_LENGTH + 1)] for m in found]
    title = " ".join(words[:most])
    if len(title) > TITLE_LENGTH:
        return title[: TITLE_LENGTH - 1].rstrip() + "…"
    return title + ("…" if len(words) > most else "")


def tree_from_edited_root(tree: Tree, text: str, pen: EditContext) -> Tree:
    """The edit of a dialogue's first message: a tree of its own with the same settings."""
    fresh = new_tree(tree.loom.mode, title_from(text), pen, text=text)
    original = tree.nodes[tree.root_id]
    root = new_node(fresh, fresh.root_id, with_text(original.content, text), pen)
    fresh.put_node(replace(root, role=role_kept(original, pen)))
    fresh.loom = replace(
        fresh.loom,
        system_context=tree.loom.system_context,
        buffer_mode_system_context=tree.loom.buffer_mode_system_context,
        context_settings=tree.loom.context_settings,
    )
    return fresh


def with_settings(now: LoomTree, shown: LoomTree, typed: LoomTree) -> LoomTree:
    """`now` with those settings in which `typed` differs from what was shown when it was typed."""
    loom_fields = ("description", "system_context", "buffer_mode_system_context")
    context_fields = (field.name for field in fields(ContextSettings))
    return replace(
        now,
        **_different(loom_fields, shown, typed),
        context_settings=replace(
            now.context_settings,
            **_different(context_fields, shown.context_settings, typed.context_settings),
        ),
    )


def _different(names: Iterable[str], shown: object, typed: object) -> dict[str, Any]:
    return {name: getattr(typed, name) for name in names if getattr(typed, name) != getattr(shown, name)}


def change_loom(tree: Tree, label: str, pen: EditContext, loom: LoomTree) -> Change | None:
    """Other settings, title or description of the tree; mode, id and root stay.

    Raises: InvalidInput for another mode of a tree that has more than its empty root.
    """
    if loom == tree.loom:
        return None
    started = len(tree.nodes) > 1 or not tree.is_empty_root(tree.root_id)
    if loom.mode != tree.loom.mode and started:
        raise InvalidInput("The mode of a tree is fixed by its first node. View a copy in the other mode.")
    return change_of(tree, label, pen, (RowChange(tree.loom, loom),))


_NUMBERED = re.compile(r"Loom Tree \d+")


def first_words(tree: Tree) -> str:
    """Return the first words of the root, or of the first message below an empty one, in the newest version
    that lives; empty if there are none.
    """
    root = tree.root_id
    first = tree.first_living_child(root) if tree.is_empty_root(root) else root
    return "" if first is None else title_from(tree.nodes[_newest_version(tree, first)].text)


def _newest_version(tree: Tree, node_id: str) -> str:
    """Return the newest living version of a message, at any remove from the first; else the node itself. Of
    one that was split, or filled in, the lower part is none: it goes on from elsewhere.
    """
    original = tree.family(node_id)
    met, waiting = {original}, [original]
    while waiting:
        edits = [i for i in tree.edits_of(waiting.pop()) if i in tree.nodes and i not in met]
        met.update(edits)
        waiting += edits
    above = tree.plain_parents.get(node_id)
    places = (i for i in met if i in tree.nodes and tree.plain_parents.get(i) == above)
    living = (i for i in places if not tree.nodes[i].metadata.pruned)
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
    """Return a step that fits a tree which another program called otherwise, set otherwise, or took the first
    words from meanwhile.
    """
    rows = tuple(row for row in change.rows if not _is_of_another_start(row, tree, change))
    if 0 < len(rows) < len(change.rows):
        change = replace(change, rows=rows)
    return with_title(tree, change)


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
