"""What is dragged in from elsewhere and falls, as Qt tells of it."""

from __future__ import annotations

from pathlib import Path

import PySide6
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QWindow
from PySide6.QtWidgets import QApplication, QWidget

# PySide 6.11 knows whole pixels alone, and 6.12 warns of them.
WHOLE = PySide6.__version_info__ < (6, 12)


def drag_in(on: QWidget, at: QPointF, data: QMimeData, action: Qt.DropAction) -> QDragEnterEvent:
    """Something comes in and moves to a place."""
    place, native = _in_window(on, at)
    held = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(place, action, *held)  # type: ignore[arg-type, unused-ignore]
    QApplication.sendEvent(native, enter)
    QApplication.sendEvent(native, QDragMoveEvent(place, action, *held))  # type: ignore[arg-type, unused-ignore]
    return enter


def drop_files(on: QWidget, *files: Path, at: QPoint | None = None) -> bool:
    """Files of a file manager, in the middle if no place is said; True if they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    return drop(on, data, at)


def drop(on: QWidget, data: QMimeData, at: QPoint | None = None) -> bool:
    """Something falls, in the middle if no place is said; True if it was taken."""
    middle, copy = QPointF(on.rect().center() if at is None else at), Qt.DropAction.CopyAction
    enter = drag_in(on, middle, data, copy)
    place, native = _in_window(on, middle)
    fall = QDropEvent(place, copy, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(native, fall)
    return enter.isAccepted() and fall.isAccepted()


def _in_window(on: QWidget, at: QPointF) -> tuple[QPoint | QPointF, QWindow]:
    """A place of a widget as its native window is told of it, which passes on what falls there."""
    place = on.mapTo(on.window(), at)
    return place.toPoint() if WHOLE else place, on.window().windowHandle()
