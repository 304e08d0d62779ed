"""A tool: its words, its arguments, and the function that carries out a call of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.resolve import resolve
from loomapp.core.settings.setting import Settings
from loomapp.mcp.arguments import Arguments, Parameter, ToolError, quoted
from loomapp.mcp.lists import Reply
from loomapp.mcp.served_grove import Environment, LocalEngine, Position, ServedGrove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.search import trees_holding

Report: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]


async def unreported(_done: float, _total: float | None, _message: str) -> None:
    """The listener of a call whose progress nobody wants."""


TREES_TOLD = 5  # of those that hold a node, where it is not clear which is meant
TREE = Parameter("tree", "a tree's id (default: the tree of the position)")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: what was given, who calls, and what the server has."""

    served: ServedGrove
    position: Position
    environment: Environment
    arguments: Arguments
    client: str
    report: Report
    settings: Settings
    engine: LocalEngine

    def tree(self) -> Tree:
        """The tree that is named, else that of the position. Raises: ToolError."""
        named = self.arguments.optional_text("tree")
        return current_tree(self.served, self.position) if named is None else self.served.tree(named)

    def place(self, name: str) -> tuple[Tree, str]:
        """The node that an argument names, by id or local id, and its tree; left out, the position.

        Without a tree it is looked for in that of the position, then in all. Raises: ToolError.
        """
        tree, named = self.tree(), self.arguments.optional_text(name)
        if named is None:
            return tree, self.position.at(tree)
        node_id = tree.find(named)
        if node_id is None and self.arguments.optional_text("tree") is None:
            return self._elsewhere(named)
        if node_id is None:
            raise node_not_found(named)
        return tree, node_id

    def _elsewhere(self, named: str) -> tuple[Tree, str]:
        tree_ids = trees_holding(self.served.grove(), named)
        if len(tree_ids) > 1:
            some = f"{tree_ids[:TREES_TOLD]}" + (" and others" if len(tree_ids) > TREES_TOLD else "")
            raise ToolError(f"Node {quoted(named)} is in {len(tree_ids)} trees: name one by tree ({some})")
        tree = self.served.tree(tree_ids[0]) if tree_ids else None
        node_id = None if tree is None else tree.find(named)
        if tree is None or node_id is None:
            raise node_not_found(named)
        return tree, node_id

    def living_place(self, name: str) -> tuple[Tree, str]:
        """Return the same, to write below it. Raises: ToolError also if it is pruned: nobody sees that."""
        tree, node_id = self.place(name)
        try:
            navigation.check_lives(tree, node_id, "by prune with on=false")
        except InvalidInput as error:
            raise ToolError(f"Node {error.message}") from error
        return tree, node_id

    def leave_pruned(self, tree: Tree, node_id: str) -> None:
        """Stand before a node that was pruned, if the position was at it or below."""
        at = self.position.at(tree)
        if tree.nodes[at].metadata.pruned and node_id in resolve(tree, at).node_ids:
            above = navigation.parent(tree, node_id)
            self.position.move(tree, tree.path.leaf_id if above is None else above)

    def pen(self) -> EditContext:
        """The author of what this call writes: an agent named as the client."""
        agent = self.served.agent_named(self.client)
        return EditContext(agent.id, now(), new_id, agent.type, self.client)


def current_tree(served: ServedGrove, position: Position) -> Tree:
    """The tree of the position, at first the one that was changed last. Raises: ToolError, GroveError."""
    if position.tree_id is None:
        position.tree_id = served.first_tree_id()
    return served.tree(position.tree_id)


def node_not_found(named: str) -> ToolError:
    return ToolError(f"Node {quoted(named)} not found")


def written(node_id: str, action: str, message: str | None = None) -> Json:
    """The reply of every tool that writes; a message is a warning."""
    return {"id": node_id, "action": action, "message": message}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the catalogue. `returns` and `example` are words for those who call it."""

    name: str
    summary: str
    run: Callable[[Call], Reply | Awaitable[Reply]]
    parameters: tuple[Parameter, ...]
    returns: str
    example: str
    description: str = ""  # beyond the summary
    writes: bool = False
    reads_grove: bool = True

    @property
    def text(self) -> str:
        """All that is said of it, in one piece."""
        return f"{self.summary}. {self.description}".rstrip() if self.description else self.summary
