"""Groves dropped onto a window from elsewhere: they are opened, wherever in the window they fall."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.ask_file import SUFFIX

KINDS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class GroveDrop(QObject):
    """Stands before what takes drops in a window, such as the composer, which would take a file's name."""

    dropped = Signal(object)  # Path, once for each file

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        for widget in (window, *window.findChildren(QWidget)):
            if widget.acceptDrops():
                widget.installEventFilter(self)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Take groves; leave everything else to whom it falls on."""
        if event.type() not in KINDS or not isinstance(event, QDropEvent):
            return False
        paths = groves_in(event.mimeData())
        if not paths:
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop:
            for path in paths:
                self.dropped.emit(path)
        return True


def groves_in(dragged: QMimeData) -> list[Path]:
    """The files that are dragged, if all of them look like groves."""
    paths = [Path(url.toLocalFile()) for url in dragged.urls() if url.isLocalFile()]
    if len(paths) != len(dragged.urls()) or any(path.suffix != f".{SUFFIX}" for path in paths):
        return []
    return paths
