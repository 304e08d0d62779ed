"""Rows of nodes and edges out of the file: statements that read them, and the values that they become."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, and_, bindparam, or_, select

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Content, Text, content_from_json
from loomapp.core.model.entities import Edge, EdgeSource, EdgeType, Interrupted, Metadata, Node, Role
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress
from loomapp.core.tree_json import PLAIN
from loomapp.store import schema
from loomapp.store.statements import Statement, json_object, json_value, moment

_NODES, _EDGES, _SOURCES = schema.nodes.c, schema.edges.c, schema.edge_sources.c
_NODE_COLUMNS = (  # of a plain node, as nearly all are
    _NODES.id, _NODES.node_id, _NODES.local_id, _NODES.text, _NODES.author_type, _NODES.author_agent_id,
    _NODES.created_at, _NODES.content_hash, _NODES.parent_hashes,
)  # fmt: skip
_NODE_REST = (
    _NODES.content, _NODES.edited_from, _NODES.interrupted, _NODES.extra, _NODES.summary, _NODES.bookmarked,
    _NODES.bookmark_label, _NODES.pruned, _NODES.excluded, _NODES.metadata_extra, _NODES.role,
)  # fmt: skip
_NODE_HAS_REST = or_(
    *(column.is_not(None if column.nullable else False) for column in _NODE_REST),  # by whatever hand
)
_EDGE_COLUMNS = _EDGES.id, _EDGES.edge_id, _EDGES.target, _EDGES.created_at, _SOURCES.node
_EDGE_REST = _EDGES.type, _EDGES.extra, _SOURCES.role, _SOURCES.extra
_EDGE_HAS_REST = or_(
    _EDGES.type != "continuation",
    _SOURCES.role.is_distinct_from("primary"),
    _EDGES.extra.is_not(None),
    _SOURCES.extra.is_not(None),
)
_IN_TREE: BindParameter[int] = bindparam("in_tree")
_IS_THERE = and_(_NODES.tree == _IN_TREE, _NODES.present)
READ_NODES = Statement(lambda: select(*_NODE_COLUMNS, *_NODE_REST).where(_IS_THERE).order_by(_NODES.id))
# Each value of a row that becomes one of Python's costs as much as all that SQLite does to find it: what few
# nodes have is read for those alone.
_READ_PLAIN = Statement(lambda: select(*_NODE_COLUMNS, _NODE_HAS_REST).where(_IS_THERE).order_by(_NODES.id))
_READ_REST = Statement(lambda: select(*_NODE_REST).where(_IS_THERE, _NODE_HAS_REST).order_by(_NODES.id))
READ_NODE = Statement(
    lambda: select(*_NODE_COLUMNS, *_NODE_REST).where(
        _NODES.tree == _IN_TREE, _NODES.node_id == bindparam("name")
    )
)
_ABSENT_NODES = Statement(
    lambda: select(_NODES.id, _NODES.node_id).where(_NODES.tree == _IN_TREE, ~_NODES.present)
)
_EDGE_IS_THERE = and_(_EDGES.tree == _IN_TREE, _EDGES.present)


def _of_edges(*columns: ColumnElement[Any], also: ColumnElement[bool] = _EDGE_IS_THERE) -> Statement:
    """Read edges in their order, each as often as it has sources, once if it has none."""
    joined = select(*columns).outerjoin_from(schema.edges, schema.edge_sources, _SOURCES.edge == _EDGES.id)
    return Statement(lambda: joined.where(_EDGE_IS_THERE, also).order_by(_EDGES.id, _SOURCES.position))


READ_EDGES = _of_edges(*_EDGE_COLUMNS, *_EDGE_REST)
_READ_PLAIN_EDGES = _of_edges(*_EDGE_COLUMNS, _EDGE_HAS_REST)
_READ_EDGE_REST = _of_edges(*_EDGE_REST, also=_EDGE_HAS_REST)
_ABSENT_EDGES = Statement(
    lambda: select(_EDGES.id, _EDGES.edge_id).where(_EDGES.tree == _IN_TREE, ~_EDGES.present)
)
PART = 1000  # rows between two looks whether anybody still wants them
_NUMBER_AND_ID = itemgetter(0, 1)
_NO_MORE: Json = {}  # keys of foreign files that nearly no row has: the same for all
_ONE_HASH = len('[""]') + 64
_PLAIN_EDGE: tuple[EdgeType, None, Role, None] = "continuation", None, "primary", None


def fill(connection: Connection, number: int, tree: Tree, progress: Progress) -> None:
    """Put the nodes and edges that the file holds into an empty tree."""
    of_tree = {"in_tree": number}
    node_ids, edge_ids = (dict(rows.run(connection, of_tree)) for rows in (_ABSENT_NODES, _ABSENT_EDGES))
    is_all_there, done = not node_ids and not edge_ids, len(node_ids) + len(edge_ids)

    def read(rows: Statement, ids: dict[int, str]) -> Iterator[Sequence[Any]]:
        nonlocal done
        found = rows.run(connection, of_tree)
        while part := found.fetchmany(PART):
            done += len(part)
            progress(done, 0)
            if not is_all_there:
                ids.update(map(_NUMBER_AND_ID, part))
            yield from part

    def rest(rows: Statement) -> Iterator[Sequence[Any]]:
        yield from rows.run(connection, of_tree)  # once the first is wanted

    nodes = _nodes(read(_READ_PLAIN, node_ids), rest(_READ_REST), node_ids)
    edges = _edges(read(_READ_PLAIN_EDGES, edge_ids), rest(_READ_EDGE_REST), node_ids)
    tree.fill(nodes, edges)
    if not is_all_there:
        tree.keep_places(*([name for _, name in sorted(ids.items())] for ids in (node_ids, edge_ids)))


def node_of(row: Sequence[Any]) -> Node:
    """The node of a row, see `READ_NODES`."""
    return _node_with(row, row[len(_NODE_COLUMNS) :])


def _node_with(row: Sequence[Any], rest: Sequence[Any]) -> Node:
    _, node_id, local_id, text, author_type, author_id, created_at, content_hash, parent_hashes, *_ = row
    (
        content, edited_from, interrupted, extra, summary, bookmarked, label, pruned, excluded,
        metadata_extra, role,
    ) = rest  # fmt: skip
    metadata = PLAIN
    if bookmarked or label is not None or pruned or excluded or metadata_extra:
        flags = bool(bookmarked), label, bool(pruned), bool(excluded)
        metadata = Metadata(*flags, _NO_MORE if metadata_extra is None else json_object(metadata_extra))
    return Node(
        node_id,
        local_id,
        Text(str(text), _NO_MORE) if content is None else _content(json_value(content), node_id),
        author_type,
        author_id,
        moment(created_at),
        content_hash,
        hashes_of(parent_hashes),
        edited_from,
        _interrupted(interrupted) if interrupted else None,
        summary,
        metadata,
        _NO_MORE if extra is None else json_object(extra),
        role,
    )


def _nodes(
    rows: Iterable[Sequence[Any]], rest: Iterator[Sequence[Any]], names: dict[int, str]
) -> Iterator[Node]:
    """Nodes in order of creation; `names` gains the id of each by the number of its row."""
    same: dict[str, Any] = {}
    for row in rows:
        number, node_id, local_id, text, author_type, author_id, created_at, found, parents, has_rest = row
        names[number] = node_id
        author_type = same.setdefault(author_type, author_type)  # each once, not once a node
        author_id = same.setdefault(author_id, author_id)
        if has_rest:
            yield _node_with(row, next(rest))
            continue
        yield Node(
            node_id,
            local_id,
            Text(text if type(text) is str else str(text), _NO_MORE),
            author_type,
            author_id,
            moment(created_at),
            found,
            hashes_of(parents),
            None,
            None,
            None,
            PLAIN,
            _NO_MORE,
            None,
        )


def hashes_of(text: str | None) -> tuple[str, ...]:
    """The hashes of parents, as a node's cell has them."""
    if text is None:
        return ()
    if not isinstance(text, str):
        return (str(text),)
    if len(text) == _ONE_HASH and text.count('"') == 2 and "\\" not in text:
        return (text[2:-2],)  # as json.loads has it, for the hundred thousand usual ones
    hashes = json_value(text)
    return tuple(map(str, hashes)) if isinstance(hashes, list) else (str(text),)


