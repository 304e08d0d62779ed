"""Gestures: what a pressed mouse button is doing until it is let go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QCursor, QFontMetrics, QInputDevice, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.layouts import vertical

ZOOM_PER_NOTCH = 1.2
NOTCH = 120  # of QWheelEvent.angleDelta


class Gesture(Protocol):
    """Gesture of one button press; points are in the viewport."""

    cursor: QCursor | None

    def move(self, point: QPointF) -> None: ...

    def release(self, point: QPointF) -> None: ...


class Pan:
    """Pan of the canvas, once the pointer has left the spot."""

    def __init__(self, start: QPointF, cursor: QCursor | None, moved: Callable[[QPointF], None]) -> None:
        self.cursor = cursor
        self._last = start
        self._start = start
        self._moved = moved
        self._under_way = False

    def move(self, point: QPointF) -> None:
        if not self._under_way and _near(point, self._start):
            return
        self._under_way = True
        self._moved(point - self._last)
        self._last = point

    def release(self, point: QPointF) -> None: ...


class Lasso:
    """Rectangle drawn around cards; a press that stays on the spot is a click."""

    def __init__(
        self,
        start: QPointF,
        drawn: Callable[[QRectF], None],
        ended: Callable[[QRectF], None],
        clicked: Callable[[QPointF], None],
    ) -> None:
        self.cursor: QCursor | None = None
        self._start = start
        self._drawn, self._ended, self._clicked = drawn, ended, clicked
        self._under_way = False

    def move(self, point: QPointF) -> None:
        self._under_way = self._under_way or not _near(point, self._start)
        if self._under_way:
            self._drawn(QRectF(self._start, point).normalized())

    def release(self, point: QPointF) -> None:
        if self._under_way:
            self._ended(QRectF(self._start, point).normalized())
        else:
            self._clicked(point)


class Carry:
    """Drag of a card; a press that stays on the spot is a click."""

    def __init__(
        self,
        start: QPointF,
        carried: Callable[[QPointF], None],
        dropped: Callable[[QPointF], None],
        clicked: Callable[[QPointF], None],
    ) -> None:
        self.cursor: QCursor | None = QCursor(Qt.CursorShape.DragMoveCursor)
        self._start = start
        self._carried, self._dropped, self._clicked = carried, dropped, clicked
        self._under_way = False

    def move(self, point: QPointF) -> None:
        self._under_way = self._under_way or not _near(point, self._start)
        if self._under_way:
            self._carried(point)

    def release(self, point: QPointF) -> None:
        (self._dropped if self._under_way else self._clicked)(point)


class Press:
    """Click on something; where it ends decides."""

    cursor: QCursor | None = None

    def __init__(self, ended: Callable[[QPointF], None]) -> None:
        self._ended = ended

    def move(self, point: QPointF) -> None: ...

    def release(self, point: QPointF) -> None:
        self._ended(point)


def _near(a: QPointF, b: QPointF) -> bool:
    return (a - b).manhattanLength() < QApplication.startDragDistance()


def is_touchpad(event: QWheelEvent) -> bool:
    """True for two fingers; plain wheels may report pixels too, so the device decides."""
    device = event.device()
    return device is not None and device.type() == QInputDevice.DeviceType.TouchPad


def pan_distance(event: QWheelEvent) -> QPointF:
    """Return the distance that a touchpad wants to move the picture, in px."""
    pixels = event.pixelDelta()
    return QPointF(pixels) if not pixels.isNull() else QPointF(event.angleDelta()) / 4


def zoom_factor(event: QWheelEvent) -> float:
    """Return the factor by which a turn of the wheel zooms; Alt swaps the axes on some desktops, so both
    count.
    """
    turned = event.angleDelta().y() or event.angleDelta().x()
    factor: float = ZOOM_PER_NOTCH ** (turned / NOTCH)
    return factor


WIDTH = 360
PADDING = 12
MOST_CHARACTERS = 2_400
DISTANCE = 10  # px from the card, clear of its tools and its +


class CardPreview(QWidget):
    """A quiet panel over the canvas. Text from others stays text: nothing in it is interpreted."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("graphPreview")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        column = vertical(self, (PADDING, PADDING - 2, PADDING, PADDING - 2))
        column.addWidget(self._label)
        self._pinned = False
        self.hide()

    def set_pinned(self, pinned: bool) -> None:
        """Keep the preview when the pointer goes, or let it go too."""
        self._pinned = pinned
        self.update()

    @property
    def text(self) -> str:
        return self._label.text()

    def show_text(self, text: str, card: QRect) -> None:
        """Show a text below or above a card, inside the parent; what does not fit ends in …"""
        parent = self.parentWidget()
        assert parent is not None
        room = parent.size() - QSize(16, 16)
        font = theme.font("ui")
        self._label.setFont(font)
        width = min(WIDTH, room.width())
        below, above = room.height() - card.bottom() - 30, card.top() - DISTANCE
        most = max(below, above, 60)
        shown, height = _fitting(text, QFontMetrics(font), width - 2 * PADDING, most - 2 * PADDING)
        self._label.setText(shown)
        height += 2 * PADDING
        top = card.bottom() + 30 if height <= below or below >= above else card.top() - DISTANCE - height
        left = min(max(8, card.left()), max(8, parent.width() - width - 8))
        self.setGeometry(left, max(8, top), width, height)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "accent.base" if self._pinned else "border.strong", "surface.overlay")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)


def _fitting(text: str, metrics: QFontMetrics, width: int, most: int) -> tuple[str, int]:
    """Return as much of a text as fits into a height, and the height it takes."""
    shown = text[:MOST_CHARACTERS]
    while True:
        cut = len(shown) < len(text)
        tried = f"{shown.rstrip()}…" if cut else shown
        needed = metrics.boundingRect(
            QRect(0, 0, width, 100_000), int(Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextExpandTabs), tried
        ).height()
        if needed <= most or len(shown) < 40:
            return tried, min(needed, max(most, 20))
        shown = shown[: min(len(shown) - 1, int(len(shown) * max(0.5, most / needed)) + 8)]
