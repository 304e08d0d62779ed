"""Popover: a frame with round corners that opens over the window; Esc or a click beside it shuts it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainterPath, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from loomapp.ui.look import theme


class Popover(QFrame):
    """Popup with round corners, also where nothing on the desktop can draw a window that is transparent in
    parts: the corners are cut off its shape.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        shape = QPainterPath()
        radius = theme.metric("radius.popover")
        shape.addRoundedRect(QRectF(self.rect()), radius, radius)
        self.setMask(QRegion(shape.toFillPolygon().toPolygon()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        painter.fillRect(self.rect(), theme.colour("border.normal"))
        radius = theme.metric("radius.popover") - 1
        theme.draw_in(painter, fill="surface.overlay")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        painter.end()
