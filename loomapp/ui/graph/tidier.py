"""The tidier: when nobody touches the graph, large trees are laid out anew on another thread."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.growth import Growth
from loomapp.ui.graph.places import Places, Tidying

IDLE_MS = 200  # after the last change
LOOK_MS = 10  # between looks whether the thread is done


class Tidier(QObject):
    """Asks `places` for what is to be done, and hands over positions that still fit."""

    tidied = Signal(object)  # Growth: the full layout of what is shown

    def __init__(self, places: Places, parent: QObject) -> None:
        super().__init__(parent)
        self._places = places
        self._done: SimpleQueue[tuple[Tidying, Growth]] = SimpleQueue()
        self._thread: Thread | None = None
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._idle.timeout.connect(self.on_idle)
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.on_look)

    def wake(self) -> None:
        """Something is untidy: tidy up once no more has come for a moment."""
        self._idle.start()

    def hurry(self) -> None:
        """Tidy up as soon as may be: someone waits for it."""
        self._idle.start(0)

    def rest(self) -> None:
        """Nothing is to be tidied any more; what is under way is forgotten."""
        self._idle.stop()
        self._look.stop()
        self._thread = None

    @property
    def is_busy(self) -> bool:
        """True until all is tidy."""
        return self._idle.isActive() or self._thread is not None

    def on_idle(self) -> None:
        """Begin, unless a thread is at it: then again when it is done."""
        if self._thread is not None or not self._places.untidy:
            return
        tidying = self._places.tidying()
        self._thread = Thread(target=_tidy, args=(tidying, self._done), name="tidying", daemon=True)
        self._thread.start()
        self._look.start()

    def on_look(self) -> None:
        """Take what is done; if the tree has changed meanwhile, begin again."""
        try:
            tidying, growth = self._done.get_nowait()
        except Empty:
            return
        self._thread = None
        self._look.stop()
        if self._places.is_current(tidying):
            self.tidied.emit(growth)
        else:
            self.wake()


def _tidy(tidying: Tidying, done: SimpleQueue[tuple[Tidying, Growth]]) -> None:
    done.put((tidying, tidying.done()))
