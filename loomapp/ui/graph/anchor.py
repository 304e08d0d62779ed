"""The anchor: what stays where it is on the screen when cards move, and the first look at a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF

from loomapp.ui.graph.camera import MARGIN, Camera
from loomapp.ui.graph.index import Box
from loomapp.ui.graph.scene import Scene

MOST = 60  # cards that are remembered as anchors
READABLE = 0.85  # the smallest zoom to greet someone with


class Anchor(NamedTuple):
    """A card and where its upper left corner is in the viewport."""

    card: str
    point: QPointF


def anchors(scene: Scene, camera: Camera) -> list[Anchor]:
    """The cards in view: the current one first, then from the middle outwards."""
    index = scene.index
    middle = camera.to_canvas(QPointF(camera.width / 2, camera.height / 2))
    current = None if scene.current is None else scene.row_of(scene.current)

    def far(row: int) -> float:
        if row == current:
            return -1.0
        box = index.box(row)
        return abs(box.left - middle.x()) + abs((box.top + box.bottom) / 2 - middle.y())

    rows = index.rows_in(camera.seen)
    if len(rows) > MOST:  # far away: what is nearest to the middle will do
        left, top = index.corners(rows)
        rows = rows[np.argsort(np.abs(left - middle.x()) + np.abs(top - middle.y()))[:MOST]]
        rows = rows if current is None else np.append(rows, current)
    found = sorted(set(rows.tolist()), key=far)
    return [Anchor(scene.card(row), _corner(index.box(row), camera)) for row in found]


def _corner(box: Box, camera: Camera) -> QPointF:
    return camera.to_view(box.left, box.top)


def held(scene: Scene, camera: Camera, anchors: Sequence[Anchor]) -> Camera:
    """The camera with the first anchor that still has a card where it was."""
    for anchor in anchors:
        row = scene.row_of_card(anchor.card)
        if row is not None:
            box = scene.index.box(row)
            return camera.with_point(QPointF(box.left, box.top), anchor.point)
    return camera


def home(scene: Scene, camera: Camera) -> Camera:
    """The first look: the whole tree if it can be read whole, else the current card at 100 %.

    No room is given to empty desk, but for the column in which answers will appear.
    """
    whole = camera.fitted(scene.index.bounds)
    if whole.zoom >= READABLE or not len(scene.index):
        return whole
    row = None if scene.current is None else scene.row_of(scene.current)
    if row is None:
        path = scene.path_rows()
        row = int(path[-1]) if len(path) else 0
    bounds = scene.index.bounds
    if scene.index.frame.direction == "right":
        filled = bounds._replace(right=bounds.right + scene.index.pitch).grown(MARGIN)
    else:
        filled = bounds._replace(bottom=bounds.bottom + scene.index.pitch).grown(MARGIN)
    look = replace(camera, zoom=1.0).centred_on(scene.box(row))
    seen = look.seen
    return replace(
        look,
        left=seen.left - _spare(seen.left, seen.right, filled.left, filled.right),
        top=seen.top - _spare(seen.top, seen.bottom, filled.top, filled.bottom),
    )


def _spare(low: float, high: float, first: float, last: float) -> float:
    """How far a view of low…high goes back to show no more than needed beyond first…last."""
    if high - low >= last - first:
        return 0.0
    return max(0.0, high - last) - max(0.0, first - low)
