"""The anchor: what stays where it is on the screen when cards move, and the first look at a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from loomapp.ui.graph.motion.camera import CARD_ZOOM, MARGIN, Camera
from loomapp.ui.graph.motion.drift import STILL, Drift
from loomapp.ui.graph.scene.scene import Scene

MOST = 60  # cards that are remembered as anchors
READABLE = 0.85  # the smallest zoom to greet someone with
NARROW_COLUMNS = 2.5  # a view with room for fewer columns of cards is greeted with smaller ones


class Anchor(NamedTuple):
    """A card and where its upper left corner is in the viewport."""

    card: str
    point: QPointF


def anchors(scene: Scene, camera: Camera, drift: Drift = STILL, *, handled: str = "") -> list[Anchor]:
    """The cards in view, where they are painted now: the one that is `handled` by the pointer first, the
    current one, then from the middle outwards."""
    index = scene.index
    middle = camera.to_canvas(QPointF(camera.width / 2, camera.height / 2))
    current = None if scene.current is None else scene.row_of(scene.current)
    leading = [row for row in (scene.places.row_of_card(handled), current) if row is not None]
    rows = drift.with_moving(index.rows_in(camera.seen))
    if len(rows) > MOST:  # far away: what is nearest to the middle will do
        left, top = index.corners(rows)
        nearest = rows[np.argsort(np.abs(left - middle.x()) + np.abs(top - middle.y()))[:MOST]]
        rows = np.append(nearest, [row for row in leading if row in rows]).astype(rows.dtype)

    def far(place: tuple[int, QRectF]) -> float:
        row, rect = place
        if row in leading:
            return float(leading.index(row) - len(leading))
        by = camera.to_canvas(QPointF(rect.left(), rect.center().y())) - middle
        return by.manhattanLength()

    seen = QRectF(0, 0, camera.width, camera.height)
    painted = ((row, painted_rect(scene, camera, drift, row)) for row in set(rows.tolist()))
    found = sorted(((row, rect) for row, rect in painted if rect.intersects(seen)), key=far)
    return [Anchor(scene.card(row), rect.topLeft()) for row, rect in found]


def painted_rect(scene: Scene, camera: Camera, drift: Drift, row: int) -> QRectF:
    """Return the rectangle in which a card is painted in the viewport, which is not yet its place while it
    drifts.
    """
    return camera.rect(scene.box(row)).translated(drift.offset(row) * camera.zoom)


def held(scene: Scene, camera: Camera, anchors: Sequence[Anchor]) -> Camera:
    """Return the camera with the first anchor that still has a card where it was."""
    for anchor in anchors:
        row = scene.places.row_of_card(anchor.card)
        if row is not None:
            box = scene.box(row)
            return camera.with_point(QPointF(box.left, box.top), anchor.point)
    return camera


def home(scene: Scene, camera: Camera) -> Camera:
    """The first look: the whole tree if it can be read whole, else the current card at 100 %; in a narrow
    view at the zoom of one line a card, so that more than a card and a half is seen.

    No room is given to empty desk, but for the column in which answers will appear.
    """
    pitch, is_across = scene.index.pitch, scene.index.frame.direction == "right"
    is_narrow = is_across and camera.width < NARROW_COLUMNS * pitch
    whole = camera.fitted(scene.index.bounds)
    if whole.zoom >= (CARD_ZOOM if is_narrow else READABLE) or not len(scene.index):
        return whole
    row = None if scene.current is None else scene.row_of(scene.current)
    if row is None:
        path = scene.path_rows()
        row = int(path[-1]) if len(path) else 0
    bounds = scene.index.bounds
    if is_across:
        filled = bounds._replace(right=bounds.right + pitch).grown(MARGIN)
    else:
        filled = bounds._replace(bottom=bounds.bottom + pitch).grown(MARGIN)
    look = replace(camera, zoom=CARD_ZOOM if is_narrow else 1.0).centred_on(scene.box(row))
    seen = look.seen
    return replace(
        look,
        left=seen.left - _spare(seen.left, seen.right, filled.left, filled.right),
        top=seen.top - _spare(seen.top, seen.bottom, filled.top, filled.bottom),
    )


def _spare(low: float, high: float, first: float, last: float) -> float:
    """Return the distance that a view of low…high goes back to show no more than needed beyond first…last."""
    if high - low >= last - first:
        return 0.0
    return max(0.0, high - last) - max(0.0, first - low)
