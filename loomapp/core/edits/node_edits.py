"""Every edit of a tree as a pure function that returns a Change, or None where there is nothing to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

from loomapp.core.edits.prune import below_alone, path_without
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Content, Text, is_editable, sound_content, taken_apart, with_text
from loomapp.core.model.entities import (
    ActivePath,
    AuthorType,
    ContextSettings,
    Edge,
    EdgeSource,
    LoomTree,
    Metadata,
    Mode,
    Node,
)
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds

TITLE_WORDS = 6
TITLE_LENGTH = 48


@dataclass(frozen=True, slots=True)
class EditContext:
    """Author, time, ids for new rows, and name for the log, as an edit needs them from outside."""

    agent_id: str
    now: Milliseconds
    new_id: Callable[[], str]
    author_type: AuthorType = "human"
    by: str = "you"
    is_sketch: bool = (
        False  # what it writes is looked at and no more: it gets no hash, which costs a long text
    )

    def naming(self, node_id: str) -> EditContext:
        """Return a context whose first new row has an id given out before: a new node comes first."""
        given = iter((node_id,))
        return replace(self, new_id=lambda: next(given, "") or self.new_id())


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
    tree.put_node(_node(tree, root_id, Text(text), pen))
    return tree


_WORD = re.compile(r"\S+")


def title_from(text: str) -> str:
    """The first words of a text, for a title; empty if it has none."""
    # Of a long text no more than these words is looked at, and of a long word no more than a title takes.
    found = islice(_WORD.finditer(text), TITLE_WORDS + 1)
    words = [text[m.start() : min(m.end(), m.start() + TITLE_LENGTH + 1)] for m in found]
    title = " ".join(words[:TITLE_WORDS])
    if len(title) > TITLE_LENGTH:
        return title[: TITLE_LENGTH - 1].rstrip() + "…"
    return title + ("…" if len(words) > TITLE_WORDS else "")


def add_node(
    tree: Tree, parent_id: str, text: str, pen: EditContext, *, sources: tuple[EdgeSource, ...] | None = None
) -> Change:
    """A new node that continues `parent_id`; the active path moves to it.

    `sources` replaces the edge's sources where there is more than the one primary.
    """
    return add_content(tree, parent_id, Text(text), pen, sources=sources)


def add_content(
    tree: Tree,
    parent_id: str,
    content: Content,
    pen: EditContext,
    *,
    sources: tuple[EdgeSource, ...] | None = None,
    selections: Mapping[str, str] | None = None,
) -> Change:
    """A new node of any content, likewise; the path there goes by `selections`, else as the tree chooses."""
    node, edge = _continuation(tree, content, sources or (EdgeSource(parent_id),), pen)
    rows = (RowChange(None, node), RowChange(None, edge), _path_to(tree, node.id, selections))
    return _change(tree, "Write", pen, rows)


def attach(tree: Tree, contents: Sequence[Content], pen: EditContext) -> Change:
    """Loose sources: nodes that hang on nothing, to go along with what is generated."""
    rows: list[RowChange] = []
    taken: set[str] = set()
    for content in contents:
        node = _node(tree, pen.new_id(), content, pen)
        local_id = tree.new_local_id(node.id, taken)
        taken.add(local_id)
        rows.append(RowChange(None, replace(node, local_id=local_id)))
    label = "Attach" if len(rows) == 1 else f"Attach {len(rows)} files"
    return _change(tree, label, pen, tuple(rows))


def edit_as_sibling(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change | None:
    """Make a new version of a node with another text beside the original, which stays as it is.

    It hangs on the same sources, a note as a note; nothing below the original is copied; the active path
    moves to it. None if the text is the same. Raises: InvalidInput for a root (`tree_from_edited_root` is its
    edit), and for content of more than words and what is attached to them.
    """
    original = tree.nodes[node_id]
    if not is_editable(original.content):
        raise InvalidInput(
            worded("{node} is not plain text and cannot be edited as text.", node=original.local_id)
        )
    if taken_apart(original.content)[0] == text:
        return None
    incoming = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    if not incoming:
        raise InvalidInput(worded("{node} starts the tree: its edit is a new tree.", node=original.local_id))
    content = with_text(original.content, text)
    node, edge = _hung(tree, content, incoming[0], pen, edited_from=node_id)
    rows = [RowChange(None, node), RowChange(None, edge), *included_instead(tree, {node_id: node.id})]
    return _change(tree, "Edit", pen, (*rows, _path_to(tree, node.id)))


def edit_as_version(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change | None:
    """Fix what it says, in a buffer: a version beside the original; everything downstream follows both.

    Every edge that continues the original, or is a note on it, gains the version as another primary source;
    the active path switches to the version and keeps its leaf. None if the text is the same.

    Raises: InvalidInput for content of more than words and what is attached to them.
    """
    original = tree.nodes[node_id]
    if not is_editable(original.content):
        raise InvalidInput(
            worded("{node} is not plain text and cannot be edited as text.", node=original.local_id)
        )
    if taken_apart(original.content)[0] == text:
        return None
    incoming = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    like = incoming[0] if incoming else None
    version, edge = _hung(tree, with_text(original.content, text), like, pen, edited_from=node_id)
    rows = [RowChange(None, version)] + ([RowChange(None, edge)] if incoming else [])
    rows += included_instead(tree, {node_id: version.id})
    for after in tree.edges_out(node_id):
        if node_id in after.with_role("primary"):
            gained = replace(after, sources=(*after.sources, EdgeSource(version.id)))
            rows.append(RowChange(after, gained))
    return _change(tree, "Edit", pen, (*rows, _path_through(tree, node_id, version.id)))


def tree_from_edited_root(tree: Tree, text: str, pen: EditContext) -> Tree:
    """The edit of a dialogue's first message: a tree of its own with the same settings."""
    fresh = new_tree(tree.loom.mode, title_from(text), pen, text=text)
    content = with_text(tree.nodes[tree.root_id].content, text)
    fresh.put_node(_node(fresh, fresh.root_id, content, pen))
    fresh.loom = replace(
        fresh.loom,
        system_context=tree.loom.system_context,
        buffer_mode_system_context=tree.loom.buffer_mode_system_context,
        context_settings=tree.loom.context_settings,
    )
    return fresh


