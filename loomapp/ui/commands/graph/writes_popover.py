"""Popover of what other programs wrote: the nodes, and what can be done about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from loomapp.core.model.agent import Agent
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import horizontal, vertical
from loomapp.ui.widgets.popover import Popover

WIDTH_PX = 400
ABOVE_PX = 6
ROW_PX = 28
DOT_PX, BAR_PX, BAR_HEIGHT_PX = 7, 3, 15
TEXT_X = 22


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """A node, or what was written in another tree, as the popover lists it."""

    key: str  # of the node, or of the tree
    words: str
    local_id: str = ""  # none: a tree
    author: Agent | None = None


class _Line(QAbstractButton):
    """One row: a dot, the author's bar, the local id and the first words."""

    def __init__(self, row: WrittenRow, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("writtenRow")
        self._row = row
        self.setText(row.words)
        self.setAccessibleName(f"{row.local_id} {row.words}".strip())
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, ROW_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        box = QRectF(self.rect())
        if self.underMouse() or self.hasFocus():
            theme.draw_in(painter, "accent.focus" if self.hasFocus() else "", "surface.hover")
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        middle, left = box.center().y(), 6.0
        theme.draw_in(painter, fill="accent.base")
        painter.drawEllipse(QRectF(left, middle - DOT_PX / 2, DOT_PX, DOT_PX))
        if self._row.local_id:
            painter.setBrush(theme.agent_colour(self._row.author))
            bar = QRectF(left + 13, middle - BAR_HEIGHT_PX / 2, BAR_PX, BAR_HEIGHT_PX)
            painter.drawRoundedRect(bar, 1.5, 1.5)
            left = self._paint_id(painter, left + TEXT_X, box)
        else:
            left += TEXT_X - 8
        theme.write_in(painter, "ui", "text.primary")
        room = box.adjusted(left, 0, -6, 0)
        words = QFontMetrics(painter.font()).elidedText(
            self._row.words, Qt.TextElideMode.ElideRight, round(room.width())
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()

    def _paint_id(self, painter: QPainter, left: float, box: QRectF) -> float:
        """Paint the local id in its frame; return where the words begin."""
        theme.write_in(painter, "mono", "text.secondary")
        width = QFontMetrics(painter.font()).horizontalAdvance(self._row.local_id) + 12
        frame = QRectF(left, box.center().y() - 10, width, 20)
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, self._row.local_id)
        theme.draw_in(painter, "border.normal")
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        return left + width + 8


class WritesPopover(Popover):
    """Opens above the words in the status bar; Esc or a click beside it shuts it."""

    row_chosen = Signal(str)  # its key
    first_asked = Signal()
    read_asked = Signal()  # all is to be taken for read
    undo_asked = Signal()

    def __init__(self, title: str, when: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("mcpWritesPopover")
        self.setAccessibleName(title)
        self.setFixedWidth(WIDTH_PX)
        self._column = vertical(self, (12, 12, 12, 10), spacing=6)
        head = horizontal(spacing=8)
        head.addWidget(label(title, "ui_strong", wrap=True), 1)
        head.addWidget(label(when, "small", "muted"), 0, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(head)

    def show_rows(self, rows: Sequence[WrittenRow], *notes: str, undo: str) -> None:
        """List these, with notes below them and words for undo; nothing where there is none."""
        for row in rows:
            line = _Line(row, self)
            line.clicked.connect(lambda _=False, key=row.key: self._emit_row(key))
            self._column.addWidget(line)
        for note in filter(None, notes):
            self._column.addWidget(label(note, "small", "muted", wrap=True))
        acts = horizontal(spacing=12)
        first = push_button("writesGoToFirst", tr("Go to the first"), self, kind="link")
        first.clicked.connect(self._on_first)
        read = push_button("writesMarkAsRead", tr("Mark as read"), self, kind="link")
        read.clicked.connect(self._on_read)
        for button in (first, read):
            acts.addWidget(button)
        acts.addStretch(1)
        if undo:
            taken_back = push_button("writesUndo", undo, self, kind="link")
            theme.put_beside_words(taken_back, "rotate-ccw", "text.link", 14)
            taken_back.clicked.connect(self._on_undo)
            acts.addWidget(taken_back)
        self._column.addLayout(acts)
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def open_above(self, place: QRect) -> None:
        """Open above a place on the screen, at its right."""
        self._column.activate()
        self.resize(WIDTH_PX, self._column.totalHeightForWidth(WIDTH_PX))
        screen = self.screen().availableGeometry()
        left = max(screen.left(), min(place.right(), screen.right()) - self.width())
        self.move(QPoint(left, max(screen.top(), place.top() - ABOVE_PX - self.height())))
        self.show()

    def _emit_row(self, key: str) -> None:
        self.close()
        self.row_chosen.emit(key)

    def _on_first(self) -> None:
        self.close()
        self.first_asked.emit()

    def _on_read(self) -> None:
        self.close()
        self.read_asked.emit()

    def _on_undo(self) -> None:
        self.close()
        self.undo_asked.emit()
