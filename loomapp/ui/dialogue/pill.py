"""The pill over the end of the dialogue: there is new text below."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.ui.look import theme

ABOVE_PX = 12


class NewTextPill(QPushButton):
    """Button that is shown while text grows below what is read; a click goes there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newTextPill")
        self.setText(self.tr("New text"))
        self.setAccessibleName(self.tr("Go to the new text below"))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = theme.metric("control.focus_width") if self.hasFocus() else 1.0
        painter.setPen(QPen(theme.colour("accent.focus" if self.hasFocus() else "border.strong"), width))
        painter.setBrush(theme.colour("surface.hover" if self.underMouse() else "surface.overlay"))
        rect = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        theme.paint(painter, "chevron-down", "accent.base", QRectF(10, (self.height() - 16) / 2, 16, 16))
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.colour("text.primary"))
        words = QRectF(self.rect()).adjusted(30, 0, -8, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()

    def place(self, room_width: int, room_height: int) -> None:
        """Place it in the middle of the lower edge of a room."""
        words = QFontMetricsF(theme.font("ui")).horizontalAdvance(self.text())
        self.resize(round(words) + 46, theme.px("control.height"))
        self.move((room_width - self.width()) // 2, room_height - self.height() - ABOVE_PX)
        self.raise_()
