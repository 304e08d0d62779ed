"""The open tree as those know it who work on it, the initiators of its changes, and facts to open it by."""

from __future__ import annotations

from typing import Literal, Protocol

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError
from loomapp.core.model.caches import Emptiable
from loomapp.core.model.change import Change
from loomapp.core.model.statistics import Bookmarks, TreeStatistics
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.trees_in_memory import TreeRead


@dataclass(frozen=True, slots=True)
class Initiator:
    """Told with every change, so that a listener need not ask around who made it.

    `typing` is the commit of what a person has written in a text, and `typing undone` takes that back as its
    words are: they go nowhere by either. `whole again` puts a text back that was cut for answers of which
    none came. `agent` is what a loom-aware agent did. `request` is the key of an answer's request.
    """

    kind: Literal[
        "user", "typing", "typing undone", "answer", "agent", "summary", "whole again", "other program"
    ]
    request: str = ""

    @property
    def is_typing(self) -> bool:
        """True if a person's own words only became nodes, or are no nodes any more."""
        return self.kind in ("typing", "typing undone")

    @property
    def is_here(self) -> bool:
        return self.kind != "other program"


USER = Initiator("user")  # an act of the person at this window, or what follows from one
TYPING = Initiator("typing")
TYPING_UNDONE = Initiator("typing undone")
WHOLE_AGAIN = Initiator("whole again")
OTHER_PROGRAM = Initiator("other program")


class OpenTree(Protocol):
    """The tree that is read, with what is done to it; `Document` is one."""

    grove: Grove
    tree: Tree
    has_tree: bool

    def pen(self) -> EditContext: ...

    def begin_step(self) -> None: ...

    def commit(
        self, change: Change | None, *, keeps_current: bool = False, current_id: str | None = None
    ) -> None:
        """Save a change, move the tree by it and tell the views; what is written becomes a step before it."""

    def commit_to(
        self,
        tree: Tree,
        change: Change,
        initiator: Initiator = USER,
        *,
        keeps_current: bool = False,
        current_id: str | None = None,
    ) -> None: ...

    def tell_if_many(self, change: Change) -> None:
        """Say that very many nodes are about to be changed."""

    def tell(self, change: Change, initiator: Initiator, *, current_id: str | None = None) -> None:
        """Tell every view of a change that is in the file and in the tree."""

    def settle_path(self, initiator: Initiator = USER) -> None:
        """Let the path end where something is shown."""

    def catch_up(self) -> None: ...

    def take_in(self) -> None:
        """Take in what other programs committed to this tree."""


@dataclass(frozen=True, slots=True)
class OpenedTree:
    """Opened tree that nobody else has, and facts found by looking at all of it."""

    read: TreeRead
    size: TreeStatistics
    bookmarks: Bookmarks
    path_ids: tuple[str, ...]  # the active path, or the root alone if it cannot be followed

    @property
    def tree(self) -> Tree:
        return self.read.tree

    def parts(self) -> list[Emptiable]:
        """Return the collections that hold most of its memory."""
        return [*self.tree.parts(), *self.size.parts()]


def looked_through(read: TreeRead) -> OpenedTree:
    tree = read.tree
    tree.look_up_rows()
    try:
        path_ids = resolve.resolve(tree, tree.path.leaf_id).node_ids
    except AssemblyError:
        path_ids = (tree.root_id,)
    for _ in tree.index_children(path_ids):
        pass  # this thread needs no pauses
    return OpenedTree(read, TreeStatistics(tree), Bookmarks(tree), path_ids)
