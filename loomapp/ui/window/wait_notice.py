"""Notice, and a waiting pointer, while a change of very many nodes keeps the window still."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from loomapp.session.document import Document
from loomapp.ui import figures
from loomapp.ui.frame.status import Status
from loomapp.ui.strings import tr


class WaitNotice(QObject):
    """Shows it before the window stands still, for nothing is painted while it does."""

    def __init__(self, document: Document, status: Status, parent: QObject) -> None:
        super().__init__(parent)
        self._status, self._words = status, ""
        self._end = QTimer(self)
        self._end.setSingleShot(True)
        self._end.timeout.connect(self.on_done)
        document.many_moving.connect(self.on_many_moving)

    def on_many_moving(self, count: int) -> None:
        """Tell that the window is about to stand still for a moment."""
        if not self._words:
            QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        self._words = tr("{count} nodes are changed. This takes a moment…").format(
            count=figures.number(count)
        )
        self._status.show_note(self._words)
        self._status.repaint()
        self._end.start(0)

    def on_done(self) -> None:
        """Take that back, for the event loop goes on."""
        QApplication.restoreOverrideCursor()
        self._status.forget_note(self._words)
        self._words = ""
