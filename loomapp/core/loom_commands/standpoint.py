"""The standpoint of a command: the tree, the node at which an agent stands, and by whose hand it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.loom_commands.words import NodeNames
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree


def _nowhere(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Standpoint:
    """All that a command needs: `at` is where the agent stands, `start` the node that its answer continues,
    `agents` all that can be named, by id, and `is_elsewhere` tells of ids of other trees.

    `asking` are the agents that wait for this command: they are not asked again.
    """

    tree: Tree
    at: str
    start: str
    agent: Agent
    pen: EditContext
    agents: Mapping[str, Agent] = field(default_factory=dict)
    is_elsewhere: Callable[[str], bool] = _nowhere
    asking: frozenset[str] = frozenset()

    @property
    def names(self) -> NodeNames:
        return NodeNames(self.tree.find, self._begins, self.is_elsewhere)

    @property
    def authors(self) -> Mapping[str, str]:
        return {agent.id: agent.name for agent in self.agents.values()}

    def local(self, node_id: str) -> str:
        return f"[{self.tree.nodes[node_id].local_id}]"

    def _begins(self, letters: str) -> list[str]:
        wanted = letters.upper()
        local_ids = (node.local_id for node in self.tree.nodes.values())
        return [local_id for local_id in local_ids if local_id.upper().startswith(wanted)]
