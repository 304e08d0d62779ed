"""Comparison of the agent that a model's node is said to be of with the one that asked for its response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import asking_agent
from loomapp.core.times import Milliseconds
from loomapp.store.rows.chain import ChainReplay

OTHER_AGENT = "it is said to be of an agent that never asked the model its response came from"


class AgentName(NamedTuple):
    """The model of an agent, and what the agent was called, at one time."""

    model_ref: str
    name: str


@dataclass(frozen=True, slots=True)
class KnownAgents:
    """Every model and name that each agent of a grove ever had, by its id, and from which entry of the change
    log on that is proved.
    """

    names: Mapping[str, AbstractSet[AgentName]]
    sealed_from: int


def known_agents(following: ChainReplay) -> KnownAgents:
    """The agents that a chain told of, once it is read to its end."""
    names = {agent_id: {AgentName(*one) for one in ever} for agent_id, ever in following.agents.items()}
    return KnownAgents(names, following.sealed_from)


class Arrival(NamedTuple):
    """The entry of the change log that a response came with."""

    sequence: int
    at: Milliseconds
    is_import: bool  # by its label, or because its tree came with it


def exchanged_agents(
    tree: Tree, item: Evidence, arrival: Arrival | None, known: KnownAgents
) -> Iterator[tuple[str, str]]:
    """Yield each node of a response that is said to be of another agent than asked for it, and the reason.

    What came from elsewhere names agents as they were called there, and entries before the seal prove
    nothing: of those nothing is said.
    """
    asked = asking_agent(item)
    if asked is None or arrival is None or arrival.sequence < known.sealed_from:
        return
    nodes = [tree.nodes[node_id] for node_id in item.choices if node_id in tree.nodes]
    if arrival.is_import and all(node.created_at != arrival.at for node in nodes):
        return
    model_ref, name = asked
    for node in nodes:
        ever = known.names.get(node.author_agent_id or "", frozenset())
        if not any(one.model_ref == model_ref and name in (None, one.name) for one in ever):
            yield node.id, OTHER_AGENT
