"""The steps of a tree in pages, the names of points between them, and what a step made, read in full.

A name is a setting of its own for each point. Naming is then no change of the tree: it is no step of undo,
gives up nothing that could be redone, needs no row that other programs would have to apply, and two programs
that name two points lose neither name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from json import JSONDecoder
from typing import Any

from sqlalchemy import Connection, Select, Text, bindparam, case, cast, func, select

from loomapp.core.edits import undo
from loomapp.core.edits.undo import BEGINNING, LoggedStep, Step, StepPage, StepState
from loomapp.core.errors import StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.entities import TRACE, Edge, EdgeSource, Node
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.rows.log_rows import NODE
from loomapp.store.schema import agents, edge_sources, edges, nodes, settings
from loomapp.store.schema import change_log as log
from loomapp.store.statements import Statement, json_object, moment

PAGE = 200
GENERATE = "Generate"  # the label of one answer
ABOUT_CHARACTERS = 120
_MOST_BODY = 20_000  # characters of a log row that are looked at
_TAIL = 200  # of its end, where it says the action
_ACTION = re.compile(r',"action":"([^"\\]+)"')
_ROWS = '"rows":['  # begins its rows, see log_rows
_DECODER = JSONDecoder()


def read_steps(grove: Grove, tree_id: str, *, before: int | None = None, count: int = PAGE) -> StepPage:
    """The newest steps of a tree, or the next older ones than a sequence number.

    Raises: GroveError unknownTree, or that the file cannot be read.
    """
    query = _columns().order_by(log.c.sequence.desc()).limit(count + 1)
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
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree_id)
        query = _columns().where(log.c.sequence == sequence, log.c.tree == number, log.c.undoable)
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


def _columns() -> Select[Any]:
    return select(
        log.c.sequence,
        log.c.label,
        log.c.made_by,
        log.c.made_at,
        log.c.done,
        log.c.abandoned,
        func.substr(log.c.body, -_TAIL),
        func.substr(log.c.body, 1, _MOST_BODY),
    )


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


def _beginnings(
    connection: Connection, number: int, node_ids: Iterable[object]
) -> dict[object, tuple[str, str | None]]:
    """Return how the texts of nodes begin, also of those whose creation is undone, and of the answer of a run
    the name of its agent.
    """
    asked = {node_id for node_id in node_ids if isinstance(node_id, str)}
    runner = case((cast(nodes.c.extra, Text).like(f'%"{TRACE}"%'), agents.c.name))
    query = select(nodes.c.node_id, func.substr(nodes.c.text, 1, ABOUT_CHARACTERS), runner)
    query = query.outerjoin_from(nodes, agents, agents.c.agent_id == nodes.c.author_agent_id)
    query = query.where(nodes.c.tree == number, nodes.c.node_id.in_(asked))
    return {node_id: (" ".join(text.split()), agent) for node_id, text, agent in connection.execute(query)}


def _step(row: Sequence[Any], names: dict[int, str], texts: dict[object, tuple[str, str | None]]) -> Step:
    sequence, label, by, at, done, abandoned, tail, body = row
    state: StepState = "abandoned" if abandoned else "done" if done else "undone"
    about, runner = texts.get(_first_node(body), ("", None))
    if runner is not None and label == GENERATE:
        by = runner  # all steps of a run are its agent's
    action = _ACTION.search(tail)
    of_action = "" if action is None else action.group(1)
    return Step(sequence, label, by, moment(at), state, names.get(sequence), about, of_action)


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


def read_logged_step(grove: Grove, tree: Tree, sequence: int) -> LoggedStep:
    """Return a step of a tree by its sequence number, with its texts, whatever became of it since.

    Raises: StaleChange if the tree has no such step; GroveError if the file cannot be read.
    """
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree.loom.id)
        asked = select(log.c.sequence).where(log.c.sequence == sequence, log.c.tree == number, log.c.undoable)
        if connection.execute(asked).first() is None:
            raise StaleChange("This point is no longer in the history of this tree.")
        logged = change_log.read(connection, sequence)
        change = tree_rows.logged_change(connection, tree.loom.id, number, logged, known=tree.nodes)
        made = [node.id for node in change.added_nodes()]
        above, arriving = _undone_above(connection, number, tree, made)
    return LoggedStep(change, tuple(above.values()), arriving)


def _undone_above(
    connection: Connection, number: int, tree: Tree, node_ids: Sequence[str]
) -> tuple[Mapping[str, Node], tuple[Edge, ...]]:
    """Return what is not in the tree of all that nodes hang on, the nearest first, and the edges to them and
    it.
    """
    above: dict[str, Node] = {}
    found: dict[str, Edge] = {}
    waiting = [node_id for node_id in node_ids if node_id not in tree.nodes]
    while waiting:
        arriving = [edge for node_id in waiting for edge in _edges_into(connection, number, node_id)]
        found |= {edge.id: edge for edge in arriving}
        missing = (source.node_id for edge in arriving for source in edge.sources)
        waiting = [i for i in dict.fromkeys(missing) if _is_new(i, tree, node_ids, above)]
        above |= tree_rows.read_nodes(connection, number, waiting)
        waiting = [node_id for node_id in waiting if node_id in above]
    return above, tuple(found.values())


def _is_new(node_id: str, tree: Tree, made: Iterable[str], above: Mapping[str, Node]) -> bool:
    return node_id not in tree.nodes and node_id not in made and node_id not in above


def _edges_into(connection: Connection, number: int, node_id: str) -> list[Edge]:
    """The edges to a node in order of creation, those that are undone too, with the ends that they had."""
    asked = {"in_tree": number, "name": node_id}
    return [
        Edge(edge_id, _sources(connection, row), node_id, kind, moment(at), json_object(extra))
        for row, edge_id, kind, at, extra in _EDGES_INTO.run(connection, asked).fetchall()
    ]


def _sources(connection: Connection, row: int) -> tuple[EdgeSource, ...]:
    ends = _SOURCES.run(connection, {"of_edge": row}).fetchall()
    return tuple(EdgeSource(node_id, role, json_object(extra)) for node_id, role, extra in ends)


_EDGES_INTO = Statement(
    lambda: (
        select(edges.c.id, edges.c.edge_id, edges.c.type, edges.c.created_at, edges.c.extra)
        .join(nodes, nodes.c.id == edges.c.target)
        .where(nodes.c.tree == bindparam("in_tree"), nodes.c.node_id == bindparam("name"))
        .order_by(edges.c.id)
    )
)
_SOURCES = Statement(
    lambda: (
        select(nodes.c.node_id, edge_sources.c.role, edge_sources.c.extra)
        .join(nodes, nodes.c.id == edge_sources.c.node)
        .where(edge_sources.c.edge == bindparam("of_edge"))
        .order_by(edge_sources.c.position)
    )
)


def changes_naming(grove: Grove, tree_id: str, node_id: str) -> list[Change]:
    """Return the logged changes that made, removed or marked a node, oldest first, without evidence; not
    those that undid or redid others.
    """
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, tree_id)
        naming = select(log.c.sequence).where(log.c.tree == number, func.instr(log.c.body, node_id) > 0)
        return [
            tree_rows.logged_change(connection, tree_id, number, change_log.read(connection, sequence))
            for sequence in connection.execute(naming.order_by(log.c.sequence)).scalars().all()
        ]
