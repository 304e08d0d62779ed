"""The trees of a grove as a list shows them; the nodes of each are counted once and then followed."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, func, select

from loomapp.core.change import Change
from loomapp.core.tree import Milliseconds, Mode
from loomapp.store.schema import change_log, nodes, trees
from loomapp.store.statements import Statement, moment


@dataclass(frozen=True, slots=True)
class TreeRow:
    """What a list of trees shows of one."""

    id: str
    title: str
    mode: Mode
    node_count: int
    updated_at: Milliseconds
    archived_at: Milliseconds | None


@dataclass(slots=True)
class Listing:
    """Lists trees without reading their nodes again: a list is shown anew with every change.

    A count belongs to the newest entry of its tree's log, so another program's change makes it stale.
    """

    _counts: dict[int, tuple[int, int]] = field(default_factory=dict)  # tree's number: newest entry, nodes

    def rows(self, connection: Connection) -> list[TreeRow]:
        """Every tree, also archived ones, oldest first."""
        found = _LIST.run(connection, {}).fetchall()
        return [
            TreeRow(tree_id, title, mode, self._count(connection, number, newest), moment(at), archived_at)
            for number, tree_id, title, mode, at, archived_at, newest in found
        ]

    def follow(self, number: int, *, before: int, sequence: int, change: Change) -> None:
        """Take over what a change adds and removes that became the entry after `before`."""
        known = self._counts.get(number)
        if known is not None and known[0] == before:
            gained = len(change.added_nodes()) - len(change.removed_nodes())
            self._counts[number] = (sequence, known[1] + gained)

    def _count(self, connection: Connection, number: int, newest: int) -> int:
        known = self._counts.get(number)
        if known is not None and known[0] == newest:
            return known[1]
        count = int(_COUNT.run(connection, {"in_tree": number}).fetchone()[0])
        self._counts[number] = (newest, count)
        return count


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
_COUNT = Statement(
    select(func.count()).select_from(nodes).where(nodes.c.tree == bindparam("in_tree"), nodes.c.present)
)
