"""Thousands of rectangles or lines in one call, straight from numpy, and counts of what a frame drew."""

from __future__ import annotations

from typing import cast

import numpy as np
import shiboken6
from PySide6.QtCore import QLineF, QRect
from PySide6.QtGui import QPainter

from loomapp.core.dataclass import dataclass
from loomapp.core.layout.cards import Floats

FAR = 30_000  # px; what lies further out is clipped here, before it overflows in Qt


def draw_rects(painter: QPainter, left: Floats, top: Floats, width: Floats | float, height: Floats) -> None:
    """Filled rectangles, each at least a pixel. A QRect is four ints, so no object is made for any."""
    if not len(left):
        return
    corners = np.empty((len(left), 4), np.int32)
    corners[:, 0] = np.clip(left, -FAR, FAR)
    corners[:, 1] = np.clip(top, -FAR, FAR)
    corners[:, 2] = np.clip(left + np.maximum(1.0, width), -FAR, FAR)
    corners[:, 3] = np.clip(top + np.maximum(1.0, height), -FAR, FAR)
    corners[:, 2:] = np.maximum(corners[:, 2:] - 1, corners[:, :2])  # QRect's right is the last pixel in it
    first = cast(QRect, shiboken6.wrapInstance(corners.ctypes.data, QRect))
    painter.drawRects(first, len(corners))


def draw_lines(painter: QPainter, x1: Floats, y1: Floats, x2: Floats, y2: Floats) -> None:
    """Draw straight lines. A QLineF is four doubles."""
    if not len(x1):
        return
    ends = np.clip(np.column_stack((x1, y1, x2, y2)), -FAR, FAR).astype(np.float64)
    ends = np.ascontiguousarray(ends)
    first = cast(QLineF, shiboken6.wrapInstance(ends.ctypes.data, QLineF))
    painter.drawLines(first, len(ends))


@dataclass(slots=True)
class FrameCounts:
    """Counts of what the last frame drew. `owed` are cards that still lack their pictures."""

    cards: int = 0
    edges: int = 0
    rendered: int = 0  # card pictures made anew
    owed: int = 0
