"""Agents in the file: people and models, the owner among them, and which of them a tree lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from loomapp.core.errors import GroveError, InvalidInput
from loomapp.core.model.agent import Agent, agent_from_json, agent_to_json, run_limits_to_json
from loomapp.core.sentences import worded
from loomapp.store.schema import agent_memory, agents, nodes, tree_agents
from loomapp.store.statements import Statement


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
    known = set(connection.execute(select(agents.c.agent_id)).scalars())
    for agent in listed:
        if agent.id not in known:
            connection.execute(insert(agents), _values(agent))
            known.add(agent.id)
    remembered = set(connection.execute(_ids_listed(tree)).scalars())
    for agent in listed:
        if agent.id not in remembered:
            connection.execute(insert(tree_agents), {"tree": tree, "agent_id": agent.id})
            remembered.add(agent.id)


def add_first_agents(connection: Connection, tree: int, listed: Sequence[Agent], known: set[str]) -> None:
    """Do the same for a tree that lists none yet; `known` are the agents there are, and gains the new."""
    for agent in listed:
        if agent.id not in known:
            connection.execute(insert(agents), _values(agent))
            known.add(agent.id)
    names = dict.fromkeys(agent.id for agent in listed)
    _LIST_AGENT.run_each(connection, ({"in_tree": tree, "name": name} for name in names))


_LIST_AGENT = Statement(
    insert(tree_agents).values(tree=bindparam("in_tree"), agent_id=bindparam("name")).inline()
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
