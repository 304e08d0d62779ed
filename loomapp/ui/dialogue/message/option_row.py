"""A row under a message: another sibling or draft in one line; a click shows it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import Option
from loomapp.ui.look import theme
from loomapp.ui.widgets.tips import plain_tip

HEIGHT_PX = 32
PADDING_PX = 12
LONGEST = 300  # characters; more never fit a line


class OptionRow(QAbstractButton):
    """Line for another sibling: its number and the beginning of its text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("siblingRow")
        self._option: Option | None = None
        self.setFixedHeight(HEIGHT_PX)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard with the view, which stays
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_option(self, option: Option) -> None:
        """Show another way."""
        if option == self._option:
            return
        self._option = option
        sentence = QCoreApplication.translate("OptionRow", "Show {0} of {1}: {2}")
        failed = QCoreApplication.translate("OptionRow", "Show what failed: {0}")
        told = sentence.format(*self._place(), self._line()) if option.number else failed.format(self._line())
        self.setAccessibleName(told)
        self.setToolTip(plain_tip(option.text[: 3 * LONGEST]))
        self.update()

    @property
    def key(self) -> str:
        return self._option.key if self._option else ""

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT_PX)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._option is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_frame(painter)
        numbers = theme.numbers("small")
        numbers.setWeight(numbers.Weight.DemiBold)
        painter.setFont(numbers)
        painter.setPen(theme.colour("accent.base"))
        place = "/".join(self._place()) if self._option.number else ""
        rect = QRectF(self.rect()).adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, place)
        left = QFontMetricsF(numbers).horizontalAdvance(place) + 10 if place else 0.0
        if self._option.failed:
            theme.paint(painter, "circle-alert", "state.error", QRectF(rect.left() + left, 9, 14, 14))
            left += 20
        elif self._option.waits:
            theme.paint(painter, "circle-pause", "state.warning", QRectF(rect.left() + left, 9, 14, 14))
            left += 20
        self._paint_words(painter, rect.adjusted(left, 0, 0, 0))
        painter.end()

    def _paint_frame(self, painter: QPainter) -> None:
        over = self.underMouse()
        edge = "accent.focus" if self.hasFocus() else "border.strong" if over else "border.normal"
        width = theme.metric("control.focus_width") if self.hasFocus() else 1.0
        painter.setPen(QPen(theme.colour(edge), width))
        painter.setBrush(theme.colour("surface.hover") if over else Qt.BrushStyle.NoBrush)
        inset = width / 2
        radius = theme.metric("radius.control")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)

    def _paint_words(self, painter: QPainter, rect: QRectF) -> None:
        assert self._option is not None
        font = theme.font("ui")
        painter.setFont(font)
        painter.setPen(theme.colour("state.error" if self._option.failed else "text.secondary"))
        metrics = QFontMetricsF(font)
        line = metrics.elidedText(self._line(), Qt.TextElideMode.ElideRight, rect.width() - 4)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, line)
        if self._option.grows:
            x = rect.left() + metrics.horizontalAdvance(line) + 2
            painter.fillRect(QRectF(x, rect.center().y() - 7, 2, 14), theme.colour("state.streaming"))

    def _place(self) -> tuple[str, str]:
        assert self._option is not None
        return figures.number(self._option.number), figures.number(self._option.count)

    def _line(self) -> str:
        assert self._option is not None
        return " ".join(self._option.text[:LONGEST].split())
