"""The trees of a grove as a list shows them; the nodes of each are counted once and then followed."""

from __future__ import annotations

from dataclasses import field, replace

from sqlalchemy import Connection, bindparam, func, null, select

from loomapp.core.dataclass import dataclass
from loomapp.core.model.change import Change
from loomapp.core.model.entities import LoomTree, Mode
from loomapp.core.times import Milliseconds
from loomapp.store.rows.tree_rows import count_nodes
from loomapp.store.schema import change_log, nodes, trees
from loomapp.store.statements import Statement, moment


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A row in a list of trees."""

    id: str
    title: str
    mode: Mode
    node_count: int
    written_count: int  # without the empty text that a tree may start with; pruned ones count
    updated_at: Milliseconds
    archived_at: Milliseconds | None


@dataclass(slots=True)
class Listing:
    """Lists trees without reading their nodes again: a list is shown anew with every change.

    A count belongs to the newest entry of its tree's log, so another program's change makes it stale.
    """

    # A tree's number: its newest entry, its nodes, and how many of them are its empty beginning.
    _counts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    _rows: dict[int, TreeRow] = field(default_factory=dict)  # by number; none if they are to be read

    def rows(self, connection: Connection) -> list[TreeRow]:
        """Return every tree, also archived ones, oldest first."""
        found = _LIST.run(connection, {}).fetchall()
        rows = {}
        for number, tree_id, title, mode, at, archived_at, newest in found:
            count, empty = self._count(connection, number, newest)
            rows[number] = TreeRow(tree_id, title, mode, count, count - empty, moment(at), archived_at)
        self._rows = rows
        return self.known()

    def known(self) -> list[TreeRow]:
        """The rows as they were read, moved by what was followed since; [] if they are to be read anew."""
        return list(self._rows.values())

    def forget(self) -> None:
        """A tree came, or is called otherwise: the rows are to be read anew."""
        self._rows = {}

    def follow(self, number: int, *, before: int, sequence: int, change: Change) -> None:
        """Take over what a change adds and removes that became the entry after `before`."""
        known, row = self._counts.get(number), self._rows.get(number)
        if known is None or known[0] != before or _touches_emptiness(change):
            self.forget()
            return
        count, empty = known[1] + len(change.added_nodes()) - len(change.removed_nodes()), known[2]
        self._counts[number] = (sequence, count, empty)
        if row is None or any(change.changed(LoomTree)):
            self.forget()
            return
        at = max(row.updated_at, moment(change.at))
        self._rows[number] = replace(row, node_count=count, written_count=count - empty, updated_at=at)

    def _count(self, connection: Connection, number: int, newest: int) -> tuple[int, int]:
        known = self._counts.get(number)
        if known is None or known[0] != newest:
            count = count_nodes(connection, number)
            empty = int(_EMPTY_ROOT.run(connection, {"in_tree": number}).fetchone()[0])
            known = self._counts[number] = (newest, count, empty)
        return known[1:]


def _touches_emptiness(change: Change) -> bool:
    """True if an empty text may have been filled, or a text emptied."""
    came_or_went = (*change.added_nodes(), *change.removed_nodes())  # a text that is there stays as it is
    return any(not node.text for node in came_or_went)


_NEWEST = (
    select(func.coalesce(func.max(change_log.c.sequence), 0))
    .where(change_log.c.tree == trees.c.id)
    .scalar_subquery()
)
_LIST = Statement(
    select(
        trees.c.id,
        trees.c.tree_id,
        trees.c.title,
        trees.c.mode,
        trees.c.updated_at,
        trees.c.archived_at,
        _NEWEST,
    ).order_by(trees.c.id)
)
_EMPTY_ROOT = Statement(
    select(func.count()).where(
        trees.c.id == bindparam("in_tree"),
        nodes.c.tree == trees.c.id,
        nodes.c.node_id == trees.c.root_id,
        nodes.c.present,
        nodes.c.text == "",
        nodes.c.content.is_(null()),
    )
)
