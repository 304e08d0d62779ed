"""Usage: what the exchanges of a grove counted, read without their bodies."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from loomapp.core.generation.usage import Spent
from loomapp.store.grove.grove import Grove
from loomapp.store.schema import node_responses, nodes, responses, trees
from loomapp.store.statements import moment


def spent_in(grove: Grove) -> list[Spent]:
    """Return what every exchange counted, oldest first; those whose nodes were undone too: they were paid.

    Any thread may ask.
    """
    query = select(
        responses.c.id,
        trees.c.tree_id,
        responses.c.provider,
        responses.c.model,
        responses.c.usage,
        responses.c.started_at,
        responses.c.ended_at,
        responses.c.request_id,
    ).join(trees, trees.c.id == responses.c.tree)
    with grove.snapshot() as connection:
        made = _nodes_made(connection)
        return [_spent(row, made) for row in connection.execute(query.order_by(responses.c.id))]


def _nodes_made(connection: Connection) -> dict[int, set[str]]:
    query = select(node_responses.c.response, nodes.c.node_id).join(
        nodes, nodes.c.id == node_responses.c.node
    )
    made: dict[int, set[str]] = {}
    for response, node_id in connection.execute(query):
        made.setdefault(response, set()).add(node_id)
    return made


def _spent(row: Any, made: dict[int, set[str]]) -> Spent:
    usage = row.usage if isinstance(row.usage, dict) else {}
    counted = {name: value for name, value in usage.items() if type(value) is int}
    model_ref = f"{row.provider}:{row.model or ''}"
    began = moment(row.started_at)
    # Not its id: what comes in from a file has one of its own in each tree.
    exchange = f"{model_ref} {row.request_id} {began} {moment(row.ended_at)}"
    return Spent(
        row.tree_id, model_ref, began, counted, frozenset(made.get(row.id, ())), exchange if began else ""
    )
