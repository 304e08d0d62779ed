"""A Change into the file: what each kind of row does to its table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, cast

from sqlalchemy import (
    Connection,
    ScalarSelect,
    Table,
    Update,
    and_,
    bindparam,
    delete,
    func,
    select,
    true,
    update,
)
from sqlalchemy.dialects.sqlite import Insert, insert

from loomapp.core.errors import InvalidInput, StaleChange
from loomapp.core.model.change import Change, sentence_of
from loomapp.core.model.content import Text, content_to_json
from loomapp.core.model.entities import Edge, LoomTree, Node, Row
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.store import schema
from loomapp.store.rows.log_rows import kind_of
from loomapp.store.rows.mark_rows import loom_values, write_mark, write_selections
from loomapp.store.statements import Statement, json_text

Values = dict[str, object]

MANY = 20  # rows, from which on one statement for all is faster


def insert_tree(connection: Connection, tree: Tree) -> int:
    """A row for a new tree with its path; nodes, edges and marks come by their own rows."""
    values = loom_values(tree.loom)
    values |= {
        "context_settings": json.dumps(values["context_settings"]),
        "extra": json_text(values["extra"]),
        "tree_id": tree.loom.id,
        "created_at": tree.loom.created_at,
        "updated_at": tree.loom.updated_at,
        "leaf_id": tree.path.leaf_id,
        "path_extra": json_text(dict(tree.path.extra)),
        "file_extra": json_text(dict(tree.extra)),
    }
    number = _ADD_TREE.run(connection, values).lastrowid
    assert number is not None, "a row was added"
    write_selections(connection, number, {}, tree.path.selections)
    return number


_ADD_TREE = Statement(
    lambda: insert(schema.trees).values(
        {column.name: bindparam(column.name) for column in list(schema.trees.c)[1:]}
    )
)


def write_change(connection: Connection, number: int, tree: Tree, change: Change) -> None:
    """Move a tree's rows by a change that fits the tree as it is in memory, not yet moved.

    Raises: StaleChange if a new node or edge has the name of one that was undone and was another.
    """
    _write_nodes(connection, number, change)
    _write_edges(connection, number, change)
    for row_change in change.rows:
        if not isinstance(row_change.row, Node | Edge):
            write_mark(connection, number, tree, row_change)


def touch(connection: Connection, number: int, tree: Tree, change: Change) -> None:
    """Note on the tree's row when it was changed, as `change.apply` does in memory."""
    updated_at = tree.loom.updated_at
    for row in change.changed(LoomTree):
        updated_at = cast(LoomTree, row.after).updated_at
    _TOUCH.run(connection, {"in_tree": number, "moment": max(change.at, updated_at)})


_TOUCH = Statement(
    lambda: (
        update(schema.trees)
        .where(schema.trees.c.id == bindparam("in_tree"))
        .values(updated_at=bindparam("moment"))
    )
)


def check_ends(tree: Tree, change: Change) -> None:
    """Raises: InvalidInput if an edge would name a node that is neither in the tree nor comes with it."""
    moving = [*change.changed(Edge)]
    new = {row.row.key for row in change.changed(Node) if row.after is not None} if moving else set()
    for row in moving:
        if isinstance(row.after, Edge):
            for node_id in (*(source.node_id for source in row.after.sources), row.after.target_id):
                if node_id not in tree.nodes and node_id not in new:
                    raise no_end(row.after, node_id)


def no_end(edge: Edge, node_id: str) -> InvalidInput:
    """The fault of an edge that names a node which is not there."""
    place = f"edge {edge.id}"
    return InvalidInput(
        worded("{place}: node {node_id} is not in its tree", place=place, node_id=node_id), place=place
    )


@contextmanager
def broken_text_named(label: str, rows: Iterable[Row | None]) -> Iterator[None]:
    """Turns a text that is no Unicode into InvalidInput that says where it is; nothing else is refused.

    `rows` are looked through only then, for the one that holds it.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        place = next((_place(row) for row in rows if row is not None and error.object in _texts(row)), label)
        character = f"U+{ord(error.object[error.start]):04X}"
        text = worded(
            "{place}: character {position} is {character}, half of a character; take it out",
            place=place,
            position=error.start + 1,
            character=character,
        )
        raise InvalidInput(text, place=place) from error


def _place(row: Row) -> str:
    return f"node {row.local_id}" if isinstance(row, Node) else f"{kind_of(row)} {row.key}"


def _texts(value: object) -> Iterator[str]:
    """Yield every text inside a row: what its fields, and theirs, hold."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        match item:
            case str():
                yield item
            case Node():
                waiting += [item.text, *(getattr(item, field.name) for field in fields(item))]
            case Mapping():
                waiting += [*item.keys(), *item.values()]
            case tuple() | list():
                waiting += item
            case _ if is_dataclass(item):
                waiting += [getattr(item, field.name) for field in fields(item)]


