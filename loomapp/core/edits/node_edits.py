"""Edits of a tree's nodes, their links and one-liners, each as a Change, or None if nothing is to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from loomapp.core.edits.edit_context import (
    EditContext,
    change_of,
    continuation,
    hung_like,
    new_node,
    path_through,
    path_to,
    role_kept,
)
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Content, Text, is_editable, taken_apart, with_text
from loomapp.core.model.entities import DECIDED, Edge, EdgeSource, Link, LoomTree, Node, Row
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded


def add_node(
    tree: Tree, parent_id: str, text: str, pen: EditContext, *, sources: tuple[EdgeSource, ...] | None = None
) -> Change:
    """A new node that continues `parent_id`; the active path moves to it.

    `sources` replaces the edge's sources where there is more than the one primary.
    """
    return add_content(tree, parent_id, Text(text), pen, sources=sources)


def add_aside(tree: Tree, parent_id: str, text: str, pen: EditContext) -> Change:
    """A new node that continues `parent_id`; the active path stays where it is."""
    node, edge = continuation(tree, Text(text), (EdgeSource(parent_id),), pen)
    return change_of(tree, "Write", pen, (RowChange(None, node), RowChange(None, edge)), "write")


def add_content(
    tree: Tree,
    parent_id: str,
    content: Content,
    pen: EditContext,
    *,
    sources: tuple[EdgeSource, ...] | None = None,
    selections: Mapping[str, str] | None = None,
) -> Change:
    """A new node of any content; the active path moves to it, by `selections` or else as the tree chooses."""
    node, edge = continuation(tree, content, sources or (EdgeSource(parent_id),), pen)
    rows = (RowChange(None, node), RowChange(None, edge), path_to(tree, node.id, selections))
    return change_of(tree, "Write", pen, rows, "write")


def attach(tree: Tree, contents: Sequence[Content], pen: EditContext) -> Change:
    """Loose sources: nodes that hang on nothing, to go along with what is generated."""
    rows: list[RowChange] = []
    taken: set[str] = set()
    for content in contents:
        node = new_node(tree, pen.new_id(), content, pen)
        local_id = tree.new_local_id(node.id, taken)
        taken.add(local_id)
        rows.append(RowChange(None, replace(node, local_id=local_id)))
    label = "Attach" if len(rows) == 1 else f"Attach {len(rows)} files"
    return change_of(tree, label, pen, tuple(rows))


def edit_as_sibling(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change | None:
    """Make a new version of a node with another text beside the original, which stays as it is.

    It hangs on the same sources, a note as a note; nothing below the original is copied; the active path
    moves to it. It is sent in the role in which its original is, whoever edits it: a corrected answer stays
    one, and asks nothing. None if the text is the same. Raises: InvalidInput for a root
    (`tree_from_edited_root` is its edit), and for content of more than words and what is attached to them.
    """
    original = tree.nodes[node_id]
    content = _edited(original, text)
    if content is None:
        return None
    incoming = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    if not incoming:
        raise InvalidInput(worded("{node} starts the tree: its edit is a new tree.", node=original.local_id))
    node, edge = hung_like(tree, content, incoming[0], pen, edited_from=node_id)
    node = replace(node, role=role_kept(original, pen))
    rows = [RowChange(None, node), RowChange(None, edge), *included_instead(tree, {node_id: node.id})]
    return change_of(tree, "Edit", pen, (*rows, path_to(tree, node.id)))


def edit_as_version(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change | None:
    """Fix what it says, in a buffer: a version beside the original; everything downstream follows both.

    Every edge that continues the original, or is a note on it, gains the version as another primary source;
    the active path switches to the version and keeps its leaf. None if the text is the same.

    Raises: InvalidInput for content of more than words and what is attached to them.
    """
    original = tree.nodes[node_id]
    content = _edited(original, text)
    if content is None:
        return None
    incoming = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    like = incoming[0] if incoming else None
    version, edge = hung_like(tree, content, like, pen, edited_from=node_id)
    rows = [RowChange(None, version)] + ([RowChange(None, edge)] if incoming else [])
    rows += included_instead(tree, {node_id: version.id})
    for after in tree.edges_out(node_id):
        if node_id in after.with_role("primary"):
            gained = replace(after, sources=(*after.sources, EdgeSource(version.id)))
            rows.append(RowChange(after, gained))
    return change_of(tree, "Edit", pen, (*rows, path_through(tree, node_id, version.id)))


def _edited(original: Node, text: str) -> Content | None:
    """A node's content with another text; None if it is the same. Raises: InvalidInput for no plain text."""
    if not is_editable(original.content):
        raise InvalidInput(
            worded("{node} is not plain text and cannot be edited as text.", node=original.local_id)
        )
    return None if taken_apart(original.content)[0] == text else with_text(original.content, text)


