"""Signs that stay from afar: a dot on what nobody has looked at yet, a mark where nothing can be sent."""

from __future__ import annotations

from itertools import islice

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from loomapp.core.layout.arrays import Floats
from loomapp.ui.graph.motion.camera import Camera
from loomapp.ui.graph.painting.blocks import draw_rects
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON

MOST = 500  # unread cards that are marked, of more any; they cost some microseconds each
DOT = 6.0  # px across
RIM = 1.0  # px of the desk around a sign
MARK = 12.0


def paint_signs(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Draw the signs over the blocks, in a size that does not shrink with them."""
    _paint_unread(painter, scene, camera)
    _paint_refused(painter, scene, camera)


def _paint_unread(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint a dot on the corner of each unread block, as on its card; one where several fall together."""
    x, y = _unread_corners(scene, camera)
    seen = (x > -DOT) & (x < camera.width + DOT) & (y > -DOT) & (y < camera.height + DOT)
    cells = np.column_stack((x[seen], y[seen])) // (DOT / 2)
    if not len(cells):
        return
    _, apart = np.unique(cells, axis=0, return_index=True)
    x, y = x[seen][apart], y[seen][apart]
    painter.setPen(Qt.PenStyle.NoPen)
    for role, wide in (("surface.canvas", DOT + 2 * RIM), ("accent.base", DOT)):
        painter.setBrush(theme.colour(role))
        for across, down in ((wide, wide - 2), (wide - 2, wide)):  # two make a dot, and thousands are quick
            draw_rects(painter, x - across / 2, y - down / 2, across, np.full(len(x), down))


def _unread_corners(scene: Scene, camera: Camera) -> tuple[Floats, Floats]:
    """Return the upper right corners of unread cards, in the viewport."""
    found = {row for row in map(scene.row_of, islice(scene.unread, MOST)) if row is not None}
    rows = np.array([row for row in found if scene.key(row) in scene.unread], np.int64)
    left, top = scene.index.corners(rows)
    x: Floats = (left + scene.index.width - camera.left) * camera.scale_x
    y: Floats = (top - camera.top) * camera.scale_y
    return x, y


def _paint_refused(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Draw a sign beside the current block: where it cannot be sent, nothing of its path can."""
    row = None if scene.current is None else scene.row_of(scene.current)
    if row is None or scene.fate(row) != "refused":
        return
    block = camera.rect(scene.box(row))
    mark = QRectF(0, 0, MARK, MARK)
    mark.moveCenter(QPointF(block.right() + MARK, block.center().y()))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("surface.canvas"))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawEllipse(mark.adjusted(-RIM, -RIM, RIM, RIM))
    theme.paint(painter, REFUSED_ICON, "text.primary", mark)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
