"""Rows of a grove: agents, settings, which agents a tree lists, and the list of trees with their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, null, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError, InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent, agent_from_json, agent_to_json, run_limits_to_json
from loomapp.core.model.change import Change
from loomapp.core.model.entities import LoomTree, Mode
from loomapp.core.model.hashes import is_same_json
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds
from loomapp.store import schema
from loomapp.store.identity import now
from loomapp.store.rows import change_log
from loomapp.store.rows.log_rows import LoggedRow
from loomapp.store.rows.tree_rows import count_nodes
from loomapp.store.schema import agent_memory, agents, nodes, tree_agents, trees
from loomapp.store.statements import Statement, moment


def insert_owner(connection: Connection, owner: Agent) -> None:
    """The one human to whom the grove belongs."""
    connection.execute(insert(agents), {**_values(owner), "is_owner": True})


def read_owner(connection: Connection) -> Agent:
    """The grove's owner. Raises: GroveError damaged if there is none."""
    row = connection.execute(select(agents).where(agents.c.is_owner)).one_or_none()
    if row is None:
        raise GroveError("damaged", "This grove has lost its owner; open a backup.")
    return agent_of(row)


def read_agents(connection: Connection) -> list[Agent]:
    return [agent_of(row) for row in connection.execute(select(agents).order_by(agents.c.id))]


def put_agent(connection: Connection, agent: Agent) -> None:
    """Add an agent or replace it. Raises: InvalidInput if it would become a human, or a model."""
    kind = connection.execute(select(agents.c.type).where(agents.c.agent_id == agent.id)).scalar_one_or_none()
    if kind is None:
        connection.execute(insert(agents), _values(agent))
        return
    if kind != agent.type:
        raise InvalidInput(
            worded("agent {agent}: is a {kind} and stays one", agent=agent.id, kind=kind), place=agent.id
        )
    connection.execute(update(agents).where(agents.c.agent_id == agent.id), _values(agent))


def add_agents(connection: Connection, tree: int, listed: Iterable[Agent]) -> None:
    """Add the agents that are new, and remember that a tree lists them; known ones stay as they are."""
    listed = list(listed)
    _add_new(connection, listed, set(connection.execute(select(agents.c.agent_id)).scalars()))
    remembered = set(connection.execute(_ids_listed(tree)).scalars())
    for agent in listed:
        if agent.id not in remembered:
            connection.execute(insert(tree_agents), {"tree": tree, "agent_id": agent.id})
            remembered.add(agent.id)


def add_first_agents(connection: Connection, tree: int, listed: Sequence[Agent], known: set[str]) -> None:
    """Do the same for a tree that lists none yet; `known` are the agents there are, and gains the new."""
    _add_new(connection, listed, known)
    names = dict.fromkeys(agent.id for agent in listed)
    _LIST_AGENT.run_each(connection, ({"in_tree": tree, "name": name} for name in names))


def _add_new(connection: Connection, listed: Sequence[Agent], known: set[str]) -> None:
    """Add agents that are not `known`, which gains them. A model that is here by another id and asked in the
    same way stays an author: it comes archived, for who chooses one to ask could not tell the two apart.
    """
    new = [agent for agent in listed if agent.id not in known]
    asked = [agent for agent in read_agents(connection) if agent.archived_at is None] if new else []
    for agent in new:
        is_twin = agent.type == "model" and any(replace(one, id=agent.id) == agent for one in asked)
        added = replace(agent, archived_at=now()) if is_twin else agent
        connection.execute(insert(agents), _values(added))
        known.add(agent.id)


_LIST_AGENT = Statement(
    lambda: insert(tree_agents).values(tree=bindparam("in_tree"), agent_id=bindparam("name")).inline()
)


def read_tree_agents(connection: Connection, tree: int) -> list[Agent]:
    """The agents that a tree's file listed, in its order, then the other authors of its nodes, then those who
    remember something of it.
    """
    known = {agent.id: agent for agent in read_agents(connection)}
    listed = connection.execute(_ids_listed(tree)).scalars().all()
    query = select(nodes.c.author_agent_id).where(nodes.c.tree == tree, nodes.c.present)
    authors = query.group_by(nodes.c.author_agent_id).order_by(func.min(nodes.c.id))
    remember = select(agent_memory.c.agent_id).where(agent_memory.c.tree == tree).order_by(agent_memory.c.id)
    found = (connection.execute(query).scalars() for query in (authors, remember))
    ids = dict.fromkeys((*listed, *chain.from_iterable(found)))
    return [known[agent_id] for agent_id in ids if agent_id in known]


def _ids_listed(tree: int) -> Any:
    return select(tree_agents.c.agent_id).where(tree_agents.c.tree == tree).order_by(tree_agents.c.id)


def _values(agent: Agent) -> dict[str, object]:
    value = agent_to_json(agent)
    return {
        "agent_id": agent.id,
        "name": agent.name,
        "type": agent.type,
        "model_ref": agent.model_ref,
        "configuration": value["configuration"],
        "permissions": value["permissions"],
        "loom_aware": agent.loom_aware,
        "colour": agent.colour,
        "archived_at": agent.archived_at,
        "extra": dict(agent.extra) or None,
        "run_limits": run_limits_to_json(agent.run_limits) or None,
    }


def agent_of(row: Any) -> Agent:
    """An agent as its row says it. Raises: InvalidInput."""
    inner = {
        "configuration": row.configuration,
        "permissions": row.permissions,
        "runLimits": row.run_limits,
    }
    parts = agent_from_json({"id": row.agent_id, "type": row.type, **inner}, "agents")
    return Agent(
        id=row.agent_id,
        name=row.name,
        type=row.type,
        model_ref=row.model_ref,
        configuration=parts.configuration,
        permissions=parts.permissions,
        loom_aware=row.loom_aware,
        colour=row.colour,
        archived_at=row.archived_at,
        extra=row.extra or {},
        run_limits=parts.run_limits,
    )


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
    query = select(schema.settings.c.value).where(schema.settings.c.name == name)
    return connection.execute(query).scalar_one_or_none()


def put_setting(connection: Connection, name: str, value: object) -> None:
    statement = upsert(schema.settings)
    statement = statement.on_conflict_do_update(set_={"value": statement.excluded.value})
    connection.execute(statement, {"name": name, "value": value})


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
    select(func.coalesce(func.max(schema.change_log.c.sequence), 0))
    .where(schema.change_log.c.tree == trees.c.id)
    .scalar_subquery()
)
_LIST = Statement(
    lambda: select(
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
    lambda: select(func.count()).where(
        trees.c.id == bindparam("in_tree"),
        nodes.c.tree == trees.c.id,
        nodes.c.node_id == trees.c.root_id,
        nodes.c.present,
        nodes.c.text == "",
        nodes.c.content.is_(null()),
    )
)
