"""Segments: a few choices beside each other, of which one holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QWidget

from loomapp.ui.look import theme

HEIGHT_PX = 24
SIDE_PX = 10
UNDERLINE_PX = 2


class Segments(QWidget):
    """Choices by their values. Arrow keys go from one to the next."""

    chosen = Signal(str)  # value, by a person

    def __init__(self, name: str, title: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, _Segment] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for number, (value, words) in enumerate(choices):
            button = _Segment(words, is_first=number == 0, is_last=number == len(choices) - 1)
            button.setObjectName(f"{name}_{value}")
            button.setAccessibleName(f"{title}: {words}")
            self._buttons[value] = button
            self._group.addButton(button)
            row.addWidget(button)
        self._group.buttonClicked.connect(self.on_clicked)

    def value(self) -> str:
        return next((value for value, button in self._buttons.items() if button.isChecked()), "")

    def show_value(self, value: str) -> None:
        self._buttons[value].setChecked(True)

    def on_clicked(self) -> None:
        self.chosen.emit(self.value())


class _Segment(QAbstractButton):
    def __init__(self, words: str, *, is_first: bool, is_last: bool) -> None:
        super().__init__()
        self._is_first, self._is_last = is_first, is_last
        self.setText(words)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        words = QFontMetrics(theme.font("ui_strong")).horizontalAdvance(self.text())
        return QSize(words + 2 * SIDE_PX, HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words in a frame that the neighbours share; the one that holds has a line below it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        corner = theme.metric("radius.control")
        whole = rect.adjusted(0 if self._is_first else -corner, 0, 0 if self._is_last else corner, 0)
        shape = QPainterPath()
        shape.addRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)
        painter.setClipRect(rect)
        is_on = self.isChecked()
        ground = "surface.selected" if is_on else "surface.hover" if self.underMouse() else "surface.raised"
        painter.fillPath(shape, theme.colour(ground))
        painter.setPen(QPen(theme.colour("border.strong"), 1))
        painter.drawPath(shape)
        if not self._is_first:
            painter.drawLine(0, 0, 0, round(rect.height()))
        if is_on:
            line = QRectF(rect.left() + 1, rect.bottom() - UNDERLINE_PX, rect.width() - 2, UNDERLINE_PX)
            painter.fillRect(line, theme.colour("accent.base"))
        painter.setFont(theme.font("ui_strong" if is_on else "ui"))
        role = "text.primary" if is_on else "text.secondary"
        painter.setPen(theme.colour(role if self.isEnabled() else "text.muted"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent.focus"), 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), corner, corner)
        painter.end()
