"""A forger with all of Loomapp at hand: makes whatever a file says consistent again, as far as asked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Container, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, func, select, update

from loomapp.core.model import log_chain
from loomapp.core.model.hashes import content_hash
from loomapp.core.times import Milliseconds
from loomapp.store.connections import open_engine
from loomapp.store.rows import change_log as change_log_of
from loomapp.store.rows import responses, tree_rows
from loomapp.store.rows.chain import read_head, read_links
from loomapp.store.salvage import repair
from loomapp.store.salvage.reattach import _link_anew, _seal_anew
from loomapp.store.schema import change_log, nodes, trees


def rehash(path: Path) -> None:
    """Make every content hash follow from what the file holds, from each root down."""
    with _writing(path) as connection:
        rehash_in(connection)


def rehash_in(connection: Connection) -> None:
    """Make them follow in a transaction."""
    for number, tree_id in connection.execute(select(trees.c.id, trees.c.tree_id)).all():
        _rehash_tree(connection, number, tree_id)


def _rehash_tree(connection: Connection, number: int, tree_id: str) -> None:
    digests = responses.read_digests(connection, number)
    renamed: dict[str, str] = {}
    for node in tree_rows.read_tree(connection, tree_id).nodes.values():  # made in this order: parents first
        parents = tuple(sorted(renamed.get(one, one) for one in node.parent_hashes))
        made = replace(node, parent_hashes=parents)
        renamed[node.content_hash] = content_hash(made, digests.get(node.id))
        where = (nodes.c.tree == number) & (nodes.c.node_id == node.id)
        values = {"content_hash": renamed[node.content_hash], "parent_hashes": list(parents) or None}
        connection.execute(update(nodes).where(where).values(values))


def rewrite_log(path: Path, *, links: bool) -> None:
    """A log that says what the file holds; with `links` also a chain over it, else the old one's links."""
    with _writing(path) as connection:
        old = [link.link for link in read_links(connection)]
        for number, tree_id in connection.execute(select(trees.c.id, trees.c.tree_id)).all():
            repair._begin_anew(connection, number, tree_rows.read_tree(connection, tree_id))
        connection.execute(change_log.delete().where(change_log.c.tree.is_(None)))
        head = read_head(connection)
        _link_anew(connection)
        _seal_anew(connection, head, "you")
        if not links:
            kept = zip(connection.execute(select(change_log.c.sequence)).scalars().all(), old, strict=False)
            for sequence, link in kept:
                where = change_log.c.sequence == sequence
                connection.execute(update(change_log).where(where).values(link=link))


def rewrite_log_in(connection: Connection, at: Milliseconds) -> None:
    """A log that says in a transaction what the file holds, as if all had been written down at one moment:
    the same file has the same head whenever it is rewritten.
    """
    for number, tree_id in connection.execute(select(trees.c.id, trees.c.tree_id)).all():
        repair._begin_anew(connection, number, tree_rows.read_tree(connection, tree_id))
    connection.execute(change_log.delete().where(change_log.c.tree.is_(None)))
    _seal_anew(connection, None, "you")
    older = change_log.alias()
    count = select(func.count()).select_from(older).where(older.c.sequence <= change_log.c.sequence)
    connection.execute(update(change_log).values(made_at=at, sequence=count.scalar_subquery()))
    relink_in(connection)


def append(path: Path, tree: int | None, label: str, *rows: object) -> None:
    """One more entry with its link: the chain before it stays as it is."""
    with _writing(path) as connection:
        facts = (tree, label, "you", 1_790_000_000_000, False, None, None)
        change_log_of._seal(connection, facts, log_chain.body_of(rows, {}))


def empty_rows(path: Path, about: str, kinds: Container[str] = ("node", "edge")) -> None:
    """Leave nothing but digests of the rows about a node or an agent: the chain stays as it is."""
    with _writing(path) as connection:
        for sequence, text in connection.execute(select(change_log.c.sequence, change_log.c.body)).all():
            body = log_chain.read_body(text)
            left = [log_chain.emptied(row) if _is_about(row, about, kinds) else row for row in body.rows]
            where = change_log.c.sequence == sequence
            values = {"body": log_chain.with_rows(body, left)}
            connection.execute(update(change_log).where(where).values(values))


def _is_about(row: object, about: str, kinds: Container[str]) -> bool:
    kind, *names = json.loads(log_chain.key_of(row))
    return kind in kinds and about in names


def relink(path: Path) -> None:
    """The chain as it follows from what the entries say."""
    with _writing(path) as connection:
        relink_in(connection)


def relink_in(connection: Connection) -> None:
    """Make the chain follow in a transaction."""
    link = log_chain.START
    for entry in list(read_links(connection)):
        link = log_chain.link_of(link, entry.facts, entry.body)
        where = change_log.c.sequence == entry.facts.sequence
        connection.execute(update(change_log).where(where).values(link=link))


def run(path: Path, *statements: str) -> None:
    """Statements at an SQL prompt that checks nothing."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA foreign_keys=OFF")
        for sql in statements:
            assert database.execute(sql).rowcount, sql


@contextmanager
def _writing(path: Path) -> Iterator[Connection]:
    engine = open_engine(path)
    try:
        with engine.execution_options(writes=True).begin() as connection:
            yield connection
    finally:
        engine.dispose()
