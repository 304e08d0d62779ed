"""Steps of a tree in the file: one is saved, the newest are taken back or brought back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import TypeAlias

from sqlalchemy import Connection

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import undo
from loomapp.core.edits.undo import UndoEntry
from loomapp.core.errors import LoomError, StaleChange
from loomapp.core.model.change import Change, check
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.store.identity import now
from loomapp.store.rows import change_log, change_rows, log_rows, responses, tree_rows
from loomapp.store.rows.change_log import Logged
from loomapp.store.rows.log_rows import LoggedRow
from loomapp.store.statements import driver

MOST_LOOKED_AT = 40  # steps before those that are undone, for others of the same action
Order: TypeAlias = Callable[[Iterable[UndoEntry]], Iterator[UndoEntry]]


@dataclass(frozen=True, slots=True)
class Moved:
    """The change that moved the file, to move the tree by, and the newest sequence number after it."""

    change: Change
    sequence: int


def save(connection: Connection, number: int, tree: Tree, change: Change) -> int:
    """Write a change as a new step; its sequence number. Raises: StaleChange, InvalidInput."""
    with change_rows.broken_text_named(change.label, (row.after for row in change.rows)):
        _write(connection, number, tree, change)
        responses.write_evidence(connection, number, change.evidence)
        responses.check_claims(connection, number, change.rows)
        return change_log.append(connection, number, change)


def take_back(
    connection: Connection,
    number: int,
    tree: Tree,
    *,
    by: str,
    guard: Callable[[Change], None],
) -> Moved | None:
    """Undo the newest action; None if there is none.

    Raises: StaleChange; and what `guard` raises, before anything moves.
    """
    action = _action(connection, number, undo.undo_order)
    if not action:
        return None
    total = len(action) + _parted(connection, number, action)
    return _taken_back(connection, number, tree, action, by, guard, total=total)


def take_back_actions(
    connection: Connection,
    number: int,
    tree: Tree,
    *,
    by: str,
    guard: Callable[[Change], None],
    actions: Sequence[str],
) -> Moved:
    """Undo some actions as one: of each step the action it is of, oldest first.

    Raises: as `take_back`; StaleChange also if they are not the newest steps that are done.
    """
    with closing(change_log.done_steps(connection, number)) as newest_first:
        steps = list(islice(newest_first, len(actions)))
    read = [change_log.read(connection, step.sequence) for step in steps]
    if [one.action for one in reversed(read)] != list(actions):
        raise StaleChange(worded("Something else was done since."))
    return _taken_back(connection, number, tree, read, by, guard)


def take_back_each(
    connection: Connection, number: int, tree: Tree, *, by: str, guard: Callable[[Change], None], most: int
) -> Iterator[Moved]:
    """Undo the newest steps, at the `most` so many, each alone. Whoever asks for the next has moved the tree
    by the one before. Raises: as `take_back`; the file is then as it was after the one before.
    """
    with closing(change_log.done_steps(connection, number)) as newest_first:
        steps = list(islice(newest_first, most))  # the log is written to meanwhile
    for step in steps:
        with _refusal_undone(connection):
            action = [change_log.read(connection, step.sequence)]
            moved = _taken_back(connection, number, tree, action, by, guard)
        yield moved


def _taken_back(
    connection: Connection,
    number: int,
    tree: Tree,
    action: Sequence[Logged],
    by: str,
    guard: Callable[[Change], None],
    *,
    total: int = 0,
) -> Moved:
    """Undo steps of one action, which has so many in `total`."""
    steps = _changes(connection, number, tree, action)
    own = undo.own_rows(tree, [step.inverse() for step in steps])
    change = undo.undoing(tree, steps, at=now(), by=by)
    if total > len(action):
        change = replace(change, label=f"Undo {len(action)} of {total} steps")
    guard(change)
    _write(connection, number, tree, change)
    moved = dict(zip((one.entry.sequence for one in action), own, strict=True))
    return Moved(change, change_log.append_undo(connection, number, change, moved))


def bring_back(
    connection: Connection,
    number: int,
    tree: Tree,
    *,
    by: str,
    guard: Callable[[Change], None],
) -> Moved | None:
    """Redo the action that was undone last; None if there is none.

    Raises: StaleChange; and what `guard` raises, before anything moves.
    """
    action = _action(connection, number, undo.redo_order)
    if not action:
        return None
    undos = change_log.rows_of_undos(connection, number, [one.entry.sequence for one in action])
    return _brought_back(connection, number, tree, action, undos, by, guard)


def bring_back_each(
    connection: Connection, number: int, tree: Tree, *, by: str, guard: Callable[[Change], None], most: int
) -> Iterator[Moved]:
    """Redo the steps that were undone last, at the `most` so many, likewise. Raises: as `bring_back`."""
    with closing(change_log.undone_steps(connection, number)) as oldest_first:
        steps = [step.sequence for step in islice(oldest_first, most)]
    undos = change_log.rows_of_undos(connection, number, steps)
    for step in steps:
        with _refusal_undone(connection):
            action = [change_log.read(connection, step)]
            moved = _brought_back(connection, number, tree, action, undos, by, guard)
        yield moved


def _brought_back(
    connection: Connection,
    number: int,
    tree: Tree,
    action: Sequence[Logged],
    undos: Mapping[int, Sequence[LoggedRow]],
    by: str,
    guard: Callable[[Change], None],
) -> Moved:
    """Redo steps of one action, of which `undos` say what undid them. The path that was read then is read
    again.
    """
    steps = _changes(connection, number, tree, action)
    told = [undos.get(one.entry.sequence, ()) for one in action]
    gone = tree_rows.nodes_that_went(connection, number, chain.from_iterable(told))
    own = undo.own_rows(tree, steps, gone)
    read = log_rows.path_before(told[-1])
    change = undo.redoing(tree, steps, at=now(), by=by, read=read, gone=gone)
    guard(change)
    _write(connection, number, tree, change)
    moved = dict(zip((one.entry.sequence for one in action), own, strict=True))
    return Moved(change, change_log.append_redo(connection, number, change, moved))


@contextmanager
def _refusal_undone(connection: Connection) -> Iterator[None]:
    """Leave the file as it was if a step is refused; a fault of the file ends the whole transaction."""
    execute = driver(connection).execute
    execute("SAVEPOINT step")
    try:
        yield
    except LoomError:
        execute("ROLLBACK TO step")
        raise
    finally:
        if driver(connection).in_transaction:
            execute("RELEASE step")


def redoes_split_in_vain(connection: Connection, number: int) -> bool:
    """True if what would be brought back next is a text parted alone, for an answer: none came."""
    action = _action(connection, number, undo.redo_order)
    return len(action) == 1 and bool(action[0].action) and action[0].kind == "split"


def _action(connection: Connection, number: int, order: Order) -> list[Logged]:
    """The first of the steps in an order, and those right behind it that came of the same action.

    Another step in between parts them: each is moved by itself when its turn comes. [] if there are none.
    """
    together: list[Logged] = []
    with closing(change_log.steps(connection, number)) as newest_first:
        for entry in order(newest_first):
            one = change_log.read(connection, entry.sequence)
            if together and one.action != together[0].action:
                break
            together.append(one)
            if not one.action:
                break
    return together


def _parted(connection: Connection, number: int, action: Sequence[Logged]) -> int:
    """The steps of an action that stay when its newest are undone, because another step is in between; those
    of very long ago do not count.
    """
    if not action[0].action:
        return 0
    with closing(change_log.done_steps(connection, number)) as newest_first:
        older = [one.sequence for one in islice(newest_first, len(action), len(action) + MOST_LOOKED_AT)]
    return sum(change_log.read(connection, one).action == action[0].action for one in older)


def _changes(connection: Connection, number: int, tree: Tree, action: Sequence[Logged]) -> list[Change]:
    return [
        tree_rows.logged_change(connection, tree.loom.id, number, one, known=tree.nodes) for one in action
    ]


def _write(connection: Connection, number: int, tree: Tree, change: Change) -> None:
    check(tree, change)
    change_rows.check_ends(tree, change)
    change_rows.write_change(connection, number, tree, change)
    change_rows.touch(connection, number, tree, change)
