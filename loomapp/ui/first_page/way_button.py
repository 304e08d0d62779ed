"""One of the ways into an empty tree: an icon, what it is, and what it is for."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from loomapp.ui.look import theme

SIZE = QSize(236, 72)
NARROWEST_PX = 150
SQUARE_PX = 36
PADDING_PX = 14


class WayButton(QAbstractButton):
    """Wide button for a way in; the checked one is how the tree is now."""

    def __init__(self, icon: str, title: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._title, self._words = icon, title, words
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMinimumWidth(NARROWEST_PX)
        self.setFixedHeight(SIZE.height())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return SIZE

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame, icon in its square, title and words; cut off with … where it is narrow."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        self._paint_frame(painter, rect)
        square = QRectF(PADDING_PX, (rect.height() - SQUARE_PX) / 2, SQUARE_PX, SQUARE_PX)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent.soft" if self.isChecked() else "surface.hover"))
        painter.drawRoundedRect(square, 6, 6)
        tint = "accent.base" if self.isChecked() else "text.secondary"
        theme.paint(painter, self._icon, self._ink(tint), square.adjusted(9, 9, -9, -9))
        room = rect.adjusted(square.right() + PADDING_PX, 0, -PADDING_PX, 0)
        middle = rect.center().y()
        self._paint_line(painter, "ui_strong", "text.primary", self._title, room, middle - 20)
        self._paint_line(painter, "small", "text.secondary", self._words, room, middle)
        painter.end()

    def _ink(self, role: str) -> str:
        return role if self.isEnabled() else "text.disabled"

    def _paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        focused, strong = self.hasFocus(), self.isChecked()
        edge = "accent.focus" if focused else "accent.base" if strong else "border.strong"
        width = theme.metric("control.focus_width") if focused or strong else 1.0
        hovered = self.underMouse() and self.isEnabled()
        painter.setPen(QPen(theme.colour(edge), width))
        painter.setBrush(theme.colour("surface.hover" if hovered else "surface.raised"))
        inside = rect.adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(inside, theme.metric("radius.card"), theme.metric("radius.card"))

    def _paint_line(
        self, painter: QPainter, kind: str, role: str, words: str, room: QRectF, top: float
    ) -> None:
        font = theme.font(kind)
        painter.setFont(font)
        painter.setPen(theme.colour(self._ink(role)))
        line = QRectF(room.left(), top, room.width(), 20)
        shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
