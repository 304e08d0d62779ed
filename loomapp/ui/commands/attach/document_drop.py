"""Documents dragged from their list onto a card or the text: context or instruction of what is generated."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from loomapp.core.errors import InvalidInput
from loomapp.ui.commands import documents
from loomapp.ui.commands.attach.intake import MOVES, accept
from loomapp.ui.commands.attach.role_menu import ask_role
from loomapp.ui.strings import tr
from loomapp.ui.trees.documents.document_list import dragged_document
from loomapp.ui.workbench import Workbench


class DocumentDrop(QObject):
    """Takes a document that falls on the text, for the current node."""

    def __init__(self, bench: Workbench, *widgets: QWidget) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        for widget in widgets:
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDropEvent) or dragged_document(event.mimeData()) is None:
            return False
        accept(event)
        self.follow(event)
        return True

    def follow(self, event: QDropEvent) -> None:
        """Take a document where it falls."""
        if event.type() == QEvent.Type.Drop:
            self.drop(event, self._bench.work.document.current_id)

    def drop(self, event: QDropEvent, onto_id: str) -> None:
        """Ask what the document is to be for what is generated from a node."""
        dragged, at = dragged_document(event.mimeData()), self._bench.views.window.cursor().pos()
        if dragged is not None:
            self._bench.frame.run_command(lambda w: _ask(w, *dragged, onto_id, at))


class CardDocumentDrop(DocumentDrop):
    """Takes a document that falls on a card, for the answers to it; on the canvas, to the current one."""

    def __init__(self, bench: Workbench) -> None:
        self._graph = bench.views.graph
        super().__init__(bench, self._graph.viewport())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragLeaveEvent):
            self._graph.show_drop(None)
            return False
        return super().eventFilter(watched, event)

    def follow(self, event: QDropEvent) -> None:
        """Ring the card that a document would fall on, and take it there."""
        at = event.position()
        if event.type() in MOVES:
            self._graph.show_drop(at)
        elif event.type() == QEvent.Type.Drop:
            onto = self._graph.show_drop(at)
            self._graph.show_drop(None)
            self.drop(event, onto or self._bench.work.document.current_id)


def _ask(bench: Workbench, tree_id: str, node_id: str, onto_id: str, at: QPoint) -> None:
    document = bench.work.document
    if document.grove.read_only:
        raise InvalidInput(tr("This grove is open for reading only: nothing can be attached."))
    newest = documents.newest_of(bench, node_id) if tree_id == document.tree.loom.id else None
    if newest is None:
        raise InvalidInput(tr("This document belongs to another tree, or is deleted."))
    if not documents.is_document_of(bench, newest, onto_id):
        ask_role(bench, newest, onto_id, at)