# Nodes


def _write_nodes(connection: Connection, number: int, change: Change) -> None:
    new: list[Node] = []
    hidden: list[str] = []
    moved: list[Node] = []
    for row in change.changed(Node):
        if isinstance(row.after, Node):
            (new if row.before is None else moved).append(row.after)
        else:
            hidden.append(row.row.key)
    values = ({"tree": number, **_unchanging(node), **_changing(node)} for node in new)
    if new and _ADD_NODE.run_each(connection, values) != len(new):
        raise StaleChange(
            worded(
                "“{label}” adds a node under an id that another one has in the file.",
                label=sentence_of(change.label),
            )
        )
    for same, names in _alike(moved):
        _run(connection, _CHANGE_NODE, _CHANGE_NODES, names, {"in_tree": number, **same})
    if hidden:
        _run(connection, _HIDE_NODE, _HIDE_NODES, hidden, {"in_tree": number})


def _run(
    connection: Connection, each: Statement, all_at_once: Statement, names: Sequence[str], values: Values
) -> None:
    """Run a statement for several nodes: for many in one go, at a third of the cost."""
    if len(names) < MANY or any("\0" in name for name in names):  # SQLite ends a JSON text there
        each.run_each(connection, [{**values, "name": name} for name in names])
    else:
        all_at_once.run(connection, {**values, "names": json.dumps(names)})


def _alike(nodes: Iterable[Node]) -> Iterator[tuple[Values, list[str]]]:
    """Nodes that become the same, together: of a branch that is nearly always all."""
    groups: dict[tuple[object, ...], tuple[Values, list[str]]] = {}
    seen: dict[tuple[int, str | None], list[str]] = {}
    for node in nodes:
        names = seen.get((id(node.metadata), node.summary))
        if names is None:
            values = _changing(node)
            _, names = groups.setdefault(tuple(values.values()), (values, []))
            seen[(id(node.metadata), node.summary)] = names
        names.append(node.id)
    return iter(groups.values())


_CHANGING = ("summary", "bookmarked", "bookmark_label", "pruned", "excluded", "metadata_extra")
_UNCHANGING = ("text", "content_hash", "local_id", "author_type")


def _unchanging(node: Node) -> Values:
    is_plain = isinstance(node.content, Text) and not node.content.extra
    interrupted = node.interrupted
    return {
        "node_id": node.id,
        "present": True,
        "local_id": node.local_id,
        "text": node.text,
        "content": None if is_plain else json_text(content_to_json(node.content)),
        "author_type": node.author_type,
        "author_agent_id": node.author_agent_id,
        "created_at": node.created_at,
        "content_hash": node.content_hash,
        "parent_hashes": hashes_text(node.parent_hashes),
        "edited_from": node.edited_from,
        "interrupted": interrupted and json_text({"reason": interrupted.reason, **interrupted.extra}),
        "extra": json_text(node.extra),
        "role": node.role,
    }


def hashes_text(hashes: Sequence[str]) -> str | None:
    """Hashes as a column holds them; of a single one, as nearly every node has, at a tenth of the cost."""
    if len(hashes) == 1 and _IS_HASH(hashes[0]):
        return f'["{hashes[0]}"]'
    return json_text(hashes)


_IS_HASH = re.compile("[0-9a-f]{64}").fullmatch


def _changing(node: Node) -> Values:
    metadata = node.metadata
    values = (
        node.summary,
        metadata.bookmarked,
        metadata.bookmark_label,
        metadata.pruned,
        metadata.excluded,
        json_text(metadata.extra),
    )
    return dict(zip(_CHANGING, values, strict=True))


def _add_node() -> Insert:
    """A new row; or the row of the very same node shown again, whose creation was undone."""
    statement = insert(schema.nodes).values({c.name: bindparam(c.name) for c in list(schema.nodes.c)[1:]})
    columns, new = schema.nodes.c, statement.excluded
    return statement.on_conflict_do_update(
        index_elements=[columns.tree, columns.node_id],
        set_={name: new[name] for name in ("present", *_CHANGING)},
        where=and_(~columns.present, *(columns[name] == new[name] for name in _UNCHANGING)),
    )


def _one(table: Table, name: str) -> Update:
    """Update the row that a tree knows by its name in this column."""
    return update(table).where(table.c.tree == bindparam("in_tree"), table.c[name] == bindparam("name"))


