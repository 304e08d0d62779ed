"""A tree out of the file: rows of columns into the values of the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import Any, cast

from sqlalchemy import Connection, Row, select

from loomapp.core.change import Change
from loomapp.core.content import Content, Text
from loomapp.core.encoding import content_from_json, loom_from_json
from loomapp.core.errors import GroveError, InvalidInput
from loomapp.core.tree import (
    ActivePath,
    BranchSummary,
    ContextSummary,
    Edge,
    EdgeSource,
    IncludedAnnotations,
    Interrupted,
    Link,
    LoomTree,
    Metadata,
    Node,
    Tag,
    Tree,
)
from loomapp.store import schema
from loomapp.store.change_log import Logged
from loomapp.store.log_rows import node_ids

_NODE_COLUMNS = (
    schema.nodes.c.id,
    schema.nodes.c.node_id,
    schema.nodes.c.local_id,
    schema.nodes.c.text,
    schema.nodes.c.content,
    schema.nodes.c.author_type,
    schema.nodes.c.author_agent_id,
    schema.nodes.c.created_at,
    schema.nodes.c.content_hash,
    schema.nodes.c.parent_hashes,
    schema.nodes.c.edited_from,
    schema.nodes.c.interrupted,
    schema.nodes.c.extra,
    schema.nodes.c.summary,
    schema.nodes.c.bookmarked,
    schema.nodes.c.bookmark_label,
    schema.nodes.c.pruned,
    schema.nodes.c.excluded,
    schema.nodes.c.metadata_extra,
)
_PLAIN = Metadata()
_CHUNK = 500  # names in one query


def tree_row(connection: Connection, tree_id: str) -> Row[Any]:
    """The row of a tree. Raises: GroveError unknownTree."""
    row = connection.execute(select(schema.trees).where(schema.trees.c.tree_id == tree_id)).one_or_none()
    if row is None:
        raise GroveError("unknownTree", f"There is no tree {tree_id} in this grove.", tree=tree_id)
    return row


def has_tree(connection: Connection, tree_id: str) -> bool:
    """Whether the grove holds a tree of this id."""
    query = select(schema.trees.c.id).where(schema.trees.c.tree_id == tree_id)
    return connection.execute(query).first() is not None


def tree_number(connection: Connection, tree_id: str) -> int:
    """The integer of a tree's row. Raises: GroveError unknownTree."""
    return cast(int, tree_row(connection, tree_id).id)


def read_tree(connection: Connection, tree_id: str) -> Tree:
    """A whole tree as the file holds it, in order of creation. Raises: GroveError unknownTree."""
    row = tree_row(connection, tree_id)
    number = cast(int, row.id)
    tree = Tree(loom(row))
    names: dict[int, str] = {}
    nodes: list[Node] = []
    query = select(*_NODE_COLUMNS).where(*_present(schema.nodes, number)).order_by(schema.nodes.c.id)
    for node_row in connection.execute(query):
        nodes.append(node(node_row))
        names[node_row[0]] = node_row[1]
    absent = _absent(connection, schema.nodes, schema.nodes.c.node_id, number)
    edge_rows = connection.execute(_edges(number)).all()
    absent_edges = _absent(connection, schema.edges, schema.edges.c.edge_id, number)
    tree.keep_places(
        _in_order(names.items(), absent), _in_order(((r.id, r.edge_id) for r in edge_rows), absent_edges)
    )
    names.update(absent)
    for value in nodes:
        tree.put_node(value)
    for edge in _edge_values(connection, number, edge_rows, names):
        tree.put_edge(edge)
    tree.path = ActivePath(row.leaf_id, _selections(connection, number), row.path_extra or {})
    tree.extra = row.file_extra or {}
    _read_marks(connection, number, tree)
    return tree


def read_nodes(connection: Connection, number: int, node_ids: Sequence[str]) -> dict[str, Node]:
    """Nodes of a tree by id, also those whose creation is undone; what the file does not hold is left out."""
    found: dict[str, Node] = {}
    for start in range(0, len(node_ids), _CHUNK):
        query = select(*_NODE_COLUMNS).where(
            schema.nodes.c.tree == number, schema.nodes.c.node_id.in_(node_ids[start : start + _CHUNK])
        )
        found.update((row.node_id, node(row)) for row in connection.execute(query))
    return found


def logged_change(
    connection: Connection, tree_id: str, number: int, logged: Logged, known: Mapping[str, Node] | None = None
) -> Change:
    """The Change of an entry of the log; `known` are nodes that need not be read again."""
    nodes = {} if known is None else known
    missing = [node_id for node_id in node_ids(logged.rows) if node_id not in nodes]
    read = read_nodes(connection, number, missing)
    return logged.change(tree_id, lambda node_id: nodes[node_id] if node_id in nodes else read[node_id])


def loom(row: Row[Any]) -> LoomTree:
    """What is said of a whole tree."""
    settings = loom_from_json({"mode": row.mode, "contextSettings": row.context_settings}, "trees")
    return LoomTree(
        id=row.tree_id,
        title=row.title,
        mode=row.mode,
        root_id=row.root_id,
        description=row.description,
        summary=row.summary,
        system_context=row.system_context,
        buffer_mode_system_context=row.buffer_mode_system_context,
        context_settings=settings.context_settings,
        created_at=row.created_at,
        updated_at=row.updated_at,
        archived_at=row.archived_at,
        extra=row.extra or {},
    )


