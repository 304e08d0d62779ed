"""Trees for tests: ids that count, a clock that ticks, and a snapshot to compare by."""

from __future__ import annotations

from itertools import count

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import add_node
from loomapp.core.edits.tree_edits import new_tree
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import Mode
from loomapp.core.model.tree import Tree

NUMBERS = count(1)  # one for the whole run: ids of two hands never meet


def counted_id() -> str:
    """Ids in order: id1, id2, …"""
    return f"id{next(NUMBERS)}"


class Hand:
    """A writer with a clock: makes pens, one millisecond apart."""

    def __init__(self, start: int = 1_790_000_000_000) -> None:
        self.now = start
        self.new_id = counted_id

    def pen(self, agent_id: str = "you") -> EditContext:
        """A pen for the next moment."""
        self.now += 1
        return EditContext(agent_id, self.now, self.new_id)


def do(tree: Tree, change: Change | None) -> Change:
    """Apply a change that must be one."""
    assert change is not None
    apply(tree, change)
    return change


def chain(length: int, *, mode: Mode = "dialogue", hand: Hand | None = None) -> tuple[Tree, list[str]]:
    """A tree of an empty root and `length` messages below it; the ids of the messages."""
    hand = hand or Hand()
    tree = new_tree(mode, "A tree", hand.pen())
    ids: list[str] = []
    for i in range(length):
        change = do(tree, add_node(tree, ids[-1] if ids else tree.root_id, f"message {i}", hand.pen()))
        ids.append(change.added_nodes()[0].id)
    return tree, ids


def snapshot(tree: Tree) -> object:
    """Everything a tree says, to compare before and after; equal for equal trees only."""
    nodes = list(tree.nodes)
    return (
        tree.loom,
        list(tree.nodes.items()),
        list(tree.edges.items()),
        tree.path,
        tree.included_annotations,
        tree.tags,
        tree.links,
        [(tree.children(n), tree.notes(n), tree.incoming(n), tree.edits_of(n)) for n in nodes],
        [tree.find(tree.nodes[n].local_id) for n in nodes],
    )
