"""Lookup of nodes in all trees of a grove, by id or local id, without reading a tree."""

from __future__ import annotations

from sqlalchemy import or_, select

from loomapp.store.grove.grove import Grove
from loomapp.store.schema import nodes, trees


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
