"""Foreign writes: nodes that other programs added and took back, told by the change log alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import Connection, bindparam, func, select
from sqlalchemy.exc import NoResultFound

from loomapp.core.dataclass import dataclass
from loomapp.core.model.change import BY_USER
from loomapp.core.times import Milliseconds
from loomapp.store.rows import change_log
from loomapp.store.rows.log_rows import NODE, LoggedRow
from loomapp.store.schema import change_log as log
from loomapp.store.schema import trees
from loomapp.store.statements import Statement, moment

LONGEST_TOLD = 1_000_000  # characters of an entry


@dataclass(frozen=True, slots=True)
class ForeignWrite:
    """An entry that another program made in a tree: who, when, and the ids of nodes that came and went."""

    tree_id: str
    by: str
    at: Milliseconds
    added: tuple[str, ...]
    removed: tuple[str, ...]


def foreign_writes(
    connection: Connection, after: int, but: int = 0, own: Collection[int] = ()
) -> Iterator[ForeignWrite]:
    """Yield what was written `after` an entry into all trees `but` one, oldest first. Entries of this
    program's `own`, what the user did (imports are) and what is very long are left out; so are those that
    cannot be read, which verification names.
    """
    values = {"after": after, "but": but, "longest": LONGEST_TOLD, "user": BY_USER}
    for entry, tree_id, by, at in _ELSEWHERE.run(connection, values).fetchall():
        if entry in own:
            continue
        try:
            rows = change_log.read(connection, entry).rows
            yield ForeignWrite(tree_id, str(by), moment(at), _moved(rows, 1, 2), _moved(rows, 2, 1))
        except _BROKEN:
            continue


# What an entry raises that another hand has changed.
_BROKEN = (ValueError, TypeError, LookupError, AttributeError, RecursionError, NoResultFound)


def _moved(rows: Sequence[LoggedRow], before: int, after: int) -> tuple[str, ...]:
    """The nodes of which a state is there at the second of two places and not at the first."""
    moved = (row for row in rows if row[0] == NODE and row[before] is None and row[after] is not None)
    return tuple(str(row[3]) for row in moved)


_ELSEWHERE = Statement(
    select(log.c.sequence, trees.c.tree_id, log.c.made_by, log.c.made_at)
    .join(trees, trees.c.id == log.c.tree)
    .where(log.c.sequence > bindparam("after"), log.c.tree != bindparam("but"))
    .where(log.c.made_by != bindparam("user"))
    .where(func.length(log.c.body) <= bindparam("longest"))
    .order_by(log.c.sequence)
)
