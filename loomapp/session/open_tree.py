"""The open tree as its undo history, its reading place and the list of trees know it."""

from __future__ import annotations

from typing import Protocol

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.session.initiator import USER, Initiator
from loomapp.store.grove.grove import Grove


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
