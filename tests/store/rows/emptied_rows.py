"""Rows of the change log that are emptied when nodes are deleted for good: text goes, digests stay."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select, update

from loomapp.core.model import log_chain
from loomapp.store.identity import now
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.rows.chain import names_about
from loomapp.store.rows.grove_rows import GONE
from loomapp.store.rows.log_rows import LoggedRow
from loomapp.store.schema import change_log as log


def empty(connection: Connection, tree_id: str, node_ids: Sequence[str], *, by: str) -> int:
    """Take what the log says of nodes of a tree out of it, and write down that they are gone for good.

    The chain stays whole: each row leaves its key and its digest. The rows of the nodes themselves are for
    whoever deletes them. Returns the sequence number of the new entry.
    """
    number, gone = tree_rows.tree_number(connection, tree_id), frozenset(node_ids)
    query = select(log.c.sequence, log.c.body).where(log.c.tree == number).order_by(log.c.sequence)
    for sequence, text in connection.execute(query).all():
        body = log_chain.read_body(text)
        left = [log_chain.emptied(row) if names_about(row) & gone else row for row in body.rows]
        if left != list(body.rows):
            where = log.c.sequence == sequence
            connection.execute(update(log).where(where).values(body=log_chain.with_rows(body, left)))
    row: LoggedRow = [GONE, None, {"tree": tree_id, "nodes": list(node_ids)}]
    return change_log.append_rows(connection, "Delete for good", [row], by=by, at=now())
