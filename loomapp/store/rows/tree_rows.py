"""A tree out of the file: rows of columns into the values of the core, also those that are undone."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from sqlalchemy import BindParameter, Connection, Row, bindparam, func, select

from loomapp.core.errors import GroveError
from loomapp.core.json_values import Json
from loomapp.core.model.caches import empty
from loomapp.core.model.change import Change
from loomapp.core.model.entities import (
    ActivePath,
    AgentMemory,
    BranchSummary,
    ContextSummary,
    Edge,
    EdgeSource,
    IncludedAnnotations,
    Link,
    LoomTree,
    Node,
    Tag,
)
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import worded
from loomapp.core.tree_json import loom_from_json
from loomapp.store import schema
from loomapp.store.rows import node_rows
from loomapp.store.rows.change_log import Logged
from loomapp.store.rows.log_rows import NODE, LoggedRow, decode_all, node_ids
from loomapp.store.statements import BrokenText, Statement, moment, whole_texts

_NODES = schema.nodes.c
_IN_TREE: BindParameter[int] = bindparam("in_tree")
_COUNT_NODES = Statement(
    lambda: select(func.count()).select_from(schema.nodes).where(_NODES.tree == _IN_TREE, _NODES.present)
)
_TREE_NUMBER = Statement(lambda: select(schema.trees.c.id).where(schema.trees.c.tree_id == bindparam("name")))


def tree_row(connection: Connection, tree_id: str) -> Row[Any]:
    """The row of a tree. Raises: GroveError unknownTree."""
    row = connection.execute(select(schema.trees).where(schema.trees.c.tree_id == tree_id)).one_or_none()
    if row is None:
        raise GroveError(
            "unknownTree", worded("There is no tree {tree_id} in this grove.", tree_id=tree_id), tree=tree_id
        )
    return row


def has_tree(connection: Connection, tree_id: str) -> bool:
    return _TREE_NUMBER.run(connection, {"name": tree_id}).fetchone() is not None


def tree_number(connection: Connection, tree_id: str) -> int:
    """The integer of a tree's row. Raises: GroveError unknownTree."""
    found = _TREE_NUMBER.run(connection, {"name": tree_id}).fetchone()
    return cast(int, tree_row(connection, tree_id).id if found is None else found[0])


def count_nodes(connection: Connection, number: int) -> int:
    return int(_COUNT_NODES.run(connection, {"in_tree": number}).fetchone()[0])


def read_tree(connection: Connection, tree_id: str, progress: Progress = unheard) -> Tree:
    """A whole tree as the file holds it, in order of creation; `progress` counts its nodes and edges as they
    are read, and knows of no end. Raises: GroveError unknownTree; whatever `progress` raises.
    """
    row = tree_row(connection, tree_id)
    with no_collections():
        try:
            with whole_texts(connection):
                tree = _read_rows(connection, row, progress)
        except BrokenText:
            tree = _read_rows(connection, row, progress)  # as far as it is readable
    _read_marks(connection, row, tree)
    return tree


def read_marks(connection: Connection, tree_id: str) -> Tree:
    """A tree of which only what is said of it as a whole and its marks are read, and no node or edge.
    Raises: GroveError unknownTree.
    """
    row = tree_row(connection, tree_id)
    tree = Tree(loom(row))
    _read_marks(connection, row, tree)
    return tree


def read_each(connection: Connection, number: int) -> Iterator[tuple[int, Node]]:
    """The nodes of a tree one after the other, with the number of their rows, which rises."""
    return (
        (row[0], node_rows.node_of(row)) for row in node_rows.READ_NODES.run(connection, {"in_tree": number})
    )


@contextmanager
def no_collections() -> Iterator[None]:
    """Stop garbage collection while many rows become values: none is garbage, and looking again costs most of
    it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read_rows(connection: Connection, row: Row[Any], progress: Progress) -> Tree:
    tree = Tree(loom(row))
    try:
        node_rows.fill(connection, row.id, tree, progress)
    except BaseException:
        empty(tree.parts())
        raise
    return tree


def node_ids_of(connection: Connection, tree_id: str) -> frozenset[str] | None:
    """The ids of the nodes of a tree; None if there is no such tree."""
    query = select(_NODES.node_id).join(schema.trees, schema.trees.c.id == _NODES.tree)
    if not has_tree(connection, tree_id):
        return None
    found = connection.execute(query.where(schema.trees.c.tree_id == tree_id, _NODES.present)).scalars()
    return frozenset(found)


def read_nodes(connection: Connection, number: int, node_ids: Iterable[str]) -> dict[str, Node]:
    """Nodes of a tree by id, also those whose creation is undone; what the file does not hold is left out."""
    rows = (node_rows.READ_NODE.run(connection, {"in_tree": number, "name": n}).fetchone() for n in node_ids)
    return {row[1]: node_rows.node_of(row) for row in rows if row is not None}


def logged_change(
    connection: Connection, tree_id: str, number: int, logged: Logged, known: Mapping[str, Node] | None = None
) -> Change:
    """The Change of an entry of the log; `known` are nodes that need not be read again."""
    nodes = {} if known is None else known
    missing = [node_id for node_id in node_ids(logged.rows) if node_id not in nodes]
    with no_collections():
        read = read_nodes(connection, number, missing)
        return logged.change(tree_id, lambda node_id: nodes[node_id] if node_id in nodes else read[node_id])


def nodes_that_went(connection: Connection, number: int, rows: Iterable[LoggedRow]) -> dict[str, Node]:
    """Return the nodes that logged rows took from a tree, as they were then."""
    went = [row for row in rows if row[0] == NODE and row[1] is not None and row[2] is None]
    if not went:
        return {}
    nodes = read_nodes(connection, number, list(node_ids(went)))
    before = (change.before for change in decode_all(went, nodes.__getitem__))
    return {node.id: node for node in before if isinstance(node, Node)}


def loom(row: Row[Any]) -> LoomTree:
    """The values that are said of a whole tree."""
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
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        archived_at=None if row.archived_at is None else moment(row.archived_at),
        extra=row.extra or {},
    )


def kept_path(connection: Connection, number: int, tree: Tree) -> ActivePath:
    """A tree's path as the file has it, with the choices of nodes that are not there."""
    return replace(tree.path, selections=_selections(connection, number))


