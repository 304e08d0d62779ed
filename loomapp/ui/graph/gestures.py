"""Gestures: what a pressed mouse button is doing until it is let go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QPointF
from PySide6.QtGui import QCursor, QInputDevice, QWheelEvent
from PySide6.QtWidgets import QApplication

ZOOM_PER_NOTCH = 1.2
NOTCH = 120  # of QWheelEvent.angleDelta


class Gesture(Protocol):
    """One press of a button; points are in the viewport."""

    cursor: QCursor | None

    def move(self, point: QPointF) -> None:
        """The pointer moved."""

    def release(self, point: QPointF) -> None:
        """The button was let go."""


class Pan:
    """Drags the canvas, once the pointer has left the spot."""

    def __init__(self, start: QPointF, cursor: QCursor | None, moved: Callable[[QPointF], None]) -> None:
        self.cursor = cursor
        self._last = start
        self._start = start
        self._moved = moved
        self._under_way = False

    def move(self, point: QPointF) -> None:
        """Bring the canvas along."""
        if not self._under_way and _near(point, self._start):
            return
        self._under_way = True
        self._moved(point - self._last)
        self._last = point

    def release(self, point: QPointF) -> None:
        """Nothing is left to do."""


class Press:
    """A click on something; where it ends decides."""

    cursor: QCursor | None = None

    def __init__(self, ended: Callable[[QPointF], None]) -> None:
        self._ended = ended

    def move(self, point: QPointF) -> None:
        """Nothing moves along."""

    def release(self, point: QPointF) -> None:
        """Say where."""
        self._ended(point)


def _near(a: QPointF, b: QPointF) -> bool:
    return (a - b).manhattanLength() < QApplication.startDragDistance()


def is_touchpad(event: QWheelEvent) -> bool:
    """True for two fingers; plain wheels may report pixels too, so the device decides."""
    device = event.device()
    return device is not None and device.type() == QInputDevice.DeviceType.TouchPad


def pan_distance(event: QWheelEvent) -> QPointF:
    """How far a touchpad wants to move the picture, in px."""
    pixels = event.pixelDelta()
    return QPointF(pixels) if not pixels.isNull() else QPointF(event.angleDelta()) / 4


def zoom_factor(event: QWheelEvent) -> float:
    """How much a turn of the wheel zooms; Alt swaps the axes on some desktops, so both count."""
    turned = event.angleDelta().y() or event.angleDelta().x()
    factor: float = ZOOM_PER_NOTCH ** (turned / NOTCH)
    return factor
