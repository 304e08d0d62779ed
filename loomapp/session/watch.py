"""The watch: hears within a second what other programs commit to the open grove."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError
from loomapp.session.document import Document

LOOK_MS = 500
WAITS = "locked"  # another program, or a part of this one, is at the file: the next look will do
SLICE_MS = 20.0  # of taking in, at each turn of the event loop: what it leads to in the window comes on top


class Watch(QObject):
    """Looks twice a second whether the change log is longer than what was applied.

    `PRAGMA data_version` would be no cheaper and moves for our own commits too. The document tells the views,
    as it does of every change. It is as safe while answers stream: they are no part of the tree yet.
    """

    agents_changed = Signal()  # an agent came, or is another now
    failed = Signal(object)  # GroveError: the file cannot be read at present; told once

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._sequence = document.grove.sequence()
        self._agents = document.grove.agents()
        self._is_failing = False
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        self._go_on = QTimer(self)  # another program may have written hundreds of times since the last look
        self._go_on.setSingleShot(True)
        self._go_on.setInterval(0)
        self._go_on.timeout.connect(self.look)

    def look(self) -> None:
        """Take in now what others did."""
        try:
            self._document.grove.hold()
            self._take_in()
        except GroveError as error:
            if not self._is_failing and error.code != WAITS:
                self._is_failing = True
                self.failed.emit(error)
        else:
            self._is_failing = False

    def close(self) -> None:
        """Look no more."""
        self._timer.stop()
        self._go_on.stop()

    def _take_in(self) -> None:
        grove = self._document.grove
        agents = grove.agents()
        if agents != self._agents:
            self._agents = agents
            self._document.forget_agents()
            self.agents_changed.emit()
        sequence = grove.sequence()
        if sequence != self._sequence:
            if self._document.catch_up_for(SLICE_MS):
                self._sequence = sequence
            else:
                self._go_on.start()
