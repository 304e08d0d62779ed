"""Gestures: what a pressed mouse button is doing until it is let go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QCursor, QInputDevice, QWheelEvent
from PySide6.QtWidgets import QApplication

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
