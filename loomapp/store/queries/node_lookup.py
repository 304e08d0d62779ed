"""Lookup of nodes in all trees of a grove, by id or local id, without reading a tree."""

from __future__ import annotations

from sqlalchemy import or_, select

from loomapp.store.grove.grove import Grove
from loomapp.store.schema import nodes, trees

LOCAL_ID_LENGTHS = range(6, 9)


def trees_holding(grove: Grove, name: str) -> list[str]:
    """Return the ids of the trees that hold a node of this id or local id, oldest first; by id before all."""
    query = (
        select(trees.c.tree_id, nodes.c.node_id)
        .join(trees, nodes.c.tree == trees.c.id)
        .where(nodes.c.present, or_(nodes.c.node_id == name, nodes.c.local_id == name.upper()))
        .order_by(trees.c.id)
    )
    with grove.snapshot() as connection:
        rows = connection.execute(query).all()
    by_id = [tree_id for tree_id, node_id in rows if node_id == name]
    return list(dict.fromkeys(by_id or [tree_id for tree_id, _ in rows]))


def is_in_other_tree(grove: Grove, name: str, tree_id: str) -> bool:
    """True if another tree than this one holds a node of this id or local id."""
    others = select(trees.c.id).where(trees.c.tree_id != tree_id)
    query = select(nodes.c.id).where(nodes.c.tree.in_(others), nodes.c.present).limit(1)
    with grove.snapshot() as connection:
        if connection.execute(query.where(nodes.c.node_id == name)).first() is not None:
            return True
        # No index leads to local ids: every node is looked at.
        is_local = len(name) in LOCAL_ID_LENGTHS
        return (
            is_local and connection.execute(query.where(nodes.c.local_id == name.upper())).first() is not None
        )
