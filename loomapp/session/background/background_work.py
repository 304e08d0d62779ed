"""Work that the GUI thread need not wait for: tasks on threads, idle timers, a head start, garbage."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Generic, TypeVar
from weakref import ref

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QObject, QTimer, QTimerEvent, Signal

from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import Provider, Request, Stop, StreamEvent
from loomapp.core.model.caches import Emptiable, empty
from loomapp.core.progress import Progress

LOOK_MS = 15
SOON_MS = 1  # until the first look; each waits twice as long as the one before it, up to LOOK_MS
END_WAIT_S = 0.4
Result = TypeVar("Result")

_log = logging.getLogger(__name__)


class Cancelled(Exception):
    """Raised in the work, where it tells its progress, once nobody wants it any more."""


class BackgroundTask(QObject):
    """One piece of work, begun by `start`. Its signals come on the GUI thread; the work touches no QObject.

    After `cancel` nothing is told any more; `discard` is given what comes too late, on the work's thread.
    """

    progressed = Signal(int, int)  # how much is done, of how much; 0 for all: nobody knows
    done = Signal(object)  # what the work gave
    failed = Signal(object)  # LoomError

    def __init__(
        self,
        work: Callable[[Progress], Result],
        parent: QObject | None = None,
        *,
        discard: Callable[[Result], None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._job = _Job(work, discard)
        self._timer = QTimer(self)
        self._timer.setInterval(SOON_MS)
        self._timer.timeout.connect(self.on_look)

    def start(self) -> None:
        self._job.start()
        self._timer.start()

    @property
    def is_under_way(self) -> bool:
        """True until it is done, has failed or was cancelled."""
        return self._timer.isActive()

    def cancel(self) -> None:
        """Cancel the task: it ends by itself, where it next tells how far it is."""
        self._timer.stop()
        self._job.cancel()

    def end(self) -> None:
        """Cancel it and give it a moment to clear up; for when the program ends."""
        self.cancel()
        if self._job.ident is not None:
            self._job.join(END_WAIT_S)

    def on_look(self) -> None:
        """Look how far the task is. What is done at once is not waited for."""
        if self._timer.interval() < LOOK_MS:
            self._timer.setInterval(min(LOOK_MS, 2 * self._timer.interval()))
        said: tuple[int, int] | None = None
        while not self._job.told.empty():
            said = self._job.told.get()
        if said is not None:
            self.progressed.emit(*said)
        if self._timer.isActive() and self._job.has_ended:
            self._timer.stop()
            self._tell_end()

    def _tell_end(self) -> None:
        error = self._job.error
        if error is None:
            self.done.emit(self._job.take())
        elif isinstance(error, LoomError):
            self.failed.emit(error)
        else:
            fault = LoomError("This did not work, because of a fault in Loomapp itself. The log has it.")
            self.failed.emit(fault)
            raise error


class _Job(threading.Thread, Generic[Result]):
    """The thread; `lock` decides between a result that is taken and one that comes too late."""

    def __init__(self, work: Callable[[Progress], Result], discard: Callable[[Result], None] | None) -> None:
        super().__init__(name="errand", daemon=True)
        self._work, self._discard = work, discard
        self._lock = threading.Lock()
        self._is_cancelled = False
        self.told: SimpleQueue[tuple[int, int]] = SimpleQueue()
        self.has_ended = False
        self.result: Result | None = None
        self.error: Exception | None = None

    def cancel(self) -> None:
        """Throw the result away, also one that nobody has taken."""
        with self._lock:
            self._is_cancelled = True
            late = self.take()
        self._throw_away(late)

    def take(self) -> Result | None:
        """Take the result, once; None after that."""
        result, self.result = self.result, None
        return result

    def run(self) -> None:
        result: Result | None = None
        error: Exception | None = None
        try:
            result = self._work(self._tell)
        except Cancelled:
            return
        except Exception as raised:  # every kind is told on the GUI thread
            error = raised
        with self._lock:
            is_late = self._is_cancelled
            if not is_late:
                self.result, self.error, self.has_ended = result, error, True
        if is_late:
            self._throw_away(result)

    def _tell(self, done: int, of: int) -> None:
        if self._is_cancelled:
            raise Cancelled
        self.told.put((done, of))

    def _throw_away(self, result: Result | None) -> None:
        if result is not None and self._discard is not None:
            try:
                self._discard(result)
            except LoomError as error:
                _log.info("What came too late could not be put away: %s", error.code)


ROOM_MS = 8.0  # what others may have taken before heavy work begins beside them
MOST_PUT_OFF = 12  # turns; a loop that never has room keeps nobody waiting for good


class IdleTimer(QTimer):
    """Times out once, when the event loop comes round and has room.

    What one key press leads to is a saved change, a context, an outline and the painting of all of them:
    each short enough, and all of them at once not. Who does a large part of it waits here until the others
    are done and the loop has looked for events.
    """

    def __init__(self, parent: QObject, *, is_heavy: Callable[[], bool] = lambda: True) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(0)
        self._is_heavy = is_heavy  # what is light waits for nobody
        self._put_off = 0

    def timerEvent(self, event: QTimerEvent) -> None:
        """Wait for the next turn, or time out."""
        if self._put_off < MOST_PUT_OFF and self._is_heavy() and _loop_clock().is_out_of():
            self._put_off += 1
            self.start()  # behind the timers that are due by now
            return
        self._put_off = 0
        super().timerEvent(event)


SLICE_MS = 6.0


class IdleWork(QTimer):
    """Work that goes on while nothing else is due, some milliseconds in each turn of the event loop."""

    advanced = Signal()  # a slice is done; it was the last one if the work is not active any more

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setInterval(0)
        self._steps: Iterator[object] = iter(())
        self.timeout.connect(self.on_turn)

    def begin(self, steps: Iterator[object]) -> None:
        """Take these steps, each much shorter than a slice; those of before are forgotten."""
        self._steps = steps
        self.start()

    def on_turn(self) -> None:
        end = time.perf_counter() + SLICE_MS / 1e3
        for _ in self._steps:
            if time.perf_counter() > end:
                break
        else:
            self.stop()
        self.advanced.emit()


class _LoopClock(QObject):
    """Clock of the event loop: when it last looked for events because somebody waited for that."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._at = time.perf_counter()
        self._is_wanted = False
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None, "there is an event loop"
        dispatcher.aboutToBlock.connect(self.on_looking)

    def is_out_of(self) -> bool:
        """Return True if others took long since the last look; each look counts anew."""
        if (time.perf_counter() - self._at) * 1e3 <= ROOM_MS:
            return False
        self._is_wanted = True
        return True

    def on_looking(self) -> None:
        if self._is_wanted:
            self._at, self._is_wanted = time.perf_counter(), False


