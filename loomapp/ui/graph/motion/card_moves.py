"""Moves of cards: their drift, where they are painted meanwhile, what stays in place, looks that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from loomapp.core.layout.cards import Floats, Ints
from loomapp.ui.graph.motion.camera import CARD_ZOOM, LARGEST, MARGIN, Camera, detail
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box

NOWHERE = QPointF()


class Drift:
    """Offsets of some rows from their places, in px of the canvas; `left` says how much of them is left."""

    def __init__(self, offsets: Mapping[int, QPointF]) -> None:
        self._offsets = offsets
        self._rows = np.array(sorted(offsets), np.int64)
        self.left = 1.0

    def __bool__(self) -> bool:
        return bool(self._offsets) and self.left > 0

    def offset(self, row: int) -> QPointF:
        """Return the distance of a card from its place."""
        if not self._offsets or row not in self._offsets:
            return NOWHERE
        return self._offsets[row] * self.left

    def offsets(self, rows: Ints) -> Floats:
        """Return the distances of several cards from their places, x and y."""
        away = map(self.offset, rows.tolist()) if self else ()
        found: Floats = np.array([by.toTuple() for by in away] or [(0.0, 0.0)])
        return found

    def with_moving(self, rows: Ints) -> Ints:
        """Return some rows, ascending, and those that are on their way."""
        if not self:
            return rows
        # Not np.union1d: its first call imports much, while a frame is painted.
        both = np.sort(np.concatenate((rows, self._rows)))
        return both[np.concatenate(([True], both[1:] != both[:-1]))]


STILL = Drift({})


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

    No room is given to empty desk, but for the column in which answers will appear, and of that only what
    leaves the cards at the left edge whole.
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
    there = replace(
        look,
        left=seen.left - _spare(seen.left, seen.right, filled.left, filled.right),
        top=seen.top - _spare(seen.top, seen.bottom, filled.top, filled.bottom),
    )
    seen = there.seen
    cut = seen.left - min(scene.box(near).left for near in (row, *scene.index.rows_in(seen).tolist()))
    is_room = cut + MARGIN <= seen.right - scene.box(row).right - MARGIN
    return replace(there, left=there.left - cut - MARGIN) if is_across and cut > 0 and is_room else there


def resized(scene: Scene, camera: Camera, width: float, height: float) -> Camera:
    """Return the camera for a view of another size. The corner stays, but what is won shows cards that were
    out of view before it shows empty desk beyond the last ones.
    """
    there, bounds = camera.sized(width, height, scene.index.bounds), scene.index.bounds.grown(MARGIN)
    if not camera.width or not len(scene.index):
        return there
    before, seen, pitch = camera.seen, there.seen, scene.index.pitch
    right, bottom = (0.0, pitch) if scene.is_down else (pitch, 0.0)  # for answers to come
    x = min(seen.right - before.right, seen.right - bounds.right - right, seen.left - bounds.left)
    y = min(seen.bottom - before.bottom, seen.bottom - bounds.bottom - bottom, seen.top - bounds.top)
    return replace(there, left=there.left - max(0.0, x), top=there.top - max(0.0, y))


def together(scene: Scene, camera: Camera, rows: Sequence[int]) -> Box:
    """Return the box of as many cards as the view has room for, from the first one on; where it has room for
    them too, with their parents, and with the column in which answers will appear.
    """
    index, shown, parents = scene.index, scene.box(rows[0]), dict.fromkeys([scene.index.parent(rows[0])])
    for row in rows[1:]:
        wider = shown.united(scene.box(row))
        if not camera.has_room_for(wider):
            break
        shown = wider
        parents[index.parent(row)] = None
    for parent in parents:
        wider = shown.united(scene.box(parent)) if parent >= 0 else shown
        shown = wider if camera.has_room_for(wider) else shown
    if index.frame.direction == "right":
        wider = shown._replace(right=shown.right + index.pitch)
    else:
        wider = shown._replace(bottom=shown.bottom + index.pitch)
    return wider if camera.has_room_for(wider) else shown


def _spare(low: float, high: float, first: float, last: float) -> float:
    """Return the distance that a view of low…high goes back to show no more than needed beyond first…last."""
    if high - low >= last - first:
        return 0.0
    return max(0.0, high - last) - max(0.0, first - low)


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
