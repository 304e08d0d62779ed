"""Edges under the pointer: which one it is on, and how it is drawn then."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from loomapp.ui.graph.camera import Camera, detail
from loomapp.ui.graph.painter import continuation
from loomapp.ui.graph.scene import Scene
from loomapp.ui.look import theme

REACH = 5.0  # px of the viewport from which an edge is felt
SAMPLES = 24
MOST = 200  # edges that are looked at; where there are more, none can be meant
WIDTH = 3.0


def edge_at(scene: Scene, camera: Camera, point: QPointF) -> int | None:
    """The card into which the edge under a point of the viewport leads."""
    if detail(camera.zoom) == "blocks":
        return None
    rows = scene.index.edges_in(
        camera.box(QRectF(point.x() - REACH, point.y() - REACH, 2 * REACH, 2 * REACH))
    )
    if not 0 < len(rows) <= MOST:
        return None
    distance, row = min((_distance(scene, camera, row, point), row) for row in rows.tolist())
    return row if distance <= REACH else None


def _distance(scene: Scene, camera: Camera, row: int, point: QPointF) -> float:
    path = continuation(scene, camera, row)
    corners = (path.pointAtPercent(i / SAMPLES) for i in range(SAMPLES + 1))
    return min(_to_line(point, a, b) for a, b in pairwise(corners))


def _to_line(point: QPointF, start: QPointF, end: QPointF) -> float:
    """How far a point is from a piece of a line."""
    along, off = end - start, point - start
    length = QPointF.dotProduct(along, along)
    share = 0.0 if length == 0 else min(1.0, max(0.0, QPointF.dotProduct(off, along) / length))
    away = off - along * share
    distance: float = QPointF.dotProduct(away, away) ** 0.5
    return distance


def far_end(scene: Scene, camera: Camera, row: int, point: QPointF) -> int:
    """The row of the end of an edge that is farther from a point of the viewport."""
    path = continuation(scene, camera, row)
    start, end = path.pointAtPercent(0) - point, path.pointAtPercent(1) - point
    nearer_start = QPointF.dotProduct(start, start) < QPointF.dotProduct(end, end)
    return row if nearer_start else scene.index.parent(row)


def paint_hovered(painter: QPainter, scene: Scene, camera: Camera, row: int) -> None:
    """The edge under the pointer: thick."""
    painter.setPen(QPen(theme.colour("accent.base"), WIDTH))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(continuation(scene, camera, row))
