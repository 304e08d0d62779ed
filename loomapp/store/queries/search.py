"""Search in a grove: trees by title, nodes by text or id, and the other trees' texts and bookmarks."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, or_, select, true

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import AuthorType
from loomapp.core.progress import Progress, unheard
from loomapp.core.text.query import (
    SHORTLY_BEFORE,
    MatchQuality,
    SearchHit,
    excerpt,
    phrase,
    place,
    standing,
    terms,
)
from loomapp.store.grove.grove import Grove
from loomapp.store.schema import branch_summaries, nodes, trees
from loomapp.store.statements import moment

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


MOST_TEXTS = 100
TITLE_CHARACTERS = 200  # of a text that a bookmark is called by


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Texts, by how well they hold the words and then the newest first, and whether more of them do; and
    every bookmark, the newest first, its excerpt what it is called.
    """

    texts: tuple[SearchHit, ...] = ()
    has_more: bool = False
    bookmarks: tuple[SearchHit, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    words: tuple[str, ...]
    as_typed: re.Pattern[str]
    in_a_row: str
    tree: int  # not in this one
    pruned: bool
    most: int


def look_elsewhere(
    grove: Grove,
    query: str,
    tree_id: str,
    progress: Progress = unheard,
    *,
    most: int = MOST_TEXTS,
    pruned: bool = False,
) -> Elsewhere:
    """Search all trees but one.

    Any thread may call it; the grove's file is held for a few milliseconds at a time. `progress` is told how
    many nodes were looked at, and ends it by raising. It ends early only where no text can be better than
    those found, since the best may stand anywhere.
    """
    words = terms(query)
    if not words:
        return Elsewhere()
    with grove.snapshot() as connection:
        newest = connection.execute(select(func.max(nodes.c.id))).scalar_one() or 0
        tree = connection.execute(select(trees.c.id).where(trees.c.tree_id == tree_id)).scalar_one_or_none()
    wanted = _Wanted(words, phrase(query), " ".join(query.casefold().split()), tree or 0, pruned, most)
    found: dict[MatchQuality, list[SearchHit]] = {how: [] for how in MatchQuality}
    bookmarks: list[SearchHit] = []
    for last in range(newest, 0, -AT_ONCE):
        with grove.snapshot() as connection:
            bookmarks += _bookmarks(connection, wanted, last)
            texts = [] if len(found[MatchQuality.BEGINS]) > most else _texts(connection, wanted, last)
        for hit in texts:
            found[hit.standing].append(hit)
        progress(newest - max(last - AT_ONCE, 0), newest)
    best = [hit for how in MatchQuality for hit in found[how]]
    return Elsewhere(tuple(best[:most]), len(best) > most, tuple(bookmarks))


def _texts(connection: Connection, wanted: _Wanted, last: int) -> list[SearchHit]:
    rows = _slice(wanted, last, nodes.c.text).where(*likely(wanted.words))
    if all(map(is_told, wanted.words)):  # then no row of a limited answer is refused below
        rows = rows.order_by(_likely_standing(wanted.in_a_row), nodes.c.id.desc()).limit(wanted.most + 1)
    else:
        rows = rows.order_by(nodes.c.id.desc())
    hits = []
    for tree_id, title, node_id, text, author, agent_id, at in connection.execute(rows):
        how = standing(text, wanted.words, wanted.as_typed)
        if how is not None:
            said = excerpt(text, how[1])
            hits.append(SearchHit(tree_id, title, node_id, said, author, agent_id, moment(at), how[0]))
    return hits


def _likely_standing(in_a_row: str) -> ColumnElement[int]:
    """The standing as far as SQLite can tell, to leave the best rows of very many."""
    line = func.replace(nodes.c.text, "\n", " ")
    return case(
        (line.istartswith(in_a_row, autoescape=True), int(MatchQuality.BEGINS)),
        (line.icontains(in_a_row, autoescape=True), int(MatchQuality.PHRASE)),
        else_=int(MatchQuality.WORDS),
    )


def _bookmarks(connection: Connection, wanted: _Wanted, last: int) -> list[SearchHit]:
    heads = branch_summaries.c
    branch = (
        select(heads.body["title"].as_string())
        .where(heads.tree == nodes.c.tree, heads.node_id == nodes.c.node_id, func.json_valid(heads.body))
        .scalar_subquery()
    )
    called = func.coalesce(
        func.nullif(nodes.c.bookmark_label, ""),
        func.nullif(func.trim(branch), ""),
        func.substr(nodes.c.text, 1, TITLE_CHARACTERS),
    )
    rows = _slice(wanted, last, called).where(nodes.c.bookmarked).order_by(nodes.c.id.desc())
    return [
        SearchHit(tree_id, title, node_id, " ".join(words.split()), author, agent_id, moment(at))
        for tree_id, title, node_id, words, author, agent_id, at in connection.execute(rows)
    ]


def _slice(
    wanted: _Wanted, last: int, words: ColumnElement[str]
) -> Select[str, str, str, str, AuthorType, str | None, int]:
    rows = (
        select(
            trees.c.tree_id,
            trees.c.title,
            nodes.c.node_id,
            words,
            nodes.c.author_type,
            nodes.c.author_agent_id,
            nodes.c.created_at,
        )
        .join(trees, nodes.c.tree == trees.c.id)
        .where(nodes.c.id <= last, nodes.c.id > last - AT_ONCE, nodes.c.tree != wanted.tree, nodes.c.present)
    )
    return rows if wanted.pruned else rows.where(~nodes.c.pruned)
