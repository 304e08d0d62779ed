"""Changes that other programs wrote into the trees of a grove, read from its log."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, func, select

from loomapp.core.model.change import BY_USER, Change
from loomapp.store.rows import change_log as log
from loomapp.store.rows import tree_rows
from loomapp.store.schema import change_log, trees
from loomapp.store.statements import Statement

LONGEST_TOLD = 1_000_000  # characters of an entry

_ELSEWHERE = Statement(
    select(change_log.c.sequence, change_log.c.tree, trees.c.tree_id)
    .join(trees, trees.c.id == change_log.c.tree)
    .where(change_log.c.sequence > bindparam("after"), change_log.c.tree != bindparam("but"))
    .where(change_log.c.made_by != bindparam("user"))
    .where(func.length(change_log.c.body) <= bindparam("longest"))
    .order_by(change_log.c.sequence)
)


def foreign_changes(connection: Connection, after: int, but: int, own: Collection[int]) -> list[Change]:
    """Return the changes `after` an entry of all trees `but` one, oldest first, without evidence; entries of
    this program's `own`, what the user did (imports are) and what is very long are left out.
    """
    values = {"after": after, "but": but, "longest": LONGEST_TOLD, "user": BY_USER}
    return [
        tree_rows.logged_change(connection, str(tree_id), int(number), log.read(connection, int(entry)))
        for entry, number, tree_id in _ELSEWHERE.run(connection, values).fetchall()
        if entry not in own
    ]
