"""A note under the message that it is on: one line, read in full as its tool tip."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.tips import plain_tip

HEIGHT_PX = 32
LONGEST = 400  # characters; more never fit a line


class NoteRow(QWidget):
    """Shows a note."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("noteRow")
        self._line = ""

    def show_note(self, text: str) -> None:
        """Show the words of a note."""
        self._line = " ".join(text[:LONGEST].split())
        self.setAccessibleName(self.tr("Note: {0}").format(self._line))
        self.setToolTip(plain_tip(text[: 3 * LONGEST]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground, icon and line."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("state.warning_soft"))
        painter.drawRoundedRect(rect, 6, 6)
        theme.paint(painter, "sticky-note", "state.warning", QRectF(10, 9, 14, 14))
        font = theme.font("small")
        painter.setFont(font)
        painter.setPen(theme.colour("text.secondary"))
        room = rect.adjusted(34, 0, -10, 0)
        words = QFontMetricsF(font).elidedText(self._line, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()
