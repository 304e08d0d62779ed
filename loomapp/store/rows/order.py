"""The order of rows that belong to one thing: sources of an edge, included notes, members of a tag."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from loomapp.store.schema import edge_sources, included_annotations, tag_nodes

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
