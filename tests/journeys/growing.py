"""Trees for journeys, grown node by node in a grove before its window is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.change import Change
from loomapp.core.model.entities import EdgeSource, Mode
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from tests.session.programs import SCRIPTED


@dataclass
class Growing:
    """A tree in a grove that is open."""

    grove: Grove
    tree: Tree

    def write(self, above: str, text: str, *, sources: tuple[EdgeSource, ...] | None = None) -> str:
        """A text of a person below a node."""
        return self.do(lambda tree, pen: node_edits.add_node(tree, above, text, pen, sources=sources))

    def answer(self, above: str, text: str, *, sources: tuple[EdgeSource, ...] | None = None) -> str:
        """A text of the model below a node."""
        pen = EditContext(SCRIPTED.id, now(), new_id, author_type="model")
        return self.add(node_edits.add_node(self.tree, above, text, pen, sources=sources))

    def do(self, make: Callable[[Tree, EditContext], Change | None]) -> str:
        """Commit what a person does; the id of the first node that it made, if any."""
        return self.add(make(self.tree, EditContext(self.grove.owner.id, now(), new_id)))

    def add(self, change: Change | None) -> str:
        """Commit a change, likewise."""
        assert change is not None
        self.grove.commit(self.tree, change)
        return next((node.id for node in change.added_nodes()), "")

    def read(self, node_id: str) -> None:
        """Read the path to a node."""
        change = node_edits.choose_path(self.tree, node_id, EditContext(self.grove.owner.id, now(), new_id))
        if change is not None:
            self.add(change)


def grown(grove: Grove, mode: Mode = "dialogue", text: str = "What is the sea?") -> Growing:
    """A new tree whose first node has a text, which may be empty."""
    tree = tree_edits.new_tree(mode, "Sea", EditContext(grove.owner.id, now(), new_id), text=text)
    grove.add_tree(tree, [grove.owner, SCRIPTED])
    return Growing(grove, tree)
