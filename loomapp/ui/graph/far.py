"""The view from afar: cards as tinted blocks, and when there are too many of them as an image of dots."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from loomapp.core.layout import Ints
from loomapp.ui import theme
from loomapp.ui.graph.blocks import draw_lines, draw_rects
from loomapp.ui.graph.camera import Camera
from loomapp.ui.graph.scene import Scene

if TYPE_CHECKING:
    from loomapp.ui.graph.painter import Painted

Inks: TypeAlias = NDArray[np.uint32]

BIG_BLOCKS = 0.1  # above this zoom blocks are large enough to be seen in a soft tint
MANY = 6_000  # blocks, from which on an image is faster
MANY_FOLDS = 2_000  # tabs, from which on they are a haze too
TAB = 3.0  # px
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
    _mark_folds(painter, scene, camera)
    # The path and the current node stay findable however far away.
    seen_path = path[np.isin(path, rows)] if len(rows) <= MANY else path
    _draw_blocks(painter, scene, camera, seen_path, strong, least=2.0)
    _outline_path(painter, scene, camera, seen_path)


def _mark_folds(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """A tab at the far edge of each block that hides others."""
    if not 0 < len(scene.places.folded) <= MANY_FOLDS:
        return
    found = (scene.row_of_card(card) for card, count in scene.places.folded.items() if count)
    rows = np.array([row for row in found if row is not None], np.int64)
    left, top = scene.index.corners(rows)
    x, y = (left - camera.left) * camera.scale_x, (top - camera.top) * camera.scale_y
    wide, high = scene.index.width * camera.scale_x, scene.index.heights(rows) * camera.scale_y
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("text.secondary"))
    if scene.is_down:
        draw_rects(painter, x + wide / 4, y + high, wide / 2, np.full(len(rows), TAB))
    else:
        draw_rects(painter, x + wide, y + high / 4, TAB, high / 2)


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
    ratio = painter.device().devicePixelRatioF()
    origin = QPointF(
        -camera.left * camera.scale_x - exposed.left(), -camera.top * camera.scale_y - exposed.top()
    )
    scales = (camera.scale_x * ratio, camera.scale_y * ratio)
    image = density(scene, rows, exposed.size() * ratio, origin * ratio, scales, quieted)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(exposed.topLeft(), image)


def density(
    scene: Scene, rows: Ints, size: QSize, origin: QPointF, scales: tuple[float, float], quieted: float
) -> QImage:
    """An image of a size in device px with the cards' tints where they are; the canvas' 0, 0 at `origin`."""
    index, (scale_x, scale_y) = scene.index, scales
    left, top = index.corners(rows)
    x, y = (left * scale_x + origin.x()).astype(np.int32), (top * scale_y + origin.y()).astype(np.int32)
    tints = scene.tints_of(rows)
    colours = [theme.mixed(tint, "surface.raised", quieted).rgb() for tint in scene.tints]
    inks = np.array(colours, np.uint32)[tints]
    pixels = np.zeros((max(1, size.height()), max(1, size.width())), np.uint32)
    if scene.is_down:
        _fill_levels(pixels.T, y, x, inks, index.frame.tallest * scale_y, index.width * scale_x)
    else:
        _fill_levels(pixels, x, y, inks, index.width * scale_x, 1.0)
    high, wide = pixels.shape
    return QImage(pixels.data, wide, high, wide * 4, QImage.Format.Format_ARGB32_Premultiplied).copy()


def _fill_levels(pixels: Inks, deep: Ints, along: Ints, inks: Inks, depth: float, size: float) -> None:
    """Fill rows `along` of the columns that each level takes; all cards of a level have one `deep`."""
    lines, room = pixels.shape
    inside = (along >= 0) & (along < lines)
    deep, along, inks = deep[inside], along[inside], inks[inside]
    order = np.argsort(deep, kind="stable")
    deep, along, inks = deep[order], along[order], inks[order]
    for first, end in pairwise([*np.flatnonzero(np.diff(deep, prepend=-(2**31))).tolist(), len(deep)]):
        begin, until = max(0, int(deep[first])), min(room, int(deep[first]) + max(1, int(depth)))
        line = np.zeros(lines, np.uint32)
        for step in range(max(1, int(size))):
            line[np.minimum(along[first:end] + step, lines - 1)] = inks[first:end]
        seen = line != 0
        if until > begin:
            pixels[seen, begin:until] = line[seen, None]
