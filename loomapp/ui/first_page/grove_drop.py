"""Files dropped onto a window: groves are opened, trees taken in, models used, texts written."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from loomapp.formats.registry import suffixes
from loomapp.ui.groves.ask_file import SUFFIX

KINDS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)
ANYWHERE = (*suffixes(), ".gguf")  # whatever they fall on; a folder too
LEFT_TO = {"graphView", "dialogueView", "composer"}  # what else falls there is attached there


class GroveDrop(QObject):
    """Stands before what takes drops in a window, such as the composer, which would take a file's name."""

    dropped = Signal(object)  # Path of a grove, once for each file
    others_dropped = Signal(list)  # list[Path]: files of other kinds

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        for widget in (window, *window.findChildren(QWidget)):
            if widget.acceptDrops():
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files; leave everything else to the widget under it."""
        if not isinstance(event, QDropEvent) or event.type() not in KINDS:
            return False
        files = files_in(event.mimeData())
        groves = files and all(path.suffix == f".{SUFFIX}" for path in files)
        if not files or not (groves or _is_for_the_window(watched, files)):
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop and groves:
            for path in files:
                self.dropped.emit(path)
        elif event.type() == QEvent.Type.Drop:
            self.others_dropped.emit(files)
        return True


def files_in(dragged: QMimeData) -> list[Path]:
    """Return the files that are dragged, if nothing but files is."""
    paths = [Path(url.toLocalFile()) for url in dragged.urls() if url.isLocalFile()]
    return paths if len(paths) == len(dragged.urls()) else []


def _is_for_the_window(watched: QObject, files: list[Path]) -> bool:
    """Return False where cards, messages and the composer take files themselves."""
    if all(path.name.lower().endswith(ANYWHERE) or path.is_dir() for path in files):
        return True
    over = watched if isinstance(watched, QWidget) else None
    while over is not None and over.objectName() not in LEFT_TO:
        over = over.parentWidget()
    return over is None
