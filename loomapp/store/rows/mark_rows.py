"""Rows of a Change that are neither node nor edge, and the order of rows that belong to one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection, Table, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert

from loomapp.core.model.change import RowChange
from loomapp.core.model.entities import (
    ActivePath,
    AgentMemory,
    BranchSummary,
    ContextSummary,
    IncludedAnnotations,
    Link,
    LoomTree,
    Tag,
)
from loomapp.core.model.tree import Tree
from loomapp.core.tree_json import loom_to_json
from loomapp.store import schema
from loomapp.store.schema import edge_sources, included_annotations, tag_nodes
from loomapp.store.statements import Statement, json_text

Values = dict[str, object]


def write_mark(connection: Connection, number: int, tree: Tree, change: RowChange) -> None:
    """Move one row; `tree` is as it was before the change."""
    row = change.after if change.after is not None else change.row
    is_gone = change.after is None
    match row:
        case LoomTree():
            connection.execute(update(schema.trees).where(schema.trees.c.id == number), loom_values(row))
        case ActivePath():
            _write_path(connection, number, tree.path, row)
        case IncludedAnnotations():
            _write_inclusions(connection, number, row)
        case Tag():
            _write_tag(connection, number, row, is_gone=is_gone)
        case Link():
            key = {
                "from_node_id": row.from_node_id,
                "to_tree_id": row.to_tree_id,
                "to_node_id": row.to_node_id,
            }
            values: Values = {"label": row.label, "extra": dict(row.extra) or None}
            _put(connection, schema.links, number, key, None if is_gone else values)
        case BranchSummary():
            key = {"node_id": row.node_id}
            values = {"body": dict(row.body), "response_id": row.response_id}
            _put(connection, schema.branch_summaries, number, key, None if is_gone else values)
        case ContextSummary():
            key = {"anchor_node_id": row.anchor_node_id, "covered_hash": row.covered_hash}
            values = {"body": dict(row.body), "response_id": row.response_id}
            _put(connection, schema.context_summaries, number, key, None if is_gone else values)
        case AgentMemory():
            values = {"body": dict(row.body)}
            key = {"agent_id": row.agent_id}
            _put(connection, schema.agent_memory, number, key, None if is_gone else values)


def loom_values(loom: LoomTree) -> Values:
    return {
        "title": loom.title,
        "mode": loom.mode,
        "description": loom.description,
        "summary": loom.summary,
        "root_id": loom.root_id,
        "system_context": loom.system_context,
        "buffer_mode_system_context": loom.buffer_mode_system_context,
        "context_settings": loom_to_json(loom)["contextSettings"],
        "archived_at": loom.archived_at,
        "extra": dict(loom.extra) or None,
    }


def write_selections(
    connection: Connection, number: int, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    """Save the choices of a path; only those that differ are touched."""
    table = schema.selections
    gone = [target for target in before if target not in after]
    for target in gone:
        connection.execute(delete(table).where(table.c.tree == number, table.c.target_id == target))
    for target, source in after.items():
        if before.get(target) != source:
            _put(connection, table, number, {"target_id": target}, {"source_id": source})


def _write_path(connection: Connection, number: int, before: ActivePath, after: ActivePath) -> None:
    _SET_LEAF.run(connection, {"in_tree": number, "leaf": after.leaf_id, "rest": json_text(after.extra)})
    write_selections(connection, number, before.selections, after.selections)


_SET_LEAF = Statement(
    lambda: (
        update(schema.trees)
        .where(schema.trees.c.id == bindparam("in_tree"))
        .values(leaf_id=bindparam("leaf"), path_extra=bindparam("rest"))
    )
)


def _write_inclusions(connection: Connection, number: int, row: IncludedAnnotations) -> None:
    table = schema.included_annotations
    connection.execute(delete(table).where(table.c.tree == number))
    values = [{"tree": number, "position": i, "node_id": name} for i, name in enumerate(row.node_ids)]
    if values:
        connection.execute(insert(table), values)


def _write_tag(connection: Connection, number: int, tag: Tag, *, is_gone: bool) -> None:
    table, members = schema.tags, schema.tag_nodes
    which = select(table.c.id).where(table.c.tree == number, table.c.name == tag.name).scalar_subquery()
    connection.execute(delete(members).where(members.c.tag == which))
    values: Values = {"colour": tag.colour, "extra": dict(tag.extra) or None}
    _put(connection, table, number, {"name": tag.name}, None if is_gone else values)
    if not is_gone and tag.node_ids:
        tag_number = connection.execute(select(which)).scalar_one()
        rows = [{"tag": tag_number, "position": i, "node_id": name} for i, name in enumerate(tag.node_ids)]
        connection.execute(insert(members), rows)


def _put(
    connection: Connection, table: Table, number: int, key: Mapping[str, str], values: Values | None
) -> None:
    """Insert or update the row of a key, in its place; None takes it away."""
    if values is None:
        where = [table.c[name] == value for name, value in key.items()]
        connection.execute(delete(table).where(table.c.tree == number, *where))
        return
    statement = insert(table)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["tree", *key], set_={name: statement.excluded[name] for name in values}
        ),
        {"tree": number, **key, **values},
    )


PLACES = (edge_sources.c.edge, included_annotations.c.tree, tag_nodes.c.tag)


def order_faults(connection: Connection) -> Iterator[str]:
    """Rows whose places do not count from 0 upwards without a gap."""
    for owner in PLACES:
        place = owner.table.c.position
        query = (
            select(owner)
            .group_by(owner)
            .having((func.min(place) != 0) | (func.max(place) != func.count() - 1))
        )
        for (number,) in connection.execute(query):
            yield f"{owner.table.name} of {owner.name} {number}: the places are not in a row"
