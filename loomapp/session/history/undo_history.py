"""The undo history of the tree that is read: steps taken back, done again, listed and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from loomapp.core.edits import undo
from loomapp.core.edits.abandoned_steps import LoggedStep
from loomapp.core.edits.history import BEGINNING, StepPage
from loomapp.core.errors import GroveError
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.session.initiator import USER, Initiator
from loomapp.session.open_tree import OpenTree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.trees_in_memory import StepBatch
from loomapp.store.queries.logged_steps import read_logged_step
from loomapp.store.queries.steps import name_point, read_steps


class UndoHistory:
    """The steps of one open tree. Undo takes back what was done last, whoever did it."""

    def __init__(self, owner: OpenTree) -> None:
        self.owner = owner
        self.undo_label: str | None = None
        self.redo_label: str | None = None

    @property
    def grove(self) -> Grove:
        return self.owner.grove

    @property
    def tree(self) -> Tree:
        return self.owner.tree

    @property
    def tree_id(self) -> str:
        return self.owner.tree.loom.id

    def undo(self, guard: Callable[[Change], None]) -> Change | None:
        """Take back the newest step; None if there is none. `guard` may refuse one, by raising."""

        def look(change: Change) -> None:
            guard(change)
            self.owner.tell_if_many(change)

        self.owner.begin_step()
        try:
            return self._told(self.grove.undo(self.owner.tree, guard=look))
        finally:  # also where it is refused: what others did was taken in first
            self.owner.settle_path()

    def undo_actions(self, actions: Sequence[str], initiator: Initiator = USER) -> None:
        """Take back some actions as one, the oldest first. Raises: StaleChange unless they are the newest."""
        self.owner.begin_step()
        try:
            self._told(self.grove.undo_actions(self.owner.tree, actions), initiator)
        finally:
            self.owner.settle_path(initiator)

    def redo(self) -> Change | None:
        """Do again what was taken back last; None if there is nothing."""
        self.owner.begin_step()
        try:
            return self._told(self.grove.redo(self.owner.tree, guard=self.owner.tell_if_many))
        finally:
            self.owner.settle_path()

    def undo_step(self, guard: Callable[[Change], None]) -> Change | None:
        """Undo the newest step alone, where a change came apart in several."""
        return self._told(self.grove.undo_step(self.owner.tree, guard=guard))

    def redo_step(self) -> Change | None:
        return self._told(self.grove.redo_step(self.owner.tree))

    def undo_steps(
        self, most: int, goes_on: Callable[[], bool], guard: Callable[[Change], None]
    ) -> StepBatch | None:
        """Take back up to `most` of the newest steps while it `goes_on`, told of as one; None for none.

        The path is left to whoever goes on; see `OpenTree.settle_path`.
        """
        return self._told_stretch(self.grove.undo_steps(self.owner.tree, most, goes_on, guard))

    def redo_steps(self, most: int, goes_on: Callable[[], bool]) -> StepBatch | None:
        """Do again up to `most` of the steps undone last while it `goes_on`, told of as one."""
        return self._told_stretch(self.grove.redo_steps(self.owner.tree, most, goes_on))

    def steps(self, before: int | None = None) -> StepPage:
        """The steps of this tree, newest first, or the next older ones than a sequence number."""
        if not self.owner.has_tree:
            return StepPage((), has_older=False, present=BEGINNING)
        return read_steps(self.grove, self.tree_id, before=before)

    def logged_step(self, sequence: int) -> LoggedStep:
        """Return a step of this tree with what it wrote. Raises: LoomError, saying why there is none."""
        return read_logged_step(self.grove, self.owner.tree, sequence)

    def name_point(self, sequence: int, name: str) -> None:
        """Call the point right after a step by a name; a blank one takes its name away."""
        name_point(self.grove, self.tree_id, sequence, name)

    def read_labels(self) -> None:
        """Read what can be undone and redone. Where the file does not say, both stay unknown until the next
        step: what was saved or taken in is shown all the same.
        """
        self.undo_label = self.redo_label = None
        with suppress(GroveError):
            if self.owner.has_tree:
                self.undo_label, self.redo_label = self.grove.step_labels(self.tree_id)

    def note_step(self, change: Change) -> None:
        """Note a step made here: it is the next to be undone, and what was undone before is given up."""
        if change.undoable:
            self.undo_label, self.redo_label = undo.step_name(change), None

    def _told(self, change: Change | None, initiator: Initiator = USER) -> Change | None:
        if change is not None:
            self.read_labels()
            self.owner.tell(change, initiator)
        return change

    def _told_stretch(self, stretch: StepBatch | None) -> StepBatch | None:
        if stretch is not None:
            self._told(stretch.change)
        return stretch
