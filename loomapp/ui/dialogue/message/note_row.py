"""A note under the message that it is on: one line, read in full as its tool tip, sent with it or not."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.ui.dialogue.script.entries import NoteLine
from loomapp.ui.look import theme
from loomapp.ui.widgets.tips import plain_tip

HEIGHT_PX = 32
LONGEST = 400  # characters; more never fit a line


class NoteRow(QWidget):
    """Note, and a link that says and changes whether it is sent with its message."""

    toggle_clicked = Signal(str)  # node id

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("noteRow")
        self._line, self._node_id, self._is_sent = "", "", False
        self.button = QPushButton(self)
        self.button.setObjectName("includeNoteButton")
        self.button.setFont(theme.font("small"))
        theme.set_look(self.button, kind="link")
        self.button.clicked.connect(lambda: self.toggle_clicked.emit(self._node_id))

    def show_note(self, note: NoteLine) -> None:
        self._line, self._node_id = " ".join(note.text[:LONGEST].split()), note.node_id
        self._is_sent = note.fate == "sent"
        self.button.setText(self.tr("Leave out") if self._is_sent else self.tr("Include in context"))
        self.button.setVisible(note.fate in ("sent", "annotation"))
        self.button.setAccessibleName(f"{self.button.text()}: {self._line}")
        words = self.tr("Note, sent: {0}") if self._is_sent else self.tr("Note: {0}")
        self.setAccessibleName(words.format(self._line))
        self.setToolTip(plain_tip(note.text[: 3 * LONGEST]))
        self._place()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def _place(self) -> None:
        size = self.button.sizeHint()
        height = theme.px("control.hit")
        self.button.setGeometry(
            self.width() - size.width() - 6, (HEIGHT_PX - height) // 2, size.width(), height
        )

    def paintEvent(self, event: QPaintEvent) -> None:
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
        right = 10.0 if self.button.isHidden() else self.button.width() + 14.0
        if self._is_sent:
            right += 20
            theme.paint(painter, "check", "accent.base", QRectF(rect.right() - right + 2, 9, 14, 14))
        room = rect.adjusted(34, 0, -right, 0)
        words = QFontMetricsF(font).elidedText(self._line, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()
