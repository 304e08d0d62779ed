"""Two parts side by side where there is room, else one above the other."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

BESIDE_FROM_PX = 620


class SideBySide(QWidget):
    """Two parts with half of the room each."""

    def __init__(self, first: QWidget, second: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._box.addWidget(first, 1)
        self._box.addWidget(second, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        way = QBoxLayout.Direction
        self._box.setDirection(way.LeftToRight if self.width() >= BESIDE_FROM_PX else way.TopToBottom)
