"""Drops: files and images that fall on the messages or on a card."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt
from PySide6.QtGui import QDragLeaveEvent, QDropEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractScrollArea

from loomapp.ui.commands.attach import intake
from loomapp.ui.media.offers import can_take, is_only_linked
from loomapp.ui.workbench import Workbench

MOVES = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class TextDrop(QObject):
    """Takes things dropped on messages, or on the text of a buffer, for the next question; a menu asks how.
    Things pasted there go along too.
    """

    def __init__(self, bench: Workbench, text: QAbstractScrollArea) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        for widget in (text.viewport(), text):
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.matches(QKeySequence.StandardKey.Paste) and self._pasted()
        if not isinstance(event, QDropEvent) or not _is_for_us(event.mimeData()):
            return False
        accept(event)
        if event.type() == QEvent.Type.Drop:
            bench, data = self._bench, event.mimeData()
            at = bench.views.window.cursor().pos()
            bench.frame.run_command(lambda w: intake.ask_what_for(w, data, w.work.document.current_id, at))
        return True

    def _pasted(self) -> bool:
        data = QGuiApplication.clipboard().mimeData()
        if data is None or not can_take(data):
            return False
        self._bench.frame.run_command(lambda w: intake.paste(w, data))
        return True


class CardDrop(QObject):
    """Takes things dropped on a card for the answers to it; on the empty canvas, to the current one."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        viewport = bench.views.graph.viewport()
        viewport.setAcceptDrops(True)
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ring the card that a drop would fall on, and take the drop there."""
        graph = self._bench.views.graph
        if isinstance(event, QDragLeaveEvent):
            graph.show_drop(None)
            return False
        if not isinstance(event, QDropEvent) or not _is_for_us(event.mimeData()):
            return False
        at = event.position()
        accept(event)
        if event.type() in MOVES:
            graph.show_drop(at)
        elif event.type() == QEvent.Type.Drop:
            onto = graph.show_drop(at) or self._bench.work.document.current_id
            graph.show_drop(None)
            self._ask(event.mimeData(), onto, graph.viewport().mapToGlobal(at.toPoint()))
        return True

    def _ask(self, data: QMimeData, onto_id: str, at: QPoint) -> None:
        self._bench.frame.run_command(lambda w: intake.ask_what_for(w, data, onto_id, at))


def accept(event: QDropEvent) -> None:
    """Accept a drop as a copy, wherever it comes from: nothing is ever taken away from there."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _is_for_us(data: QMimeData) -> bool:
    return can_take(data) or is_only_linked(data)
