"""Go to another point of a tree's history, by as many undos or redos as lie between."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.edits.history import BEGINNING
from loomapp.core.errors import LoomError, StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.change_labels import sentence_of
from loomapp.core.sentences import worded
from loomapp.session.history.undo_history import UndoHistory
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.trees_in_memory import StepBatch
from loomapp.store.queries.steps import distance, read_step

TURN_S = 0.045  # of the thread's own time in a turn, all that the views and the screen need with it
STRETCH_S = 0.02  # of that, for work on steps before the views are told, where they are quick
LEAST_S = 0.012  # and where they are slow: a long way would take minutes
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
        self._history.owner.begin_step()
        self._way = way_to(self._history, sequence, guard)
        self._go_on()

    def go(self, sequence: int, guard: Callable[[Change], None]) -> None:
        """Go all the way before this returns; see `go_to`."""
        self._history.owner.begin_step()
        go_to(self._history, sequence, guard)

    def stop(self) -> None:
        """Stop at the point of the history that was reached."""
        if self._way is not None:
            way, self._way = self._way, None
            self._timer.stop()
            way.close()
            self.ended.emit()

    def on_pause_over(self) -> None:
        """Go on with the next slice."""
        try:
            self._go_on()
        except LoomError as error:
            self.failed.emit(error)

    def on_tree_moved(self, _: object) -> None:
        """Find the way anew: somebody else moved the tree."""
        if not self._is_moving:
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
    share = TurnShare()
    # Asked again at the end: another program may have added a step meanwhile.
    while left := distance(history.grove, tree_id, sequence):
        moved = 0
        while moved < abs(left):
            stretch = _next_stretch(history, left, moved, guard, share.begin())
            if stretch is None:
                check_reachable(history.grove, tree_id, sequence)
                return
            moved += stretch.count
            yield moved, abs(left)
            if stretch.refusal is not None:
                raise _stopped(stretch.refusal, moved, left) from stretch.refusal


class TurnShare:
    """The share of a turn that steps may take: what the views and the screen leave, as they did last time."""

    def __init__(self) -> None:
        self._work_s = LEAST_S
        self._began_s: float | None = None

    def begin(self) -> float:
        """Begin a stretch; return until when it may work, in the thread's own time."""
        now = time.thread_time()
        if self._began_s is not None:
            self._work_s = work_beside(now - self._began_s - self._work_s)
        self._began_s = now
        return now + self._work_s


def work_beside(views_s: float) -> float:
    """Return the seconds to work on steps, where views and screen take so many of a turn."""
    return min(STRETCH_S, max(LEAST_S, TURN_S - views_s))


def _next_stretch(
    history: UndoHistory, left: int, moved: int, guard: Callable[[Change], None], work_until: float
) -> StepBatch | None:
    """Move as many of the steps that are left as there is time for; negative ones are to be done again."""
    goes_on = partial(_has_time, work_until, time.monotonic() + LONGEST_S)
    most = 1 if abs(left) <= FEW else min(abs(left) - moved, MOST_AT_ONCE)
    try:
        if left > 0:
            return history.undo_steps(most, goes_on, guard)
        return history.redo_steps(most, goes_on)
    except LoomError as error:
        raise _stopped(error, moved, left) from error


def _has_time(work_until: float, until: float) -> bool:
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
