"""A list beside its form; in a narrow page the list stands above it, a few rows high."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QListWidget, QPushButton, QVBoxLayout, QWidget

LIST_PX, NARROW_PX, LOW_PX = 204, 540, 128
WIDEST_PX = 16_777_215  # Qt's own


class Sides(QWidget):
    """The list with its button, and the form that what is chosen in it is shown in."""

    def __init__(self, rows: QListWidget, new: QPushButton, form: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows
        self._side = QWidget()
        left = QVBoxLayout(self._side)
        left.setContentsMargins(0, 0, 0, 16)
        left.setSpacing(8)
        left.addWidget(rows, 1)
        left.addWidget(new)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addWidget(self._side)
        self._box.addWidget(form, 1)
        self._arrange(narrow=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(narrow=event.size().width() < NARROW_PX)

    def _arrange(self, *, narrow: bool) -> None:
        way = QBoxLayout.Direction
        self._box.setDirection(way.TopToBottom if narrow else way.LeftToRight)
        self._box.setSpacing(0 if narrow else 24)
        self._side.setMinimumWidth(0 if narrow else LIST_PX)
        self._side.setMaximumWidth(WIDEST_PX if narrow else LIST_PX)
        self._rows.setMaximumHeight(LOW_PX if narrow else WIDEST_PX)
        self._side.setMaximumHeight(LOW_PX + 52 if narrow else WIDEST_PX)
