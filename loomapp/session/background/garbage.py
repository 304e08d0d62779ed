"""Memory let go of while nobody wants anything of the window: garbage, and large trees in slices."""

from __future__ import annotations

import gc
import threading
from collections.abc import Sequence
from weakref import ref

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer

from loomapp.core.model.caches import Emptiable, empty

LOOK_MS = 2_000
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
        self._timer = QTimer(self, interval=LOOK_MS)
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
