"""First nodes and edges of a tree that is new in the file, written under the numbers that their rows get.

A row of a tree that is there already finds its ends by their names, three look-ups for each edge; here nobody
has to look. Of a large tree a part at a time is in memory, and what the log says of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, Table, bindparam, func, insert, select

from loomapp.core.model import log_chain
from loomapp.core.model.change import RowChange
from loomapp.core.model.content import Text, content_to_json
from loomapp.core.model.entities import Edge, Node, Row
from loomapp.core.model.log_chain import WrittenRow, new_edge, new_node
from loomapp.core.model.new_tree import FirstRows
from loomapp.store import schema
from loomapp.store.rows.change_rows import broken_text_named, hashes_text, no_end
from loomapp.store.rows.log_rows import edge_in_short, encode, is_usual, seal
from loomapp.store.statements import Statement, json_text

Cells = tuple[object, ...]  # in the order of the table's columns
R = TypeVar("R", Node, Edge)
PART = 250  # rows that are written at once


def write_first_rows(
    connection: Connection, number: int, rows: FirstRows, label: str
) -> Iterator[WrittenRow]:
    """Write all nodes and edges of a tree that has none in the file yet, and yield each as the log writes it.

    Raises: InvalidInput if an edge names a node that is not in the tree, or a text is no Unicode.
    """
    numbers: dict[str, int] = {}
    for nodes, logged in _parts(rows.nodes, _next_number(connection, _LAST_NODE)):
        numbers |= {node.id: place for place, node in nodes}
        with broken_text_named(label, (node for _, node in nodes)):
            _ADD_NODE.run_cells(connection, (_node_cells(place, number, node) for place, node in nodes))
        yield from logged
    for edges, logged in _parts(rows.edges, _next_number(connection, _LAST_EDGE)):
        with broken_text_named(label, (edge for _, edge in edges)):
            _ADD_EDGE.run_cells(connection, (_edge_cells(i, number, edge, numbers) for i, edge in edges))
            _ADD_SOURCE.run_cells(
                connection, (cells for i, edge in edges for cells in _source_cells(i, edge, numbers))
            )
        yield from logged


def _parts(rows: Iterable[R], first: int) -> Iterator[tuple[list[tuple[int, R]], list[WrittenRow]]]:
    """Yield rows some at a time, each with its number, and as the log writes them. That is done as each is
    made: its content is written down for its hash a moment ago.
    """
    waiting = ((place, row, written(row)) for place, row in enumerate(rows, first))
    while part := list(islice(waiting, PART)):
        yield [(place, row) for place, row, _ in part], [logged for _, _, logged in part]


def written(row: Row) -> WrittenRow:
    """A row that is new as the log writes it: nearly all are nodes and edges as usual."""
    if isinstance(row, Node) and is_usual(row):
        return new_node(row.id, seal(row))
    if isinstance(row, Edge) and isinstance(short := edge_in_short(row), tuple):
        return new_edge(row.id, *short)
    return log_chain.written(encode(RowChange(None, row)))


def _next_number(connection: Connection, last: Statement) -> int:
    return int(last.run(connection, {}).fetchone()[0]) + 1


def _node_cells(row: int, number: int, node: Node) -> Cells:
    content, interrupted, metadata = node.content, node.interrupted, node.metadata
    is_plain = type(content) is Text and not content.extra
    return (
        row,
        number,
        node.id,
        True,
        node.local_id,
        node.text,
        None if is_plain else json_text(content_to_json(content)),
        node.author_type,
        node.author_agent_id,
        node.created_at,
        node.content_hash,
        hashes_text(node.parent_hashes),
        node.edited_from,
        interrupted and json_text({"reason": interrupted.reason, **interrupted.extra}),
        json_text(node.extra),
        node.summary,
        metadata.bookmarked,
        metadata.bookmark_label,
        metadata.pruned,
        metadata.excluded,
        json_text(metadata.extra),
        node.role,
    )


def _edge_cells(row: int, number: int, edge: Edge, numbers: Mapping[str, int]) -> Cells:
    target = numbers.get(edge.target_id)
    if target is None:
        raise no_end(edge, edge.target_id)
    return row, number, edge.id, True, target, edge.type, edge.created_at, json_text(edge.extra)


def _source_cells(row: int, edge: Edge, numbers: Mapping[str, int]) -> Iterator[Cells]:
    for position, source in enumerate(edge.sources):
        node = numbers.get(source.node_id)
        if node is None:
            raise no_end(edge, source.node_id)
        yield row, position, node, source.role, json_text(source.extra)


def _add(table: Table) -> Statement:
    return Statement(
        lambda: insert(table).values({column.name: bindparam(column.name) for column in table.c})
    )


def _last(table: Table) -> Statement:
    return Statement(lambda: select(func.coalesce(func.max(table.c.id), 0)))


_ADD_NODE, _ADD_EDGE, _ADD_SOURCE = _add(schema.nodes), _add(schema.edges), _add(schema.edge_sources)
_LAST_NODE, _LAST_EDGE = _last(schema.nodes), _last(schema.edges)