def _loop_clock() -> _LoopClock:
    """Return the clock of the application's event loop; make it at the first call."""
    application = QCoreApplication.instance()
    assert application is not None, "there is an application"
    return application.findChild(_LoopClock) or _LoopClock(application)


GARBAGE_LOOK_MS = 2_000
FEW = 10  # times that the event loop wakes between two looks, where only a caret blinks
SOON, LATE = 2, 30  # looks in a row at which nobody wanted anything: for what is new, for everything
WORTH = 20_000  # new objects
MANY = 500_000  # new objects that are looked through at once, whoever wants something


class GarbageCollection(QObject):
    """Runs the garbage collector on the GUI thread, when it is in nobody's way. One an application.

    Python's own passes run on whichever thread makes the next object. On a worker's they take signals of
    dropped objects apart while the GUI thread connects others: each waits for a lock of the other, and the
    window stands still for good. So they are switched off, and all passes are made here.

    A pass goes through whatever is new, the lists of a long path too: on one of 100,000 messages it takes up
    to 0.3 s, in the middle of whatever is being done. Very little of what the program drops needs it.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wakes = 0
        self._quiet = 0  # looks in a row
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None, "there is an event loop"
        dispatcher.aboutToBlock.connect(self.on_waiting)
        self._timer = QTimer(self, interval=GARBAGE_LOOK_MS)
        self._timer.timeout.connect(self.on_look)
        self._timer.start()

    def on_waiting(self) -> None:
        self._wakes += 1

    def on_look(self) -> None:
        """Collect, if nobody wanted anything for a while."""
        self._quiet = self._quiet + 1 if self._wakes <= FEW else 0
        self._wakes = 0
        new = gc.get_count()[0]
        if new >= MANY or (self._quiet == SOON and new >= WORTH):
            gc.collect(1)
        elif self._quiet == LATE:
            gc.collect()


MANY_PARTS = 2_000  # fewer go in a moment
OWNER_LOOK_MS = 200  # between looks whether the last view has let go


def put_away(owner: object, parts: Sequence[Emptiable], parent: QObject) -> None:
    """Keep the parts of something until nobody has it any more, and then empty them."""
    if sum(map(len, parts)) > MANY_PARTS:
        _Disposal(owner, parts, parent)


class _Disposal(QObject):
    def __init__(self, owner: object, parts: Sequence[Emptiable], parent: QObject) -> None:
        super().__init__(parent)
        self._owner = ref(owner)
        self._parts = parts
        self._timer = QTimer(self)
        self._timer.setInterval(OWNER_LOOK_MS)
        self._timer.timeout.connect(self.on_look)
        self._timer.start()

    def on_look(self) -> None:
        """Begin once the owner is gone. A thread may do it: nobody else has the parts."""
        if self._owner() is None:
            self._timer.stop()
            threading.Thread(target=empty, args=(self._parts,), name="putting away", daemon=True).start()
            self._parts = ()
            self.deleteLater()


LONG = 200  # messages, from which on the work on a request is felt
HEAD_START_S = 0.1
LONGEST_S = 0.25  # a window that is busy with something else keeps nobody waiting


class HeadStart:
    """A provider that begins a moment later: when the window has `shown` what was asked for, and where there
    is much to put together a tenth of a second after that.

    Python runs one thread at a time: while a worker loads an SDK or turns thousands of messages into a
    request, everything that the window does takes two or three times as long, and just then it shows the new
    cards.
    """

    def __init__(self, provider: Provider, shown: threading.Event) -> None:
        self._provider = provider
        self._shown = shown

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        self._shown.wait(LONGEST_S)
        if len(request.messages) >= LONG:
            time.sleep(HEAD_START_S)  # on a worker; nothing tells when the cards have been painted
        yield from self._provider.stream(request, stop)


class Showing(QObject):
    """The window shows what was asked: it `begins` to, and a turn of the event loop later it does."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown = threading.Event()
        self._painted = QTimer(self)
        self._painted.setSingleShot(True)
        self._painted.setInterval(0)
        self._painted.timeout.connect(self.let_begin)

    @property
    def shown(self) -> threading.Event:
        """Flag for the last request: set once the window shows it."""
        return self._shown

    def begins(self) -> None:
        """Note that the cards are told of; they are painted in this turn."""
        self._painted.start()

    def let_begin(self) -> None:
        """Let the workers begin: the drafts are on the screen, so that nothing need hold back any longer."""
        self._painted.stop()
        self._shown.set()
        self._shown = threading.Event()
