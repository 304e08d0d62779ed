"""The chain of a grove that was repaired: kept where it leads to the head it had, else begun anew."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select, update

from loomapp.core.model import log_chain
from loomapp.core.model.hashes import is_same_json
from loomapp.store.identity import now
from loomapp.store.rows import change_log, grove_rows
from loomapp.store.rows.chain import RESEALED, ChainReplay, Head, read_head, read_links
from loomapp.store.rows.grove_rows import SEALED, STATES, TOUCHED
from loomapp.store.rows.log_rows import LoggedRow
from loomapp.store.schema import change_log as log
from loomapp.store.schema import trees

MENDED = "Repaired"  # the label of an entry that says what agents and settings a repair found


def mend(connection: Connection, by: str) -> None:
    """Let the chain say what agents, settings and trees are now, anew only where it no longer leads to the
    head that it had.
    """
    head = read_head(connection)
    is_broken = head is None or _link_anew(connection) != head.link
    following = ChainReplay()
    for link in read_links(connection):
        following.take(link)
    following.settle(connection)
    if is_broken:
        _seal_anew(connection, head, by)
    else:
        rows = [*_otherwise(connection, following), *_times(connection)]
        change_log.append_rows(connection, MENDED, rows, by=by, at=now())


def _otherwise(connection: Connection, following: ChainReplay) -> Iterator[LoggedRow]:
    for kind, read in STATES.items():
        here, said = read(connection), following.states[kind]
        if not is_same_json(list(here.values()), list(said.values())):
            for state in said.values():
                yield [kind, state, None]
            for state in here.values():
                yield [kind, None, state]


def begin_anew(connection: Connection, by: str) -> None:
    """Seal every entry as it is found, and with a last entry what agents, settings and trees are now.

    After a repair the links may lead to what is lost: the chain that others kept the head of has ended.
    """
    head = read_head(connection)
    _link_anew(connection)
    _seal_anew(connection, head, by)


def _link_anew(connection: Connection) -> str:
    """Give every entry the link that follows from those before it, as they are found; the last of them."""
    link = log_chain.START
    for entry in list(read_links(connection)):
        link = log_chain.link_of(link, entry.facts, entry.body)
        where = log.c.sequence == entry.facts.sequence
        connection.execute(update(log).where(where).values(link=link))
    return link


def _seal_anew(connection: Connection, found: Head | None, by: str) -> None:
    rows: list[LoggedRow] = [
        [SEALED, None, {"after": "" if found is None else found.link}],
        *grove_rows.all_states(connection),
        *_times(connection),
    ]
    change_log.append_rows(connection, RESEALED, rows, by=by, at=now())


def _times(connection: Connection) -> Iterator[LoggedRow]:
    times = connection.execute(select(trees.c.tree_id, trees.c.updated_at).order_by(trees.c.id))
    return ([TOUCHED, None, {"tree": tree_id, "at": at}] for tree_id, at in times)
