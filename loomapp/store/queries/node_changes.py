"""Changes of a tree that name a node, read from the log: also of a node that was taken back since."""

from __future__ import annotations

from sqlalchemy import func, select

from loomapp.core.model.change import Change
from loomapp.store.grove.grove import Grove
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.schema import change_log as log


def changes_naming(grove: Grove, tree_id: str, node_id: str) -> list[Change]:
    """Return the logged changes that made, removed or marked a node, oldest first, without evidence; not
    those that undid or redid others.
    """
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree_id)
        naming = select(log.c.sequence).where(log.c.tree == number, func.instr(log.c.body, node_id) > 0)
        return [
            tree_rows.logged_change(connection, tree_id, number, change_log.read(connection, sequence))
            for sequence in connection.execute(naming.order_by(log.c.sequence)).scalars().all()
        ]
