"""The shape of a tree, drawn: one line that is written, and three answers to it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr

SIZE = QSize(474, 234)
CARD = (164.0, 56.0)
RIGHT_X = 309.0
TOPS = (0.5, 88.5, 176.5)
BARS = (120.0, 92.0, 108.0)  # how long the answers that are not there yet look
CORNER_PX = 8.0


class FirstDrawing(QWidget):
    """Drawing of a first tree; it says nothing that the words below it do not say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("firstDrawing")
        self.setFixedSize(SIZE)
        self._names = (tr("You"), "")
        self._tint = "agent.a1"

    def show_names(self, writer: str, model: str, tint: str) -> None:
        """Show the names of the writer and the model, in the model's tint."""
        if (*self._names, self._tint) != (writer, model, tint):
            self._names, self._tint = (writer, model), tint
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        written = QRectF(1, TOPS[1], *CARD)
        answers = [QRectF(RIGHT_X, top, *CARD) for top in TOPS]
        for number, answer in enumerate(answers):
            self._paint_thread(painter, written, answer, is_path=number == 1)
        painter.setPen(QPen(theme.colour("accent.base"), 2))
        painter.setBrush(theme.colour("surface.raised"))
        painter.drawRoundedRect(written, CORNER_PX, CORNER_PX)
        self._write(painter, written, "caption", "text.primary", self._names[0], 6)
        self._write(painter, written, "small", "text.secondary", tr("Your first line"), 26)
        for answer, bar in zip(answers, BARS, strict=True):
            self._paint_answer(painter, answer, bar)
        painter.end()

    def _paint_thread(self, painter: QPainter, start: QRectF, end: QRectF, *, is_path: bool) -> None:
        here, there = QPointF(start.right(), start.center().y()), QPointF(end.left(), end.center().y())
        way = QPainterPath(here)
        middle = (here.x() + there.x()) / 2
        way.cubicTo(QPointF(middle, here.y()), QPointF(middle, there.y()), there)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(
            QPen(theme.colour("accent.base" if is_path else "border.strong"), 2.5 if is_path else 1.25)
        )
        painter.drawPath(way)

    def _paint_answer(self, painter: QPainter, rect: QRectF, bar: float) -> None:
        pen = QPen(theme.colour("border.strong"), 1.25)
        pen.setDashPattern([3, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, CORNER_PX, CORNER_PX)
        self._write(painter, rect, "caption", self._tint, self._names[1], 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("border.normal"))
        painter.drawRoundedRect(QRectF(rect.left() + 12, rect.top() + 32, bar, 6), 3, 3)

    def _write(
        self, painter: QPainter, rect: QRectF, kind: str, role: str, words: str, down_px: float
    ) -> None:
        painter.setFont(theme.font(kind))
        painter.setPen(theme.colour(role))
        line = QRectF(rect.left() + 12, rect.top() + down_px, rect.width() - 24, 20)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
