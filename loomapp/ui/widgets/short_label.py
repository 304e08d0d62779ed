"""A label of one line that is cut with an ellipsis where it has no room, and asks for none."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStyleOption, QWidget

LEAST_PX = 24


class ShortLabel(QLabel):
    """Label that is painted cut off; its text stays whole for whoever asks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return QSize(min(LEAST_PX, whole.width()), whole.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.contentsRect()
        cut = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        if cut == self.text():
            super().paintEvent(event)
            return
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawItemText(
            painter, room, self.alignment(), option.palette, self.isEnabled(), cut, self.foregroundRole()
        )
        painter.end()
