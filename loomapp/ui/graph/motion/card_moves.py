"""Moves: where the cards in view are painted, and the drift that brings them from there to other places."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF

from loomapp.ui.graph.motion.anchor import painted_rect
from loomapp.ui.graph.motion.camera import Camera, detail
from loomapp.ui.graph.motion.drift import STILL, Drift
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box

LEAST_DRIFT = 1.5  # px that are worth a movement


def corners(scene: Scene, camera: Camera, drift: Drift) -> dict[str, QPointF]:
    """Return the corners of the cards in view as they are painted in the viewport, by card; none from afar,
    where nothing glides.
    """
    if detail(camera.zoom) == "blocks":
        return {}
    index = scene.index
    rows = drift.with_moving(index.rows_in(camera.seen.grown(index.pitch))).tolist()
    return {scene.card(row): painted_rect(scene, camera, drift, row).topLeft() for row in rows}


def row_at(scene: Scene, camera: Camera, drift: Drift, point: QPointF) -> int | None:
    """The card that is painted at a point of the viewport; of several on their way the one on top."""
    x, y = camera.to_canvas(point).toTuple()
    if not drift:
        return scene.row_at(x, y)
    rows = drift.with_moving(scene.index.rows_in(Box(x, y, x, y)))[::-1].tolist()
    return next((row for row in rows if painted_rect(scene, camera, drift, row).contains(point)), None)


def drift_from(before: Mapping[str, QPointF], scene: Scene, camera: Camera) -> Drift:
    """Return the drift that brings the cards that were in view from their old places to their new ones."""
    if not before:
        return STILL
    index, offsets = scene.index, {}
    for row in index.rows_in(camera.seen.grown(index.pitch)).tolist():
        box, was = scene.box(row), before.get(scene.card(row))
        if was is not None:
            by = camera.to_canvas(was) - QPointF(box.left, box.top)
        elif index.parent(row) >= 0:  # a new card grows from its parent's edge
            by = QPointF(0, -index.frame.gap) if scene.is_down else QPointF(-index.frame.gap, 0)
        else:
            continue
        if by.manhattanLength() * camera.zoom > LEAST_DRIFT:
            offsets[row] = by
    return Drift(offsets)
