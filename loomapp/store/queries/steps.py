"""The steps of a tree in pages, newest first, and the names that were given to points between them.

A name is a setting of its own for each point. Naming is then no change of the tree: it is no step of undo,
gives up nothing that could be redone, needs no row that other programs would have to apply, and two programs
that name two points lose neither name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from json import JSONDecoder
from typing import Any

from sqlalchemy import Connection, func, select

from loomapp.core.edits import undo
from loomapp.core.edits.history import BEGINNING, Step, StepPage, StepState
from loomapp.store.grove.grove import Grove
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.rows.log_rows import NODE
from loomapp.store.schema import change_log as log
from loomapp.store.schema import nodes, settings
from loomapp.store.statements import moment

PAGE = 200
ABOUT_CHARACTERS = 120
_MOST_BODY = 20_000  # characters of a log row that are looked at
_ROWS = '"rows":['  # begins its rows, see log_rows
_DECODER = JSONDecoder()
_COLUMNS = (
    log.c.sequence,
    log.c.label,
    log.c.made_by,
    log.c.made_at,
    log.c.done,
    log.c.abandoned,
    func.substr(log.c.body, 1, _MOST_BODY),
)


def read_steps(grove: Grove, tree_id: str, *, before: int | None = None, count: int = PAGE) -> StepPage:
    """The newest steps of a tree, or the next older ones than a sequence number.

    Raises: GroveError unknownTree, or that the file cannot be read.
    """
    query = select(*_COLUMNS).order_by(log.c.sequence.desc()).limit(count + 1)
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree_id)
        names = _names(connection, tree_id)
        query = query.where(log.c.tree == number, log.c.undoable)
        if before is not None:
            query = query.where(log.c.sequence < before)
        rows = connection.execute(query).all()
        texts = _beginnings(connection, number, [_first_node(row[-1]) for row in rows])
        present = undo.next_undo(change_log.steps(connection, number))
    steps = tuple(_step(row, names, texts) for row in rows[:count])
    at = BEGINNING if present is None else present.sequence
    return StepPage(steps, len(rows) > count, at, names.get(BEGINNING))


def read_step(grove: Grove, tree_id: str, sequence: int) -> Step | None:
    """Return one step of a tree, None if it has none of this number."""
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree_id)
        query = select(*_COLUMNS).where(log.c.sequence == sequence, log.c.tree == number, log.c.undoable)
        row = connection.execute(query).one_or_none()
        if row is None:
            return None
        return _step(
            row, _names(connection, tree_id), _beginnings(connection, number, [_first_node(row[-1])])
        )


def distance(grove: Grove, tree_id: str, sequence: int) -> int:
    """Count how many steps must be undone to stand right after a step: negative if they must be done
    again.
    """
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree_id)
        reachable = select(func.count()).where(log.c.tree == number, log.c.undoable, ~log.c.abandoned)
        newer = connection.execute(reachable.where(log.c.done, log.c.sequence > sequence)).scalar_one()
        undone = connection.execute(reachable.where(~log.c.done, log.c.sequence <= sequence)).scalar_one()
    return newer - undone


def name_point(grove: Grove, tree_id: str, sequence: int, name: str) -> None:
    """Call the point right after a step by a name, or by none if it is blank.

    Raises: GroveError if it cannot be saved.
    """
    grove.put_setting(_prefix(tree_id) + str(sequence), name.strip() or None)


def _names(connection: Connection, tree_id: str) -> dict[int, str]:
    """The names of points by the sequence number of the step before them."""
    prefix = _prefix(tree_id)
    query = select(settings.c.name, settings.c.value).where(
        settings.c.name > prefix, settings.c.name < prefix + ":"
    )  # ":" comes right after the digits
    named = ((key.removeprefix(prefix), value) for key, value in connection.execute(query))
    return {int(point): value for point, value in named if point.isdecimal() and isinstance(value, str)}


def _prefix(tree_id: str) -> str:
    return f"point.{tree_id}."


def _beginnings(connection: Connection, number: int, node_ids: Iterable[object]) -> dict[object, str]:
    """Return how the texts of nodes begin, also of those whose creation is undone."""
    asked = {node_id for node_id in node_ids if isinstance(node_id, str)}
    query = select(nodes.c.node_id, func.substr(nodes.c.text, 1, ABOUT_CHARACTERS))
    query = query.where(nodes.c.tree == number, nodes.c.node_id.in_(asked))
    return {node_id: " ".join(text.split()) for node_id, text in connection.execute(query)}


def _step(row: Sequence[Any], names: dict[int, str], texts: dict[object, str]) -> Step:
    sequence, label, by, at, done, abandoned, body = row
    state: StepState = "abandoned" if abandoned else "done" if done else "undone"
    return Step(sequence, label, by, moment(at), state, names.get(sequence), texts.get(_first_node(body), ""))


def _first_node(body: str) -> str | None:
    """Return the id of the first node that a step made, else of the first that it touched; None where it
    only touches nodes, and more than can be looked at: it is about none of them.
    """
    rows, at = body.partition(_ROWS)[2], 0
    touched: str | None = None
    while rows.startswith("[", at):
        try:
            row, at = _DECODER.raw_decode(rows, at)
        except ValueError:  # cut off
            return None
        if len(row) > 3 and row[0] == NODE:  # only a node has a fourth value, its id
            if row[1] is None:
                return str(row[3])
            touched = touched or str(row[3])
        at += rows.startswith(",", at)
    return touched
