"""The undo history of the tree that is read: steps taken back and done again, singly or up to a point."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.edits import undo
from loomapp.core.edits.undo import BEGINNING, LoggedStep, StepPage
from loomapp.core.errors import GroveError, LoomError, StaleChange
from loomapp.core.model.change import Change, sentence_of
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.session.open_tree import USER, Initiator, OpenTree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.trees_in_memory import StepBatch
from loomapp.store.queries.steps import distance, name_point, read_logged_step, read_step, read_steps


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

    def begin(self) -> None:
        """Let what is written become a step, and what others did be known: the path that is read here is the
        active one again, and it is the one that goes back. Raises: GroveError.
        """
        self.owner.begin_step()
        self.owner.take_in()

    def undo(self, guard: Callable[[Change], None]) -> Change | None:
        """Take back the newest step; None if there is none. `guard` may refuse one, by raising."""

        def look(change: Change) -> None:
            guard(change)
            self.owner.tell_if_many(change)

        self.begin()
        try:
            return self._told(self.grove.undo(self.owner.tree, guard=look))
        finally:  # also where it is refused: what others did was taken in first
            self.owner.settle_path()

    def reach_of(self, action: str) -> tuple[int, int]:
        """Count the steps of an action that one undo takes back now, and those that hold; 0 where the file
        does not say.
        """
        of_it: list[bool] = []
        with suppress(GroveError):
            of_it = [step.action == action for step in self.steps().steps if step.state == "done"]
        return (of_it.index(False) if False in of_it else len(of_it)), sum(of_it)

    def check_newest(self, action: str) -> None:
        """Check that an action is what undo takes back next. Raises: StaleChange."""
        self.begin()
        if not self.reach_of(action)[0]:
            raise StaleChange(
                worded("Something else was done since, or these steps were undone. History lists all steps.")
            )

    def undo_actions(self, actions: Sequence[str], initiator: Initiator = USER) -> None:
        """Take back some actions as one, the oldest first. Raises: StaleChange unless they are the newest."""
        self.begin()
        try:
            self._told(self.grove.undo_actions(self.owner.tree, actions), initiator)
        finally:
            self.owner.settle_path(initiator)

    def redo(self) -> Change | None:
        """Do again what was taken back last; None if there is nothing."""
        self.begin()
        try:
            return self._told(self.grove.redo(self.owner.tree, guard=self.owner.tell_if_many))
        finally:
            self.owner.settle_path()

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

    def steps_done(self) -> int:
        """Count the steps of this tree that are not taken back; 0 where the file does not say."""
        with suppress(GroveError):
            if self.owner.has_tree:
                return distance(self.grove, self.tree_id, BEGINNING)
        return 0

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


STRETCH_S = 0.012  # of the thread's own time, for work on steps before the views are told in the same turn
LONGEST_S = 0.1  # the same where the disk or other programs let it wait
MOST_AT_ONCE = 100  # steps that are moved at once
FEW = 10  # steps of which each is told of by itself: there is time for that
SLICE_S = 0.02  # of going before the window is let in between
PAUSE_MS = 1


class Walk(QObject):
    """Goes to a point a slice at a time, so that a long way shows progress and can be stopped.

    A short way is gone before `start` returns. It ends early when the tree is changed by something else.
    """

    progressed = Signal(int, int)  # steps moved, and how many there are on the way
    ended = Signal()  # there, stopped or refused
    failed = Signal(object)  # LoomError: a later step was refused

    def __init__(self, history: UndoHistory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._way: Generator[tuple[int, int], None, None] | None = None
        self._is_moving = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self.on_pause_over)
        self._history = history

    @property
    def is_under_way(self) -> bool:
        """True between two slices."""
        return self._way is not None

    def start(self, sequence: int, guard: Callable[[Change], None]) -> None:
        """Go to right after a step, or to the BEGINNING. Raises: LoomError as `go_to`, in the first slice."""
        self.stop()
        self._history.begin()
        self._way = way_to(self._history, sequence, guard)
        self._go_on()

    def go(self, sequence: int, guard: Callable[[Change], None]) -> None:
        """Go all the way before this returns; see `go_to`."""
        self._history.begin()
        go_to(self._history, sequence, guard)

    def stop(self) -> None:
        """Stop at the point of the history that was reached."""
        if self._way is not None:
            way, self._way = self._way, None
            self._timer.stop()
            way.close()
            self._history.owner.settle_path()
            self.ended.emit()

    def on_pause_over(self) -> None:
        try:
            self._go_on()
        except LoomError as error:
            self.failed.emit(error)

    def on_tree_changed(self, change: Change) -> None:
        """End: somebody else moved the tree. Where only the path was moved, the history is as it was."""
        if not self._is_moving and len(change.rows) > change.touches_path():
            self.stop()

    def _go_on(self) -> None:
        way, until = self._way, time.monotonic() + SLICE_S
        assert way is not None, "there is a way until it ends"
        place: tuple[int, int] | None = (0, 0)
        self._is_moving = True
        try:
            while place is not None and time.monotonic() < until:
                place = next(way, None)
        except LoomError:
            self.stop()
            raise
        finally:
            self._is_moving = False
        if place is None:
            self.stop()
        else:
            self._timer.start()
            self.progressed.emit(*place)


def go_to(history: UndoHistory, sequence: int, guard: Callable[[Change], None]) -> None:
    """Stand right after a step again, or at the BEGINNING. Each step goes as any undo does; what goes in one
    moment is told of as one.

    Raises: LoomError at the first step that is refused, saying how many went before it; those stay so.
    """
    for _ in way_to(history, sequence, guard):
        pass


def way_to(
    history: UndoHistory, sequence: int, guard: Callable[[Change], None]
) -> Generator[tuple[int, int], None, None]:
    """Go to a step a stretch at a time, as `go_to`: yields after each how many steps were moved, and how many
    there are. In the end the path ends where something is shown. Raises: LoomError, as `go_to`.
    """
    try:
        yield from _way_to(history, sequence, guard)
    finally:
        history.owner.settle_path()


def _way_to(
    history: UndoHistory, sequence: int, guard: Callable[[Change], None]
) -> Iterator[tuple[int, int]]:
    tree_id = history.tree_id
    check_reachable(history.grove, tree_id, sequence)
    # Asked again at the end: another program may have added a step meanwhile.
    while left := distance(history.grove, tree_id, sequence):
        moved = 0
        while moved < abs(left):
            stretch = _next_stretch(history, left, moved, guard)
            if stretch is None:
                check_reachable(history.grove, tree_id, sequence)
                return
            moved += stretch.count
            yield moved, abs(left)
            if stretch.refusal is not None:
                raise _stopped(stretch.refusal, moved, left) from stretch.refusal


def _next_stretch(
    history: UndoHistory, left: int, moved: int, guard: Callable[[Change], None]
) -> StepBatch | None:
    """Move as many of the steps that are left as there is time for; negative ones are to be done again."""
    goes_on = partial(has_time, time.thread_time() + STRETCH_S, time.monotonic() + LONGEST_S)
    most = 1 if abs(left) <= FEW else min(abs(left) - moved, MOST_AT_ONCE)
    try:
        if left > 0:
            return history.undo_steps(most, goes_on, guard)
        return history.redo_steps(most, goes_on)
    except LoomError as error:
        raise _stopped(error, moved, left) from error


def has_time(work_until: float, until: float) -> bool:
    """Return False once this thread has worked long enough, by its own time, or has waited long enough."""
    return time.thread_time() < work_until and time.monotonic() < until


def check_reachable(grove: Grove, tree_id: str, sequence: int) -> None:
    """Check that undo and redo come to a point. Raises: StaleChange."""
    if sequence == BEGINNING:
        return
    step = read_step(grove, tree_id, sequence)
    if step is None:
        raise StaleChange("This point is no longer in the history of this tree.")
    if step.state == "abandoned":
        raise StaleChange(
            worded(
                "“{label}” had been undone when something else was done, so it cannot be redone any more.",
                label=sentence_of(step.label),
            )
        )


def _stopped(error: LoomError, moved: int, left: int) -> LoomError:
    """Return a refusal in the middle of several steps, saying how far they went."""
    if moved == 0:
        return error
    done = worded("undone" if left > 0 else "done again")
    stopped = LoomError(
        worded(
            "{moved} of {left} steps were {done}. Then: {message}",
            moved=moved,
            left=abs(left),
            done=done,
            message=error.message,
        ),
        **error.details,
    )
    stopped.code = error.code
    return stopped