def node(row: Sequence[Any]) -> Node:
    """A node of a row of `_NODE_COLUMNS`."""
    (
        _, node_id, local_id, text, content, author_type, author_agent_id, created_at, content_hash,
        parent_hashes, edited_from, interrupted, extra, summary, bookmarked, label, pruned, excluded,
        metadata_extra,
    ) = row  # fmt: skip
    metadata = _PLAIN
    if bookmarked or label is not None or pruned or excluded or metadata_extra:
        metadata = Metadata(bookmarked, label, pruned, excluded, metadata_extra or {})
    return Node(
        node_id,
        local_id,
        Text(str(text)) if content is None else _content(content, node_id),
        author_type,
        author_agent_id,
        created_at,
        content_hash,
        tuple(parent_hashes or ()),
        edited_from,
        None if interrupted is None else _interrupted(interrupted),
        summary,
        metadata,
        extra or {},
    )


def _content(value: object, node_id: str) -> Content:
    try:
        return content_from_json(value, f"node {node_id}")
    except InvalidInput as error:
        # Damaged by another hand: the node's hash will say so, and the rest of the tree can be read.
        return Text(error.message)


def _interrupted(value: dict[str, object]) -> Interrupted:
    rest = dict(value)
    return Interrupted(str(rest.pop("reason", "unknown")), rest)


def _present(table: Any, number: int) -> tuple[Any, Any]:
    return table.c.tree == number, table.c.present


def _absent(connection: Connection, table: Any, name: Any, number: int) -> dict[int, str]:
    query = select(table.c.id, name).where(table.c.tree == number, ~table.c.present)
    rows = connection.execute(query.order_by(table.c.id))
    return {row[0]: row[1] for row in rows}


def _in_order(present: Iterable[tuple[int, str]], absent: dict[int, str]) -> Iterator[str]:
    return (name for _, name in merge(present, absent.items()))


def _edges(number: int) -> Any:
    return select(schema.edges).where(*_present(schema.edges, number)).order_by(schema.edges.c.id)


def _edge_values(
    connection: Connection, number: int, rows: Sequence[Row[Any]], names: dict[int, str]
) -> Iterator[Edge]:
    """Edges in order of creation. Ends that the file lost are named so that whoever meets them is told."""
    table = schema.edge_sources
    query = (
        select(table.c.edge, table.c.node, table.c.role, table.c.extra)
        .join(schema.edges, schema.edges.c.id == table.c.edge)
        .where(*_present(schema.edges, number))
        .order_by(table.c.edge, table.c.position)
    )
    sources: dict[int, list[EdgeSource]] = {}
    for edge, node_number, role, extra in connection.execute(query):
        name = names.get(node_number) or f"lost row {node_number}"
        sources.setdefault(edge, []).append(EdgeSource(name, role, extra or {}))
    for row in rows:
        target = names.get(row.target) or f"lost row {row.target}"
        arriving = tuple(sources.get(row.id, ()))
        yield Edge(row.edge_id, arriving, target, row.type, row.created_at, row.extra or {})


def _selections(connection: Connection, number: int) -> dict[str, str]:
    table = schema.selections
    query = select(table.c.target_id, table.c.source_id).where(table.c.tree == number).order_by(table.c.id)
    return {row.target_id: row.source_id for row in connection.execute(query)}


def _read_marks(connection: Connection, number: int, tree: Tree) -> None:
    included = schema.included_annotations
    query = select(included.c.node_id).where(included.c.tree == number).order_by(included.c.position)
    tree.included_annotations = IncludedAnnotations(tuple(connection.execute(query).scalars()))
    for tag in _tags(connection, number):
        tree.tags[tag.key] = tag
    for row in connection.execute(_of_tree(schema.links, number)):
        link = Link(row.from_node_id, row.to_tree_id, row.to_node_id, row.label, row.extra or {})
        tree.links[link.key] = link
    for row in connection.execute(_of_tree(schema.branch_summaries, number)):
        tree.branch_summaries[row.node_id] = BranchSummary(row.node_id, row.body)
    for row in connection.execute(_of_tree(schema.context_summaries, number)):
        summary = ContextSummary(row.anchor_node_id, row.covered_hash, row.body)
        tree.context_summaries[summary.key] = summary


def _of_tree(table: Any, number: int) -> Any:
    return select(table).where(table.c.tree == number).order_by(table.c.id)


def _tags(connection: Connection, number: int) -> Iterator[Tag]:
    members: dict[int, list[str]] = {}
    table = schema.tag_nodes
    query = (
        select(table.c.tag, table.c.node_id)
        .join(schema.tags, schema.tags.c.id == table.c.tag)
        .where(schema.tags.c.tree == number)
        .order_by(table.c.tag, table.c.position)
    )
    for tag, node_id in connection.execute(query):
        members.setdefault(tag, []).append(node_id)
    for row in connection.execute(_of_tree(schema.tags, number)):
        yield Tag(row.name, row.colour, tuple(members.get(row.id, ())), row.extra or {})