def _content(value: object, node_id: str) -> Content:
    try:
        return content_from_json(value, f"node {node_id}")
    except InvalidInput as error:
        # Damaged by another hand: the node's hash will say so, and the rest of the tree can be read.
        return Text(error.message)


def _interrupted(text: str) -> Interrupted:
    rest = json_object(text)
    return Interrupted(str(rest.pop("reason", "unknown")), rest)


def _edges(
    rows: Iterable[Sequence[Any]], rest: Iterator[Sequence[Any]], names: Mapping[int, str]
) -> Iterator[Edge]:
    """Edges in order of creation. Ends that the file lost are named so that whoever meets them is told."""
    last: Edge | None = None
    last_number = 0
    for number, edge_id, target, created_at, node, has_rest in rows:
        kind, extra, role, more = next(rest) if has_rest else _PLAIN_EDGE
        sources: tuple[EdgeSource, ...] = ()
        if node is not None:
            name = names.get(node) or f"lost row {node}"
            sources = (EdgeSource(name, role, _NO_MORE if more is None else json_object(more)),)
        if last is not None and number == last_number:  # each comes as often as it has sources
            last = replace(last, sources=last.sources + sources)
            continue
        if last is not None:
            yield last
        name = names.get(target) or f"lost row {target}"
        extra = _NO_MORE if extra is None else json_object(extra)
        last_number, last = number, Edge(edge_id, sources, name, kind, moment(created_at), extra)
    if last is not None:
        yield last
