"""Rows of a grove that belong to no tree: agents, settings, and what the files of trees listed.

Each is [kind, before, after] as a row of a tree's Change, so an entry of them seals names, models, prompts
and permissions of agents as one of a tree seals texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert

from loomapp.core.json_values import Json
from loomapp.core.model.hashes import is_same_json
from loomapp.store import schema
from loomapp.store.identity import now
from loomapp.store.rows import change_log
from loomapp.store.rows.log_rows import LoggedRow

AGENT, FILE, SETTING = "agent", "file", "setting"
SEALED, TOUCHED = "sealed", "touched"  # that older entries were sealed; when a tree had been changed last
GONE = "gone"  # nodes of a tree that were deleted for good

States = Mapping[str, Json]  # by the id of the agent or tree, or the name of the setting, in the file's order


def log(connection: Connection, label: str, rows: Sequence[LoggedRow], by: str = "you") -> None:
    """Write rows down as one entry, which is no step of undo; nothing if there are none."""
    if rows:
        change_log.append_rows(connection, label, rows, by=by, at=now())


def changed(kind: str, before: States, after: States) -> list[LoggedRow]:
    """The rows of what became otherwise."""
    return [
        [kind, before.get(name), after.get(name)]
        for name in dict.fromkeys((*before, *after))
        if not is_same_json(before.get(name), after.get(name))
    ]


def agent_states(connection: Connection) -> States:
    """Return every agent with its columns; `owner` says whether the grove is theirs."""
    query = select(schema.agents).order_by(schema.agents.c.id)
    return {row.agent_id: _agent_state(row) for row in connection.execute(query)}


def _agent_state(row: Any) -> Json:
    """The cells of an agent's row as they are, also such as another hand left there."""
    state = {
        "id": row.agent_id,
        "name": row.name,
        "type": row.type,
        "modelRef": row.model_ref,
        "configuration": row.configuration,
        "permissions": row.permissions,
        "loomAware": row.loom_aware,
        "colour": row.colour,
        "archivedAt": row.archived_at,
        "extra": row.extra,
        "owner": row.is_owner,
    }
    return state if row.run_limits is None else {**state, "runLimits": row.run_limits}


def setting_states(connection: Connection) -> States:
    table = schema.settings.c
    query = select(table.name, table.value).order_by(table.name)
    return {name: {"name": name, "value": value} for name, value in connection.execute(query)}


def file_states(connection: Connection, number: int | None = None) -> States:
    """The agents that each tree's file listed, in its order, and the keys at its top that are not ours."""
    trees, listed = schema.trees.c, schema.tree_agents.c
    query = select(listed.tree, listed.agent_id).order_by(listed.id)
    rows = select(trees.id, trees.tree_id, trees.file_extra).order_by(trees.id)
    if number is not None:
        query, rows = query.where(listed.tree == number), rows.where(trees.id == number)
    ids: dict[int, list[str]] = {}
    for tree, agent_id in connection.execute(query):
        ids.setdefault(tree, []).append(agent_id)
    return {
        tree_id: {"tree": tree_id, "agents": ids.get(tree, []), "extra": extra or {}}
        for tree, tree_id, extra in connection.execute(rows)
        if tree in ids or extra
    }


def file_state(tree_id: str, agent_ids: Iterable[str], extra: Mapping[str, object]) -> States:
    """Return the file state of a tree that just came in."""
    ids = list(dict.fromkeys(agent_ids))
    return {tree_id: {"tree": tree_id, "agents": ids, "extra": dict(extra)}} if ids or extra else {}


STATES: Mapping[str, Callable[[Connection], States]] = {
    AGENT: agent_states,
    SETTING: setting_states,
    FILE: file_states,
}


def all_states(connection: Connection) -> Sequence[LoggedRow]:
    """A row for each agent, setting and listing that there is, as if it had just been made."""
    return [[kind, None, state] for kind, read in STATES.items() for state in read(connection).values()]


def read_setting(connection: Connection, name: str) -> object:
    """Return a setting, None if it was never set."""
    query = select(schema.settings.c.value).where(schema.settings.c.name == name)
    return connection.execute(query).scalar_one_or_none()


def put_setting(connection: Connection, name: str, value: object) -> None:
    statement = insert(schema.settings)
    statement = statement.on_conflict_do_update(set_={"value": statement.excluded.value})
    connection.execute(statement, {"name": name, "value": value})