def _nodes() -> Update:
    names = func.json_each(bindparam("names")).table_valued("value")
    return update(schema.nodes).where(
        schema.nodes.c.tree == bindparam("in_tree"), schema.nodes.c.node_id.in_(select(names.c.value))
    )


_ADD_NODE = Statement(_add_node)
_HIDE_NODE = Statement(lambda: _one(schema.nodes, "node_id").values(present=False))
_CHANGE_NODE = Statement(
    lambda: _one(schema.nodes, "node_id").values({name: bindparam(name) for name in _CHANGING})
)
_HIDE_NODES = Statement(lambda: _nodes().values(present=False))
_CHANGE_NODES = Statement(lambda: _nodes().values({name: bindparam(name) for name in _CHANGING}))


# Edges


def _write_edges(connection: Connection, number: int, change: Change) -> None:
    new: list[Edge] = []
    moved: list[Edge] = []
    hidden: list[Values] = []
    for row in change.changed(Edge):
        if isinstance(row.after, Edge):
            (new if row.before is None else moved).append(row.after)
        else:
            hidden.append({"in_tree": number, "name": row.row.key})
    # A tree that is new has no sources to forget.
    had_edges = bool(new or moved) and _FIND_EDGE.run(connection, {"in_tree": number}).fetchone() is not None
    if moved:
        _CHANGE_EDGE.run_each(connection, (_edge_values(number, edge) for edge in moved))
    if new and _ADD_EDGE.run_each(connection, (_edge_values(number, edge) for edge in new)) != len(new):
        raise StaleChange(
            worded(
                "“{label}” adds an edge under an id that another one has in the file.",
                label=sentence_of(change.label),
            )
        )
    if had_edges:
        names = ({"in_tree": number, "name": edge.id} for edge in (*new, *moved))
        _FORGET_SOURCES.run_each(connection, names)
    if new or moved:
        sources = (values for edge in (*new, *moved) for values in _source_values(number, edge))
        _ADD_SOURCE.run_each(connection, sources)
    if hidden:
        _HIDE_EDGE.run_each(connection, hidden)


def _edge_values(number: int, edge: Edge) -> Values:
    return {
        "in_tree": number,
        "name": edge.id,
        "target_name": edge.target_id,
        "is_type": edge.type,
        "made_at": edge.created_at,
        "rest": json_text(edge.extra),
    }


def _source_values(number: int, edge: Edge) -> Iterable[Values]:
    for position, source in enumerate(edge.sources):
        yield {
            "in_tree": number,
            "name": edge.id,
            "at_position": position,
            "source_name": source.node_id,
            "plays": source.role,
            "rest": json_text(source.extra),
        }


def _number_of(table: Table, column: str, parameter: str) -> ScalarSelect[int]:
    """The integer of the row that a tree knows by a name."""
    query = select(table.c.id).where(table.c.tree == bindparam("in_tree"))
    return query.where(table.c[column] == bindparam(parameter)).scalar_subquery()


def _edge_cells() -> dict[str, Any]:
    return {
        "present": true(),
        "target": _number_of(schema.nodes, "node_id", "target_name"),
        "type": bindparam("is_type"),
        "created_at": bindparam("made_at"),
        "extra": bindparam("rest"),
    }


def _add_edge() -> Insert:
    """A new row, or one that was undone, shown again with the ends it has now."""
    values = _edge_cells()
    statement = insert(schema.edges).values(tree=bindparam("in_tree"), edge_id=bindparam("name"), **values)
    columns, new = schema.edges.c, statement.excluded
    return statement.on_conflict_do_update(
        index_elements=[columns.tree, columns.edge_id],
        set_={name: new[name] for name in values},
        where=~columns.present,
    )


_FIND_EDGE = Statement(
    lambda: select(schema.edges.c.id).where(schema.edges.c.tree == bindparam("in_tree")).limit(1)
)
_ADD_EDGE = Statement(_add_edge)
_CHANGE_EDGE = Statement(lambda: _one(schema.edges, "edge_id").values(_edge_cells()))
_HIDE_EDGE = Statement(lambda: _one(schema.edges, "edge_id").values(present=False))
_FORGET_SOURCES = Statement(
    lambda: delete(schema.edge_sources).where(
        schema.edge_sources.c.edge == _number_of(schema.edges, "edge_id", "name")
    )
)
_ADD_SOURCE = Statement(
    lambda: (
        insert(schema.edge_sources)
        .values(
            edge=_number_of(schema.edges, "edge_id", "name"),
            position=bindparam("at_position"),
            node=_number_of(schema.nodes, "node_id", "source_name"),
            role=bindparam("plays"),
            extra=bindparam("rest"),
        )
        .inline()
    )
)