def annotate(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change:
    """A note on a node. It is no part of any context until it is included."""
    note = new_node(tree, pen.new_id(), Text(text), pen)
    edge = Edge(pen.new_id(), (EdgeSource(node_id),), note.id, "annotation", pen.now)
    return change_of(tree, "Note", pen, (RowChange(None, note), RowChange(None, edge)))


def edit_note(tree: Tree, note_id: str, text: str, pen: EditContext) -> Change | None:
    """Put a note with another text in the place of a note: sent if that was, living also if that was pruned.
    The one before is pruned, unless something hangs on it, which is read with what it said.

    None if the text is the same. Raises: InvalidInput for content of more than words.
    """
    original = tree.nodes[note_id]
    content = _edited(original, text)
    if content is None:
        return None
    note, edge = hung_like(tree, content, tree.annotation_edges_into(note_id)[0], pen, edited_from=note_id)
    metadata = replace(original.metadata, pruned=False)
    note = replace(note, metadata=metadata, role=role_kept(original, pen))
    pruned = replace(original, metadata=replace(original.metadata, pruned=True))
    rows = [RowChange(None, note), RowChange(None, edge)]
    if pruned != original and not tree.edges_out(note_id):
        rows.append(RowChange(original, pruned))
    rows += included_instead(tree, {note_id: note.id})
    if tree.path.leaf_id == note_id:
        rows.append(path_to(tree, note.id))
    return change_of(tree, "Edit", pen, tuple(rows))


def include_annotation(tree: Tree, note_id: str, included: bool, pen: EditContext) -> Change | None:
    before = tree.included_annotations
    others = tuple(node_id for node_id in before.node_ids if node_id != note_id)
    after = replace(before, node_ids=(*others, note_id) if included else others)
    if (note_id in before.node_ids) == included:
        return None
    label = "Include note in context" if included else "Take note out of context"
    return change_of(tree, label, pen, (RowChange(before, after),))


def included_instead(tree: Tree, edited: Mapping[str, str]) -> list[RowChange]:
    """Notes that are switched on for context give way to their edits: ids of edits by those of originals."""
    before = tree.included_annotations
    after = replace(before, node_ids=tuple(edited.get(node_id, node_id) for node_id in before.node_ids))
    return [RowChange(before, after)] if after != before else []


def choose_path(
    tree: Tree, leaf_id: str, pen: EditContext, selections: Mapping[str, str] | None = None
) -> Change | None:
    """Make the path to a node the active one. Saved, but no step of undo."""
    before = tree.path
    chosen = before.selections if selections is None else selections
    after = replace(before, leaf_id=leaf_id, selections=chosen)
    if after == before:
        return None
    return replace(change_of(tree, "Choose path", pen, (RowChange(before, after),)), undoable=False)


def link(tree: Tree, from_id: str, to_id: str, label: str | None, pen: EditContext) -> Change | None:
    """Link a node to another one of its tree. None if it is linked so already."""
    wanted = Link(from_id, tree.loom.id, to_id, label)
    before = tree.links.get(wanted.key)
    if before is not None and before.label == label:
        return None
    return change_of(tree, "Link", pen, (RowChange(before, wanted),))


def sum_up_node(tree: Tree, node_id: str, sentence: str, pen: EditContext) -> Change | None:
    """Give a node its one-liner; None if it has just that."""
    node = tree.nodes[node_id]
    if node.summary == sentence:
        return None
    change = change_of(tree, "One-liner", pen, (RowChange(node, replace(node, summary=sentence)),))
    return replace(change, undoable=False)


def sum_up_tree(tree: Tree, sentences: str, pen: EditContext) -> Change | None:
    """Give a tree its one-liner; None if it has just that."""
    if tree.loom.summary == sentences:
        return None
    loom = replace(tree.loom, summary=sentences)
    change = change_of(tree, "One-liner", pen, (RowChange(tree.loom, loom),))
    return replace(change, undoable=False)


def told_as(other: Node, node: Node) -> Node:
    """A node with the one-liner of another, and what was decided about its trace."""
    extra = {name: value for name, value in node.metadata.extra.items() if name != DECIDED}
    extra |= {DECIDED: other.metadata.extra[DECIDED]} if DECIDED in other.metadata.extra else {}
    return replace(node, summary=other.summary, metadata=replace(node.metadata, extra=extra))


def with_one_liner_of_today(now: Row | None, row: RowChange) -> RowChange:
    """A row of an undo or redo that fits what it is about as that is `now`, if a one-liner was made since, or
    a person decided about what its trace tells of: both stay. A row that fits, and one that is not as
    expected otherwise, is left as it is.
    """
    before, after = row.before, row.after
    if isinstance(before, Node) and isinstance(now, Node):
        if now == before or told_as(before, now) != before:
            return row
        return RowChange(now, told_as(now, after) if isinstance(after, Node) else after)
    if isinstance(before, LoomTree) and isinstance(now, LoomTree) and isinstance(after, LoomTree):
        if now.summary == before.summary or replace(now, summary=before.summary) != before:
            return row
        return RowChange(now, replace(after, summary=now.summary))
    return row
