"""A timer for heavy work: it waits for a turn of the event loop in which nothing else took long."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QObject, QTimer, QTimerEvent

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
