"""Search in a whole grove: the nodes whose text holds all words of a query, the newest first."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, select

from loomapp.core.progress import Progress, unheard
from loomapp.core.text.query import SHORTLY_BEFORE, SearchHit, excerpt, place, terms
from loomapp.store.grove.grove import Grove
from loomapp.store.schema import nodes, trees
from loomapp.store.statements import moment

MOST_HITS = 200
AT_ONCE = 4_000  # nodes that are looked at before others may have the file


def search(
    grove: Grove, query: str, progress: Progress = unheard, *, most: int = MOST_HITS, pruned: bool = False
) -> tuple[list[SearchHit], bool]:
    """The nodes that say all words of a query, those that came last first, and whether there may be more.

    Looks at the newest nodes first and stops when there are enough: a common word costs less than a rare one.
    Any thread may call it; the grove's file is held for a few milliseconds at a time. `progress` is told how
    many nodes were looked at, and ends it by raising. Case does not count; the words may stand anywhere.
    """
    wanted = terms(query)
    hits: list[SearchHit] = []
    if not wanted:
        return hits, False
    with grove.snapshot() as connection:
        newest = connection.execute(select(func.max(nodes.c.id))).scalar_one() or 0
    last = newest
    while last > 0 and len(hits) <= most:
        with grove.snapshot() as connection:
            hits += _hits(connection, wanted, last, pruned=pruned)
        last -= AT_ONCE
        progress(newest - max(last, 0), newest)
    return hits[:most], len(hits) > most


def _hits(connection: Connection, wanted: tuple[str, ...], last: int, *, pruned: bool) -> list[SearchHit]:
    query = (
        select(
            trees.c.tree_id,
            trees.c.title,
            nodes.c.node_id,
            nodes.c.text,
            nodes.c.author_type,
            nodes.c.author_agent_id,
            nodes.c.created_at,
        )
        .join(trees, nodes.c.tree == trees.c.id)
        .where(nodes.c.id <= last, nodes.c.id > last - AT_ONCE, nodes.c.present, *likely(wanted))
        .order_by(nodes.c.id.desc())
    )
    if not pruned:
        query = query.where(~nodes.c.pruned)
    found = []
    for tree_id, title, node_id, text, author_type, agent_id, at in connection.execute(query):
        where = place(text, wanted)
        if where is not None:
            said = excerpt(text, where, SHORTLY_BEFORE)
            found.append(SearchHit(tree_id, title, node_id, said, author_type, agent_id, moment(at)))
    return found


def likely(wanted: tuple[str, ...]) -> list[ColumnElement[bool]]:
    """Return the conditions that SQLite can put on a text that holds these words."""
    return [nodes.c.text.icontains(word, autoescape=True) for word in wanted if is_told(word)]


def is_told(word: str) -> bool:
    """Tell whether SQLite finds a word in any case: it knows upper and lower case of ASCII letters only."""
    return word.isascii() or word.upper() == word.lower()
