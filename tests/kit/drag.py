"""What is dragged in from elsewhere and falls, as Qt tells of it."""

from __future__ import annotations

from pathlib import Path

import PySide6
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

# PySide 6.11 knows whole pixels alone, and 6.12 warns of them.
WHOLE = PySide6.__version_info__ < (6, 12)


def drag_in(on: QWidget, at: QPointF, data: QMimeData, action: Qt.DropAction) -> QDragEnterEvent:
    """Something comes in and moves to a place."""
    place = at.toPoint() if WHOLE else at
    held = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(place, action, *held)  # type: ignore[arg-type, unused-ignore]
    QApplication.sendEvent(on, enter)
    QApplication.sendEvent(on, QDragMoveEvent(place, action, *held))  # type: ignore[arg-type, unused-ignore]
    return enter


def drop_files(on: QWidget, *files: Path, at: QPoint | None = None) -> bool:
    """Files of a file manager, in the middle if no place is said; True if they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    return drop(on, data, at)


def drop(on: QWidget, data: QMimeData, at: QPoint | None = None) -> bool:
    """Something falls, in the middle if no place is said; True if it was taken."""
    place, copy = QPointF(on.rect().center() if at is None else at), Qt.DropAction.CopyAction
    enter = drag_in(on, place, data, copy)
    fall = QDropEvent(place, copy, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(on, fall)
    return enter.isAccepted() and fall.isAccepted()
