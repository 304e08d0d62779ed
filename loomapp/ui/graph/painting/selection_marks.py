"""Marks of selected cards: of those in view, and of very many those that can be told apart."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPen

from loomapp.core.layout.arrays import Ints
from loomapp.ui.graph.motion.camera import Camera
from loomapp.ui.graph.painting.blocks import draw_rects
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme

ONE_BY_ONE = 500  # marks; of more the picture is the same without those that lie upon others
APART = 8.0  # px; a mark is at least as wide
REACH = 12.0  # px that a mark stands out of its card

AROUND = 3.5  # px that the line around a block stands out of it

NOTHING: Ints = np.zeros(0, np.int64)


class ChosenMarks:
    """Marks of selected cards, found anew where the cards or the selection change."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._rows = NOTHING
        self._seen_by: Camera | None = None
        self._seen = NOTHING

    def rows(self, scene: Scene, camera: Camera) -> Ints:
        """Return the rows of the cards to be marked."""
        if not scene.chosen:
            return NOTHING
        of = scene.chosen, scene.places.stamp, scene.places.index
        if of != self._of:
            self._of, self._rows, self._seen_by = of, scene.rows_of(scene.chosen), None
        if camera != self._seen_by:
            self._seen_by, self._seen = camera, _told_apart(scene, camera, self._rows)
        return self._seen

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Mark blocks, which are too many to be marked one by one."""
        index, rows = scene.index, self.rows(scene, camera)
        left, top = index.corners(rows)
        x, y = (left - camera.left) * camera.scale_x, (top - camera.top) * camera.scale_y
        wide, high = index.width * camera.scale_x, index.heights(rows) * camera.scale_y
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(QPen(theme.colour("accent.base"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        draw_rects(painter, x - AROUND, y - AROUND, wide + 2 * AROUND, high + 2 * AROUND)
        painter.restore()


def _told_apart(scene: Scene, camera: Camera, rows: Ints) -> Ints:
    index = scene.index
    left, top = index.corners(rows)
    x, y = (left - camera.left) * camera.scale_x, (top - camera.top) * camera.scale_y
    wide, high = index.width * camera.scale_x, index.heights(rows) * camera.scale_y
    seen = (x <= camera.width + REACH) & (x + wide >= -REACH)
    seen &= (y <= camera.height + REACH) & (y + high >= -REACH)
    rows, x, y = rows[seen], x[seen], y[seen]
    if len(rows) <= ONE_BY_ONE:
        return rows
    column, line = np.floor(x / APART).astype(np.int64), np.floor(y / APART).astype(np.int64)
    _, firsts = np.unique(column * (1 << 32) + line, return_index=True)
    apart: Ints = rows[np.sort(firsts)]
    return apart
