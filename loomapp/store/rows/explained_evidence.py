"""Responses with the rules by which nodes took their texts from them, as the change log says."""

from __future__ import annotations

from sqlalchemy import Connection

from loomapp.core.model.raw_response import Evidence
from loomapp.store.rows import change_log, responses


def explained_evidence(connection: Connection, number: int) -> list[Evidence]:
    """Return every response that a node of a tree rests on, oldest first, with the rules of their texts."""
    rules = change_log.read_texts(connection, number)
    return [item.with_texts(rules) for item in responses.read_all_evidence(connection, number)]
