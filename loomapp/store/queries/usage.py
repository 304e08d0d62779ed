"""Usage: what the exchanges of a grove counted, read without their bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from loomapp.core.generation.cost import Spent, counts_of, exchange_name
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id
from loomapp.store.schema import node_responses, nodes, responses, settings, trees
from loomapp.store.statements import moment

WORDLESS = "usage."  # begins the names of the settings that hold calls of which no node came


def keep_spent(grove: Grove, spent: Iterable[Spent]) -> None:
    """Keep calls of which no node came: what they took is told by nothing else. Raises: GroveError."""
    for one in spent:
        value = {
            "tree": one.tree_id,
            "model": one.model_ref,
            "at": one.at,
            "counted": dict(one.counted),
            "exchange": one.exchange,
        }
        grove.put_setting(WORDLESS + new_id(), value)


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
        answered = [_spent(row, made) for row in connection.execute(query.order_by(responses.c.id))]
        return sorted([*answered, *_wordless(connection)], key=lambda one: one.at)


def end_of_response(grove: Grove, tree_id: str, response_id: str) -> tuple[dict[str, int], str]:
    """Return what one response of a tree counted, and why it ended; nothing of what was not kept."""
    query = (
        select(responses.c.usage, responses.c.finish_reason)
        .join(trees, trees.c.id == responses.c.tree)
        .where(trees.c.tree_id == tree_id, responses.c.response_id == response_id)
    )
    with grove.snapshot() as connection:
        row = connection.execute(query).first()
    usage, reason = (None, None) if row is None else row
    return counts_of(usage) if isinstance(usage, dict) else {}, reason or ""


def _nodes_made(connection: Connection) -> dict[int, set[str]]:
    query = select(node_responses.c.response, nodes.c.node_id).join(
        nodes, nodes.c.id == node_responses.c.node
    )
    made: dict[int, set[str]] = {}
    for response, node_id in connection.execute(query):
        made.setdefault(response, set()).add(node_id)
    return made


def _wordless(connection: Connection) -> list[Spent]:
    query = select(settings.c.value).where(settings.c.name.startswith(WORDLESS, autoescape=True))
    return [
        Spent(
            str(value.get("tree")),
            str(value.get("model")),
            at,
            counts_of(counted if isinstance(counted := value.get("counted"), dict) else {}),
            exchange=str(value.get("exchange") or ""),
        )
        for value in connection.execute(query).scalars()
        if isinstance(value, dict) and type(at := value.get("at")) is int
    ]


def _spent(row: Any, made: dict[int, set[str]]) -> Spent:
    usage = row.usage if isinstance(row.usage, dict) else {}
    model_ref = f"{row.provider}:{row.model or ''}"
    began = moment(row.started_at)
    exchange = exchange_name(model_ref, row.request_id, began, moment(row.ended_at))
    return Spent(row.tree_id, model_ref, began, counts_of(usage), frozenset(made.get(row.id, ())), exchange)
