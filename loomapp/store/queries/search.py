"""Search in a grove: trees by title, then nodes by text or local id, the newest first."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, true

from loomapp.core.progress import Progress, unheard
from loomapp.core.text.query import SHORTLY_BEFORE, SearchHit, excerpt, place, terms
from loomapp.store.grove.grove import Grove
from loomapp.store.schema import nodes, trees
from loomapp.store.statements import moment

MOST_HITS = 200
AT_ONCE = 4_000  # nodes that are looked at before others may have the file


def search(
    grove: Grove,
    query: str,
    progress: Progress = unheard,
    *,
    most: int = MOST_HITS,
    pruned: bool = False,
    tree_id: str | None = None,
) -> tuple[list[SearchHit], bool]:
    """Return the hits of a query, at most so many, and whether there may be more.

    First the roots of trees whose title holds all words, then the nodes whose text does or whose local id is
    the query, those that came last first; in all trees, or in one. A root is told once. Stops when there are
    enough: a common word costs less than a rare one. Any thread may call it; the grove's file is held for a
    few milliseconds at a time. `progress` is told how many nodes were looked at, and ends it by raising. Case
    does not count; the words may stand anywhere.
    """
    wanted = terms(query)
    if not wanted:
        return [], False
    with grove.snapshot() as connection:
        newest = connection.execute(select(func.max(nodes.c.id))).scalar_one() or 0
        hits = _titles(connection, wanted, tree_id)
    roots = {(hit.tree_id, hit.node_id) for hit in hits}
    says = or_(and_(true(), *likely(wanted)), nodes.c.local_id == query.strip().upper())
    last = newest
    while last > 0 and len(hits) <= most:
        rows = _rows().where(nodes.c.id <= last, nodes.c.id > last - AT_ONCE, nodes.c.present, says)
        if tree_id is not None:
            rows = rows.where(trees.c.tree_id == tree_id)
        if not pruned:
            rows = rows.where(~nodes.c.pruned)
        with grove.snapshot() as connection:
            found = _hits(connection, rows.order_by(nodes.c.id.desc()), wanted, query)
            hits += [hit for hit in found if (hit.tree_id, hit.node_id) not in roots]
        last -= AT_ONCE
        progress(newest - max(last, 0), newest)
    return hits[:most], len(hits) > most


def _rows() -> Select[Any]:
    return select(
        trees.c.tree_id,
        trees.c.title,
        nodes.c.node_id,
        nodes.c.local_id,
        nodes.c.text,
        nodes.c.author_type,
        nodes.c.author_agent_id,
        nodes.c.created_at,
    ).join(trees, nodes.c.tree == trees.c.id)


def _titles(connection: Connection, wanted: tuple[str, ...], tree_id: str | None) -> list[SearchHit]:
    """Roots of trees whose title holds the words, the newest tree first; the excerpt is the title."""
    rows = _rows().where(nodes.c.node_id == trees.c.root_id).order_by(trees.c.id.desc())
    if tree_id is not None:
        rows = rows.where(trees.c.tree_id == tree_id)
    return [
        SearchHit(tree, title, node_id, title, author_type, agent_id, moment(at), local_id=local_id)
        for tree, title, node_id, local_id, _, author_type, agent_id, at in connection.execute(rows)
        if place(title, wanted) is not None
    ]


def _hits(
    connection: Connection,
    rows: Select[Any],
    wanted: tuple[str, ...],
    query: str,
) -> list[SearchHit]:
    found = []
    for tree, title, node_id, local_id, text, author_type, agent_id, at in connection.execute(rows):
        where = place(text, wanted)
        if where is None and local_id == query.strip().upper():
            where = 0
        if where is not None:
            said = excerpt(text, where, SHORTLY_BEFORE)
            hit = SearchHit(tree, title, node_id, said, author_type, agent_id, moment(at), local_id=local_id)
            found.append(hit)
    return found


def likely(wanted: tuple[str, ...]) -> list[ColumnElement[bool]]:
    """Return the conditions that SQLite can put on a text that holds these words."""
    return [nodes.c.text.icontains(word, autoescape=True) for word in wanted if is_told(word)]


def is_told(word: str) -> bool:
    """Tell whether SQLite finds a word in any case: it knows upper and lower case of ASCII letters only."""
    return word.isascii() or word.upper() == word.lower()