def annotate(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change:
    """A note on a node. It is no part of any context until it is included."""
    note = _node(tree, pen.new_id(), Text(text), pen)
    edge = Edge(pen.new_id(), (EdgeSource(node_id),), note.id, "annotation", pen.now)
    return _change(tree, "Note", pen, (RowChange(None, note), RowChange(None, edge)))


def include_annotation(tree: Tree, note_id: str, included: bool, pen: EditContext) -> Change | None:
    """Switch a note on or off for context."""
    before = tree.included_annotations
    others = tuple(node_id for node_id in before.node_ids if node_id != note_id)
    after = replace(before, node_ids=(*others, note_id) if included else others)
    if (note_id in before.node_ids) == included:
        return None
    label = "Include note in context" if included else "Take note out of context"
    return _change(tree, label, pen, (RowChange(before, after),))


def included_instead(tree: Tree, edited: Mapping[str, str]) -> list[RowChange]:
    """Notes that are switched on for context give way to their edits: ids of edits by those of originals."""
    before = tree.included_annotations
    after = replace(before, node_ids=tuple(edited.get(node_id, node_id) for node_id in before.node_ids))
    return [RowChange(before, after)] if after != before else []


def exclude(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Leave nodes out of every context; they stay where they are."""
    return _set_metadata(tree, node_ids, "Exclude", pen, lambda m: replace(m, excluded=True))


def include(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Take excluded nodes back into contexts."""
    return _set_metadata(tree, node_ids, "Include", pen, lambda m: replace(m, excluded=False))


def bookmark(tree: Tree, node_id: str, label: str | None, pen: EditContext) -> Change | None:
    """Mark a node so that it is found again."""

    def marked(metadata: Metadata) -> Metadata:
        return replace(metadata, bookmarked=True, bookmark_label=label)

    return _set_metadata(tree, (node_id,), "Bookmark", pen, marked)


def bookmark_plainly(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Mark nodes without a label."""
    marked: dict[str, Any] = {"bookmarked": True, "bookmark_label": None}
    return _set_metadata(tree, node_ids, "Bookmark", pen, lambda m: replace(m, **marked))


def remove_bookmark(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    """Take a bookmark away, and its label."""
    return remove_bookmarks(tree, (node_id,), pen)


def remove_bookmarks(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Take several away."""
    unmarked: dict[str, Any] = {"bookmarked": False, "bookmark_label": None}
    return _set_metadata(tree, node_ids, "Remove bookmark", pen, lambda m: replace(m, **unmarked))


def prune(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    """Hide a node and what hangs below it alone; nothing is deleted.

    A descendant that another, living version carries stays, and a path to it takes the newest such version
    in the node's place. Any other path that ran through the node now ends before it. The text before it
    stays, and what it was parted from or merged into does not bring its words back.
    """
    return _pruned(tree, below_alone(tree, [node_id]), pen)


def prune_branches(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Hide nodes that are on no path that is read, and what hangs below them and nothing else."""
    return _hidden(tree, below_alone(tree, node_ids), pen)


def prune_all(tree: Tree, node_ids: Iterable[str], pen: EditContext) -> Change | None:
    """Hide several nodes likewise."""
    return _pruned(tree, below_alone(tree, node_ids), pen)


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
    """Bring back several, likewise."""
    below = [i for i in tree.descendants_of(node_ids) if i in tree.nodes]  # a damaged tree names more
    return _set_metadata(tree, below, "Restore", pen, lambda m: replace(m, pruned=False))


def with_settings(now: LoomTree, shown: LoomTree, typed: LoomTree) -> LoomTree:
    """`now` with those settings in which `typed` differs from what was shown when it was typed."""
    loom_fields = ("system_context", "buffer_mode_system_context")
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
    return _change(tree, label, pen, (RowChange(tree.loom, loom),))


def choose_path(
    tree: Tree, leaf_id: str, pen: EditContext, selections: Mapping[str, str] | None = None
) -> Change | None:
    """Make the path to a node the active one. Saved, but no step of undo."""
    before = tree.path
    chosen = before.selections if selections is None else selections
    after = replace(before, leaf_id=leaf_id, selections=chosen)
    if after == before:
        return None
    return replace(_change(tree, "Choose path", pen, (RowChange(before, after),)), undoable=False)


# What edits are made of


def _node(
    tree: Tree,
    node_id: str,
    content: Content,
    pen: EditContext,
    *,
    parent_hashes: tuple[str, ...] = (),
    edited_from: str | None = None,
) -> Node:
    node = Node(
        id=node_id,
        local_id=tree.new_local_id(node_id),
        content=content,
        author_type=pen.author_type,
        author_agent_id=pen.agent_id,
        created_at=pen.now,
        parent_hashes=parent_hashes,
        edited_from=edited_from,
    )
    node = replace(node, content=sound_content(content))
    return node if pen.is_sketch else replace(node, content_hash=content_hash(node))


def _continuation(
    tree: Tree,
    content: Content,
    sources: tuple[EdgeSource, ...],
    pen: EditContext,
    *,
    edited_from: str | None = None,
) -> tuple[Node, Edge]:
    hashes = tuple(sorted(tree.nodes[source.node_id].content_hash for source in sources))
    node = _node(tree, pen.new_id(), content, pen, parent_hashes=hashes, edited_from=edited_from)
    return node, Edge(pen.new_id(), sources, node.id, created_at=pen.now)


def _hung(
    tree: Tree, content: Content, like: Edge | None, pen: EditContext, *, edited_from: str
) -> tuple[Node, Edge]:
    """An edit that hangs where its original hangs, by the edge `like`; the edge of a root is for nothing."""
    if like is None or like.type == "continuation":
        sources = () if like is None else like.sources
        return _continuation(tree, content, sources, pen, edited_from=edited_from)
    node = _node(tree, pen.new_id(), content, pen, edited_from=edited_from)
    return node, Edge(pen.new_id(), like.sources, node.id, like.type, pen.now)


def _path_to(tree: Tree, leaf_id: str, selections: Mapping[str, str] | None = None) -> RowChange:
    chosen = tree.path.selections if selections is None else selections
    return RowChange(tree.path, ActivePath(leaf_id, chosen, tree.path.extra))


def _path_through(tree: Tree, original_id: str, version_id: str) -> RowChange:
    """The active path with a version in the place of its original; it keeps its leaf below."""
    before = tree.path
    if before.leaf_id == original_id:
        return _path_to(tree, version_id)
    selections = {**before.selections, **dict.fromkeys(tree.children(original_id), version_id)}
    return RowChange(before, replace(before, selections=selections))


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
    return _change(tree, label if len(rows) == 1 else f"{label} {len(rows)} nodes", pen, rows)


def _change(tree: Tree, label: str, pen: EditContext, rows: tuple[RowChange, ...]) -> Change:
    return Change(tree.loom.id, label, pen.now, rows, by=pen.by)
