"""Edges under the pointer: which one it is on, and how it is drawn then."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from loomapp.core.layout.arrays import Floats, Ints
from loomapp.ui.graph.motion.camera import Camera, detail
from loomapp.ui.graph.motion.drift import STILL, Drift
from loomapp.ui.graph.painting.painter import continuation, reference_path
from loomapp.ui.graph.scene.card_faces import tr
from loomapp.ui.graph.scene.references import ReferenceLine
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box
from loomapp.ui.look import theme

REACH = 5.0  # px of the viewport from which an edge is felt
SAMPLES = 24
SHARES = np.linspace(0.0, 1.0, SAMPLES + 1)[:, None, None]
MOST = 200  # edges that are looked at; where there are more, none can be meant
MOST_LINES = 40  # of those that are no continuations
FEW = 8  # of these, whose distance is found exactly
NONE = (sys.float_info.max, -1)
WIDTH = 3.0


def edge_at(scene: Scene, camera: Camera, point: QPointF, drift: Drift = STILL) -> int | None:
    """Return the card into which the edge under a point of the viewport leads."""
    if detail(camera.zoom) == "blocks":
        return None
    rows = scene.index.linked(drift.with_moving(scene.index.edges_in(_around(camera, point))))
    if not 0 < len(rows) <= MOST:
        return None
    guessed = _distances(scene, camera, rows, point, drift)
    near = np.argsort(guessed)[:FEW]
    felt = rows[near[guessed[near] <= REACH + 2 * theme.metric("card.stack_offset")]]
    distance, row = min(
        ((_distance(scene, camera, row, point, drift), row) for row in felt.tolist()), default=NONE
    )
    return row if distance <= REACH else None


def reference_at(scene: Scene, camera: Camera, point: QPointF) -> ReferenceLine | None:
    """The line under a point of the viewport that is no continuation: a source's, or a note's."""
    if detail(camera.zoom) == "blocks":
        return None
    lines = scene.lines_in(_around(camera, point))
    if not 0 < len(lines.kinds) <= MOST_LINES:
        return None
    found = ((_to_path(reference_path(scene, camera, line), point), line) for line in lines.each())
    distance, nearest = min(found)
    return nearest if distance <= REACH else None


def tip(kind: str) -> str:
    """Return the meaning of a line: the part its source plays, and how such lines are drawn."""
    return {
        "context": tr("Context: material for what it leads to. Dotted, with an arrow."),
        "instruction": tr("Instruction: a directive for what it leads to. Dashed, with an arrow."),
        "note": tr("A note on this card. Thin and dotted."),
        "primary": tr("Another text that this could continue. Thin, like every branch."),
    }.get(kind, tr("Goes on here. Thick on the active path, dashed where it is left out."))


def _around(camera: Camera, point: QPointF) -> Box:
    return camera.box(QRectF(point.x() - REACH, point.y() - REACH, 2 * REACH, 2 * REACH))


def _distances(scene: Scene, camera: Camera, rows: Ints, point: QPointF, drift: Drift) -> Floats:
    """Return the distances of a point from edges, about: as if they all left a card's side and none a stack
    of sheets.
    """
    x1, y1, x2, y2 = scene.index.ends(rows)
    scale = np.array([camera.scale_x, camera.scale_y])
    corner = np.array([camera.left * scale[0] + point.x(), camera.top * scale[1] + point.y()])
    here, there = drift.offsets(scene.index.growth.parents[rows]), drift.offsets(rows)
    start = (np.stack((x1, y1), axis=1) + here) * scale - corner
    end = (np.stack((x2, y2), axis=1) + there) * scale - corner
    along = int(scene.is_down)
    bend = np.zeros_like(start)
    bend[:, along] = np.maximum(np.abs(end - start)[:, along] * 0.5, 8.0)  # as the painter curves them
    t, s = SHARES, 1 - SHARES
    points = s**3 * start + 3 * s * s * t * (start + bend) + 3 * s * t * t * (end - bend) + t**3 * end
    pieces = np.diff(points, axis=0)
    lengths = np.maximum((pieces * pieces).sum(axis=2), 1e-9)
    share = np.clip(-(points[:-1] * pieces).sum(axis=2) / lengths, 0.0, 1.0)
    away = points[:-1] + pieces * share[..., None]
    distances: Floats = np.sqrt((away * away).sum(axis=2).min(axis=0))
    return distances


def _distance(scene: Scene, camera: Camera, row: int, point: QPointF, drift: Drift = STILL) -> float:
    return _to_path(continuation(scene, camera, row, drift), point)


def _to_path(path: QPainterPath, point: QPointF) -> float:
    corners = (path.pointAtPercent(i / SAMPLES) for i in range(SAMPLES + 1))
    return min(_to_line(point, a, b) for a, b in pairwise(corners))


def _to_line(point: QPointF, start: QPointF, end: QPointF) -> float:
    """Return the distance of a point from a piece of a line."""
    along, off = end - start, point - start
    length = QPointF.dotProduct(along, along)
    share = 0.0 if length == 0 else min(1.0, max(0.0, QPointF.dotProduct(off, along) / length))
    away = off - along * share
    distance: float = QPointF.dotProduct(away, away) ** 0.5
    return distance


def far_end(scene: Scene, camera: Camera, row: int, line: ReferenceLine | None, point: QPointF) -> int:
    """The row of the end that is farther from a point of the viewport: of the edge into a card, or a line."""
    path = continuation(scene, camera, row) if line is None else reference_path(scene, camera, line)
    start, end = path.pointAtPercent(0) - point, path.pointAtPercent(1) - point
    nearer_start = QPointF.dotProduct(start, start) < QPointF.dotProduct(end, end)
    return row if nearer_start else (scene.index.parent(row) if line is None else line.source)


def paint_hovered(painter: QPainter, scene: Scene, camera: Camera, row: int, drift: Drift) -> None:
    """Draw the edge under the pointer thick."""
    painter.setPen(QPen(theme.colour("accent.base"), WIDTH))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(continuation(scene, camera, row, drift))
