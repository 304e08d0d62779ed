"""The view from afar: cards as tinted blocks, and when there are too many of them as an image of dots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from loomapp.core.layout import Ints
from loomapp.ui import theme
from loomapp.ui.graph.blocks import draw_lines, draw_rects
from loomapp.ui.graph.camera import Camera
from loomapp.ui.graph.scene import Scene

if TYPE_CHECKING:
    from loomapp.ui.graph.painter import Painted

BIG_BLOCKS = 0.1  # above this zoom blocks are large enough to be seen in a soft tint
MANY = 6_000  # blocks, from which on an image is faster
MANY_EDGES = 12_000  # lines that are a mere haze


def paint(painter: QPainter, scene: Scene, camera: Camera, exposed: QRect, painted: Painted) -> None:
    """Draw what is exposed."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    area = camera.box(QRectF(exposed)).grown(2)
    rows = scene.index.rows_in(area)
    painted.cards = len(rows)
    if camera.scale_y * scene.index.width > 6 and len(rows) < MANY_EDGES:
        edges = scene.index.edges_in(area)
        painted.edges = len(edges)
        painter.setPen(QPen(theme.colour("border.normal"), 0))
        _draw_edges(painter, scene, camera, edges)
    path = scene.path_rows()
    painter.setPen(QPen(theme.colour("accent.base"), 2 if camera.zoom > BIG_BLOCKS else 1))
    _draw_edges(painter, scene, camera, path)
    soft, strong = (0.7, 0.4) if camera.zoom > BIG_BLOCKS else (0.45, 0.0)
    if len(rows) > MANY:
        _draw_density(painter, scene, camera, rows, exposed, soft)
    else:
        _draw_blocks(painter, scene, camera, rows, soft, least=1.0)
    # The path and the current node stay findable however far away.
    seen_path = path[np.isin(path, rows)] if len(rows) <= MANY else path
    _draw_blocks(painter, scene, camera, seen_path, strong, least=2.0)
    _outline_path(painter, scene, camera, seen_path)


def _outline_path(painter: QPainter, scene: Scene, camera: Camera, rows: Ints) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    current = None if scene.current is None else scene.row_of(scene.current)
    outlined = rows.tolist() if camera.zoom > BIG_BLOCKS else []
    for row in {*outlined, current} - {None}:
        rect = camera.rect(scene.box(row))
        grown = max(0.0, 6.0 - rect.height()) / 2 if row == current else 0.0
        painter.setPen(QPen(theme.colour("accent.base"), 2 if row == current else 1))
        painter.drawRect(rect.adjusted(0, -grown, 0, grown).toAlignedRect().adjusted(-1, -1, 0, 0))


def _draw_edges(painter: QPainter, scene: Scene, camera: Camera, rows: Ints) -> None:
    """Straight lines to the given rows from their parents."""
    x1, y1, x2, y2 = scene.index.ends(scene.index.linked(rows))
    draw_lines(
        painter,
        (x1 - camera.left) * camera.scale_x,
        (y1 - camera.top) * camera.scale_y,
        (x2 - camera.left) * camera.scale_x,
        (y2 - camera.top) * camera.scale_y,
    )


def _draw_blocks(
    painter: QPainter, scene: Scene, camera: Camera, rows: Ints, quieted: float, *, least: float
) -> None:
    """Blocks in their authors' tints, mixed towards the surface, at least so many px high."""
    index = scene.index
    x, y = index.corners(rows)
    starts = scene.lefts(rows, x.copy())
    left = (starts - camera.left) * camera.scale_x
    width = (x + index.width - starts) * camera.scale_x
    high = index.heights(rows) * camera.scale_y
    grown = np.maximum(0.0, least - high)
    top = (y - camera.top) * camera.scale_y - grown / 2
    tints = scene.tints_of(rows)
    painter.setPen(Qt.PenStyle.NoPen)
    for number, tint in enumerate(scene.tints):
        chosen = tints == number
        painter.setBrush(theme.mixed(tint, "surface.raised", quieted))
        draw_rects(painter, left[chosen], top[chosen], width[chosen], (high + grown)[chosen])


def _draw_density(
    painter: QPainter, scene: Scene, camera: Camera, rows: Ints, exposed: QRect, quieted: float
) -> None:
    """One image with the cards' tints where they are; later cards cover earlier ones."""
    ratio = painter.device().devicePixelRatioF()
    wide, high = max(1, round(exposed.width() * ratio)), max(1, round(exposed.height() * ratio))
    left, top = scene.index.corners(rows)
    scale_x, scale_y = camera.scale_x * ratio, camera.scale_y * ratio
    x = ((left - camera.left) * scale_x - exposed.left() * ratio).astype(np.int32)
    y = ((top - camera.top) * scale_y - exposed.top() * ratio).astype(np.int32)
    tints = scene.tints_of(rows)
    colours = [theme.mixed(tint, "surface.raised", quieted).rgb() for tint in scene.tints]
    inks = np.array(colours, np.uint32)[tints]
    pixels = np.zeros((high, wide), np.uint32)
    inside = (y >= 0) & (y < high)
    x, y, inks = x[inside], y[inside], inks[inside]
    for step in range(max(1, int(scene.index.width * scale_x))):
        at = x + step
        seen = (at >= 0) & (at < wide)
        pixels[y[seen], at[seen]] = inks[seen]
    image = QImage(pixels.data, wide, high, wide * 4, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(exposed.topLeft(), image)
