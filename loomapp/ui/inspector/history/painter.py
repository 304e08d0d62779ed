"""Painter of the history's steps: a point on a line, time, name, label, text, outcome, author."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from loomapp.core.edits.undo import Step
from loomapp.ui.inspector.history.table import (
    HistoryTable,
    Index,
    here_words,
    maker,
    moment_words,
    state_words,
)
from loomapp.ui.look import theme
from loomapp.ui.strings import step_words

ROW_PX = 28
EDGE_PX = 12
LINE_X_PX = 20.0  # the line that the points stand on
TIME_PX = 36
MAKER_PX = 120
MAKER_FROM_PX = 380  # narrower lists leave it to the tool tip
GAP_PX = 12


class HistoryPainter(QStyledItemDelegate):
    """Rows of 28 px. What holds has a full point, what was undone an empty one, what was given up a cross."""

    def __init__(self, view: QAbstractItemView, table: HistoryTable) -> None:
        super().__init__(view)
        self._view, self._table = view, table
        self.ring = False  # the cursor is a ring, only for who works with keys

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        step, rect = self._table.step(index), QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(rect)
        is_here = step.sequence == self._table.present
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if is_here or is_hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface.selected" if is_here else "surface.hover"))
            painter.drawRoundedRect(rect.adjusted(4, 1, -4, -1), 6, 6)
        self._paint_line(painter, rect, index.row())
        _paint_point(painter, step, QPointF(LINE_X_PX, rect.center().y()), is_here=is_here)
        self._paint_words(painter, step, rect, is_here=is_here)
        if self.ring and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent.focus"), theme.metric("control.focus_width")))
            painter.drawRoundedRect(rect.adjusted(3, 1, -3, -1), 6, 6)
        painter.restore()

    def _paint_line(self, painter: QPainter, rect: QRectF, row: int) -> None:
        top = rect.center().y() if row == 0 else rect.top()
        bottom = rect.center().y() if row == len(self._table.steps) - 1 else rect.bottom() + 1
        painter.setPen(QPen(theme.colour("border.strong"), 1.25))
        painter.drawLine(QPointF(LINE_X_PX, top), QPointF(LINE_X_PX, bottom))

    def _paint_words(self, painter: QPainter, step: Step, rect: QRectF, *, is_here: bool) -> None:
        """Paint from both ends: time on the left, who and what became of it on the right, the label
        between.
        """
        left, right = LINE_X_PX + 16, rect.right() - EDGE_PX
        time = theme.numbers("small")
        words = moment_words(step.at)
        left += _draw(painter, words, time, "text.muted", left, rect, right - left, least=TIME_PX) + GAP_PX
        if rect.width() >= MAKER_FROM_PX:
            right -= MAKER_PX
            _draw(painter, maker(step), theme.font("small"), "text.muted", right, rect, MAKER_PX)
            right -= GAP_PX
        said = here_words() if is_here else state_words(step)
        if said:
            font = _weighted(QFont.Weight.Medium)
            right -= QFontMetricsF(font).horizontalAdvance(said)
            _draw(painter, said, font, "accent.base" if is_here else "text.muted", right, rect, rect.width())
            right -= GAP_PX
        if step.name:
            mark = QRectF(left, rect.center().y() - 7, 14, 14)
            theme.paint(painter, "bookmark", "accent.base", mark, filled=True)
            left += 20
            font, role = _weighted(QFont.Weight.DemiBold), _ink(step)
            left += _draw(painter, step.name, font, role, left, rect, (right - left) * 0.7) + 8
        font = theme.font("small")
        font.setStrikeOut(step.state == "abandoned")
        role = "text.muted" if step.name else _ink(step)
        left += _draw(painter, step_words(step.label), font, role, left, rect, right - left) + GAP_PX
        _draw(painter, step.about, theme.font("small"), "text.muted", left, rect, right - left)


def _paint_point(painter: QPainter, step: Step, at: QPointF, *, is_here: bool) -> None:
    """The point of a step, told by its shape: full, empty, or a cross; the present one has a ring."""
    painter.setBrush(theme.colour("surface.panel"))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawEllipse(at, 7, 7)
    if step.state == "abandoned":
        theme.paint(painter, "x", "text.muted", QRectF(at.x() - 6, at.y() - 6, 12, 12))
        return
    if is_here:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("accent.base"), 1.5))
        painter.drawEllipse(at, 6.5, 6.5)
    holds = step.state == "done"
    colour = theme.colour("accent.base" if is_here else "text.muted")
    painter.setBrush(colour if holds else theme.colour("surface.panel"))
    painter.setPen(Qt.PenStyle.NoPen if holds else QPen(colour, 1.5))
    painter.drawEllipse(at, 3.5, 3.5)


def _ink(step: Step) -> str:
    return "text.primary" if step.state == "done" else "text.muted"


def _weighted(weight: QFont.Weight) -> QFont:
    font = QFont(theme.font("small"))
    font.setWeight(weight)
    return font


def _draw(
    painter: QPainter,
    words: str,
    font: QFont,
    role: str,
    left: float,
    rect: QRectF,
    width: float,
    *,
    least: float = 0,
) -> float:
    """Draw a line in the middle of a row, cut off with … at a width; return the width it takes."""
    metrics = QFontMetricsF(font)
    words = " ".join(words.split())
    if metrics.horizontalAdvance(words) > width + 1:
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(0.0, width))
    painter.setFont(font)
    painter.setPen(theme.colour(role))
    baseline = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2
    painter.drawText(QPointF(left, baseline), words)
    return max(least, metrics.horizontalAdvance(words))
