"""A look at the graph that can be kept: a card, where it stands from the middle of the view, and the zoom."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QPointF

from loomapp.ui.graph.anchor import anchors
from loomapp.ui.graph.camera import LARGEST, Camera
from loomapp.ui.graph.scene import Scene


class GraphLook(NamedTuple):
    """`key` names a card; `x` and `y` are where its upper left corner is, in px from the view's middle."""

    key: str
    x: float
    y: float
    zoom: float


def look_at(scene: Scene, camera: Camera) -> GraphLook | None:
    """What is looked at now; None if no card is in view."""
    found = next(iter(anchors(scene, camera)), None)
    if found is None:
        return None
    middle = _middle(camera)
    return GraphLook(found.card, found.point.x() - middle.x(), found.point.y() - middle.y(), camera.zoom)


def looking(scene: Scene, camera: Camera, look: GraphLook) -> Camera | None:
    """The camera for a look that was kept; None if its card is gone."""
    row = scene.row_of_card(look.key)
    if row is None:
        return None
    zoom = min(max(look.zoom, camera.smallest), LARGEST)
    box, point = scene.box(row), _middle(camera) + QPointF(look.x, look.y)
    return replace(camera, zoom=zoom).with_point(QPointF(box.left, box.top), point)


def _middle(camera: Camera) -> QPointF:
    return QPointF(camera.width / 2, camera.height / 2)
