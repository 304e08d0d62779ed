"""When a window on a large tree is painted, and how a change of very many nodes is announced."""

from __future__ import annotations

from PySide6.QtCore import QAbstractEventDispatcher, QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

from loomapp.session.background.background_work import IdleTimer
from loomapp.session.document import Document
from loomapp.ui import figures
from loomapp.ui.frame.status import Status
from loomapp.ui.strings import tr

MANY = 4_000  # nodes from which on what a change asks of the views is felt
MOST_LOOKS = 3  # of the event loop for events, before it is painted whatever else there is to do


class Painting(QObject):
    """Lets the event loop look for events between what a key press changes and the painting of it.

    Qt paints a window as soon as those are done who changed it. Either is short enough, both at once are not.
    """

    def __init__(self, window: QMainWindow, document: Document) -> None:
        super().__init__(window)
        self._window, self._document = window, document
        self._is_its_turn = False
        self._looks = 0
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_turn)
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None, "there is an event loop"
        dispatcher.aboutToBlock.connect(self.on_looking)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep back what Qt asks itself: to paint all that waits to be painted. It asks once until it is."""
        if event.type() != QEvent.Type.UpdateRequest or self._is_its_turn or not self._is_large():
            return super().eventFilter(watched, event)
        self._looks = 0
        self._next.start()
        return True

    def on_looking(self) -> None:
        """The loop looks for events. Timers come last in some: a pointer that moves on must not stop it."""
        if self._next.isActive():
            self._looks += 1
            if self._looks > MOST_LOOKS:
                self.on_turn()

    def on_turn(self) -> None:
        self._next.stop()
        self._is_its_turn = True
        QApplication.sendEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
        self._is_its_turn = False

    def _is_large(self) -> bool:
        return len(self._document.tree.nodes) >= MANY


class LongTurns(QObject):
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
