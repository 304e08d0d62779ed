"""Putting away: what a large tree takes up is let go of in slices, for which the window never waits."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from weakref import ref

from PySide6.QtCore import QObject, QTimer

from loomapp.core.model.erasure import Emptiable, empty

MANY = 2_000  # fewer go in a moment
LOOK_MS = 200  # between looks whether the last view has let go


def put_away(owner: object, parts: Sequence[Emptiable], parent: QObject) -> None:
    """Keep the parts of something until nobody has it any more, and then empty them."""
    if sum(map(len, parts)) > MANY:
        _Disposal(owner, parts, parent)


class _Disposal(QObject):
    def __init__(self, owner: object, parts: Sequence[Emptiable], parent: QObject) -> None:
        super().__init__(parent)
        self._owner = ref(owner)
        self._parts = parts
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.on_look)
        self._timer.start()

    def on_look(self) -> None:
        """Begin once the owner is gone. A thread may do it: nobody else has the parts."""
        if self._owner() is None:
            self._timer.stop()
            threading.Thread(target=empty, args=(self._parts,), name="putting away", daemon=True).start()
            self._parts = ()
            self.deleteLater()
