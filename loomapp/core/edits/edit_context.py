"""The context of an edit, author, time and ids, and the rows that edits are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.model.change import BY_USER, Change, ChangeKind, RowChange
from loomapp.core.model.content import Content, sound_content
from loomapp.core.model.entities import ROLES, ActivePath, AuthorType, Edge, EdgeSource, Node, SentRole
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.tree import Tree
from loomapp.core.times import Milliseconds


@dataclass(frozen=True, slots=True)
class EditContext:
    """Author, time, ids for new rows, and name for the log, as an edit needs them from outside."""

    agent_id: str
    now: Milliseconds
    new_id: Callable[[], str]
    author_type: AuthorType = "human"
    by: str = BY_USER
    is_sketch: bool = (
        False  # what it writes is looked at and no more: it gets no hash, which costs a long text
    )

    def naming(self, node_id: str) -> EditContext:
        """Return a context whose first new row has an id given out before: a new node comes first."""
        given = iter((node_id,))
        return replace(self, new_id=lambda: next(given, "") or self.new_id())


def new_node(
    tree: Tree,
    node_id: str,
    content: Content,
    pen: EditContext,
    *,
    parent_hashes: tuple[str, ...] = (),
    edited_from: str | None = None,
) -> Node:
    """A new node of any content by the edit's author, with its hash unless the edit is only a sketch."""
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


def continuation(
    tree: Tree,
    content: Content,
    sources: tuple[EdgeSource, ...],
    pen: EditContext,
    *,
    edited_from: str | None = None,
) -> tuple[Node, Edge]:
    """A new node that continues its sources, and the edge between them."""
    hashes = tuple(sorted(tree.nodes[source.node_id].content_hash for source in sources))
    node = new_node(tree, pen.new_id(), content, pen, parent_hashes=hashes, edited_from=edited_from)
    return node, Edge(pen.new_id(), sources, node.id, created_at=pen.now)


def hung_like(
    tree: Tree, content: Content, like: Edge | None, pen: EditContext, *, edited_from: str
) -> tuple[Node, Edge]:
    """An edit that hangs where its original hangs, by the edge `like`; the edge of a root is for nothing."""
    if like is None or like.type == "continuation":
        sources = () if like is None else like.sources
        return continuation(tree, content, sources, pen, edited_from=edited_from)
    node = new_node(tree, pen.new_id(), content, pen, edited_from=edited_from)
    return node, Edge(pen.new_id(), like.sources, node.id, like.type, pen.now)


def role_kept(original: Node, pen: EditContext) -> SentRole | None:
    """Return the role of an edit: it is sent as what it was edited from, whoever edits it."""
    if original.role is None and original.author_type != pen.author_type:
        return ROLES[original.author_type]
    return original.role


def path_to(tree: Tree, leaf_id: str, selections: Mapping[str, str] | None = None) -> RowChange:
    """The active path moved to a leaf, by other choices if they are given."""
    chosen = tree.path.selections if selections is None else selections
    return RowChange(tree.path, ActivePath(leaf_id, chosen, tree.path.extra))


def path_through(tree: Tree, original_id: str, version_id: str) -> RowChange:
    """The active path with a version in the place of its original; it keeps its leaf below."""
    before = tree.path
    if before.leaf_id == original_id:
        return path_to(tree, version_id)
    selections = {**before.selections, **dict.fromkeys(tree.children(original_id), version_id)}
    return RowChange(before, replace(before, selections=selections))


def change_of(
    tree: Tree, label: str, pen: EditContext, rows: tuple[RowChange, ...], kind: ChangeKind = ""
) -> Change:
    return Change(tree.loom.id, label, pen.now, rows, by=pen.by, kind=kind)
