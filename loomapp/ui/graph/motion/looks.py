"""A look at the graph that can be kept: a card, where it stands from the middle of the view, and the zoom."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QPointF

from loomapp.ui.graph.motion.camera import LARGEST, Camera
from loomapp.ui.graph.motion.card_moves import anchors
from loomapp.ui.graph.scene.scene import Scene


class GraphLook(NamedTuple):
    """`key` names a card; `x` and `y` are where its upper left corner is, in px from the view's middle.

    `whole`: all of the current card was in view, and is to be in a view of another size too.
    """

    key: str
    x: float
    y: float
    zoom: float
    whole: bool = False


def look_at(scene: Scene, camera: Camera) -> GraphLook | None:
    """Return the place that is looked at now; None if no card is in view."""
    found = next(iter(anchors(scene, camera)), None)
    if found is None:
        return None
    by, row = found.point - _middle(camera), _current_row(scene)
    whole = row is not None and camera.seen.holds(scene.box(row))
    return GraphLook(found.card, by.x(), by.y(), camera.zoom, whole)


def looking(scene: Scene, camera: Camera, look: GraphLook) -> Camera | None:
    """Return the camera for a place that was kept; None if its card is gone."""
    row = scene.places.row_of_card(look.key)
    if row is None:
        return None
    zoom = min(max(look.zoom, camera.smallest), LARGEST)
    box, point = scene.box(row), _middle(camera) + QPointF(look.x, look.y)
    there = replace(camera, zoom=zoom).with_point(QPointF(box.left, box.top), point)
    current = _current_row(scene) if look.whole else None
    if current is None or there.seen.holds(scene.box(current)):
        return there
    return there.showing(scene.box(current))


def _current_row(scene: Scene) -> int | None:
    return None if scene.current is None else scene.row_of(scene.current)


def _middle(camera: Camera) -> QPointF:
    return QPointF(camera.width / 2, camera.height / 2)
