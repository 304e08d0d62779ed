"""A first line to take: a quiet, wide button."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from loomapp.ui.look import theme

HEIGHT_PX = 44
PADDING_PX = 16


class SuggestionButton(QAbstractButton):
    """Button with one line, cut off with … if it is long; its whole text is the tool tip."""

    def __init__(self, line: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = line
        self.setObjectName("suggestionButton")
        self.setAccessibleName(line)
        self.setToolTip(line)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFixedHeight(HEIGHT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(320, HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.hasFocus()
        edge = "accent.focus" if focused else "border.strong" if self.underMouse() else "border.normal"
        width = theme.metric("control.focus_width") if focused else 1.0
        painter.setPen(QPen(theme.colour(edge), width))
        painter.setBrush(theme.colour("surface.hover") if self.underMouse() else Qt.BrushStyle.NoBrush)
        rect = QRectF(self.rect())
        painter.drawRoundedRect(rect.adjusted(width / 2, width / 2, -width / 2, -width / 2), 6, 6)
        font = theme.font("ui")
        painter.setFont(font)
        painter.setPen(theme.colour("text.primary"))
        room = rect.adjusted(PADDING_PX, 0, -PADDING_PX - 24, 0)
        words = QFontMetricsF(font).elidedText(self.line.strip(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        icon = QRectF(rect.right() - PADDING_PX - 14, rect.center().y() - 7, 14, 14)
        theme.paint(painter, "corner-down-left", "text.muted", icon)
        painter.end()