def _standing(tree: Tree, selections: dict[str, str]) -> dict[str, str]:
    """The choices of nodes that are there: older versions could keep one that another program had undone."""
    if tree.nodes.keys() >= {*selections, *selections.values()}:
        return selections
    return {t: s for t, s in selections.items() if t in tree.nodes and s in tree.nodes}


def _selections(connection: Connection, number: int) -> dict[str, str]:
    table = schema.selections
    query = select(table.c.target_id, table.c.source_id).where(table.c.tree == number).order_by(table.c.id)
    return {row.target_id: row.source_id for row in connection.execute(query)}


def _read_marks(connection: Connection, of: Row[Any], tree: Tree) -> None:
    number, selections = of.id, _standing(tree, _selections(connection, of.id))
    tree.path = ActivePath(of.leaf_id, selections, of.path_extra or {})
    tree.extra = of.file_extra or {}
    included = schema.included_annotations
    query = select(included.c.node_id).where(included.c.tree == number).order_by(included.c.position)
    tree.included_annotations = IncludedAnnotations(tuple(connection.execute(query).scalars()))
    for tag in _tags(connection, number):
        tree.tags[tag.key] = tag
    for row in connection.execute(_of_tree(schema.links, number)):
        link = Link(row.from_node_id, row.to_tree_id, row.to_node_id, row.label, row.extra or {})
        tree.links[link.key] = link
    for row in connection.execute(_of_tree(schema.branch_summaries, number)):
        tree.branch_summaries[row.node_id] = BranchSummary(row.node_id, row.body, row.response_id)
    for row in connection.execute(_of_tree(schema.context_summaries, number)):
        summary = ContextSummary(row.anchor_node_id, row.covered_hash, row.body, row.response_id)
        tree.context_summaries[summary.key] = summary
    for row in connection.execute(_of_tree(schema.agent_memory, number)):
        tree.agent_memory[row.agent_id] = AgentMemory(row.agent_id, row.body)


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


def undone_nodes(connection: Connection, number: int) -> dict[str, Node]:
    columns = schema.nodes.c
    query = select(columns.node_id).where(columns.tree == number, ~columns.present).order_by(columns.id)
    return read_nodes(connection, number, connection.execute(query).scalars().all())


def undone_edges(connection: Connection, number: int) -> Iterator[Edge]:
    """The edges of a tree whose creation is undone, in the order in which they were made."""
    edges, sources, nodes = schema.edges.c, schema.edge_sources, schema.nodes.c
    are_undone = edges.tree == number, ~edges.present
    if connection.execute(select(edges.id).where(*are_undone).limit(1)).first() is None:
        return  # the names of all nodes need not be read
    named = select(nodes.id, nodes.node_id).where(nodes.tree == number)
    names = dict(connection.execute(named).all())
    arriving: dict[int, list[EdgeSource]] = {}
    query = (
        select(sources.c.edge, sources.c.node, sources.c.role, sources.c.extra)
        .join(schema.edges, edges.id == sources.c.edge)
        .where(edges.tree == number, ~edges.present)
        .order_by(sources.c.edge, sources.c.position)
    )
    for edge, node, role, extra in connection.execute(query):
        arriving.setdefault(edge, []).append(EdgeSource(names.get(node, str(node)), role, extra or {}))
    columns = edges.id, edges.edge_id, edges.target, edges.type, edges.created_at, edges.extra
    for row, edge_id, target, kind, at, extra in connection.execute(
        select(*columns).where(edges.tree == number, ~edges.present).order_by(edges.id)
    ):
        ends = tuple(arriving.get(row, ()))
        yield Edge(edge_id, ends, names.get(target, str(target)), kind, moment(at), cast(Json, extra or {}))
