"""View from afar: tinted blocks or dots, thousands in one call, and signs: unread, failed, not to be sent."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TypeAlias, cast

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from loomapp.core.dataclass import dataclass
from loomapp.core.layout.cards import Floats, Ints
from loomapp.ui.graph.motion.camera import Camera
from loomapp.ui.graph.painting.edges import thinned
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON

MOST = 500  # unread cards that are marked, of more any; they cost some microseconds each
DOT = 6.0  # px across
RIM = 1.0  # px of the desk around a sign
MARK = 12.0


def paint_signs(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Draw the signs over the blocks, in a size that does not shrink with them."""
    _paint_failed(painter, scene, camera)
    _paint_unread(painter, scene, camera)
    _paint_refused(painter, scene, camera)


def _paint_failed(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Draw the edge of an error around the block of each answer that failed, as its card has it."""
    failed = (key for key, live in scene.drafts.items() if live.draft.error is not None)
    rows = [row for row in map(scene.row_of, failed) if row is not None]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.colour("state.error"), 2))
    for row in rows:
        painter.drawRect(camera.rect(scene.box(row)).toAlignedRect())


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
    theme.draw_in(painter, fill="surface.canvas")
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawEllipse(mark.adjusted(-RIM, -RIM, RIM, RIM))
    theme.paint(painter, REFUSED_ICON, "text.primary", mark)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


Inks: TypeAlias = NDArray[np.uint32]

BIG_BLOCKS = 0.1  # above this zoom blocks are large enough to be seen in a soft tint
MANY = 6_000  # blocks, from which on an image is faster
MANY_FOLDS = 2_000  # tabs, from which on they are a haze too
MANY_ON_PATH = 3_000  # cards, from which on only those are drawn that can be told apart
TAB = 3.0  # px
ROOM = 240  # px around the view that an image of dots has


class Afar:
    """Paints scenes from afar. Keeps the image of dots with some room around the view, for panning."""

    def __init__(self) -> None:
        self._image = QImage()
        self._place = QRectF()  # of the image, in px from the canvas' 0, 0
        self._key: tuple[object, ...] = ()
        self._count = 0

    def forget(self) -> None:
        self._key = ()

    def paint(
        self, painter: QPainter, scene: Scene, camera: Camera, exposed: QRect, painted: FrameCounts
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        path = _apart(scene, camera, _seen(scene, camera, exposed, scene.path_rows()))
        soft, strong = (0.7, 0.4) if camera.zoom > BIG_BLOCKS else (0.45, 0.0)
        if self._has(scene, camera, exposed, painter.device().devicePixelRatioF()):
            rows, painted.cards = None, self._count
        else:
            rows = scene.index.rows_in(camera.box(QRectF(exposed)).grown(2))
            painted.cards = len(rows)
            if len(rows) > MANY:
                self._draw_dots(scene, camera, soft, painter.device().devicePixelRatioF())
                self._count, rows = len(rows), None
        if rows is None:
            corner = QPointF(camera.left * camera.scale_x, camera.top * camera.scale_y)
            painter.drawImage((self._place.topLeft() - corner).toPoint(), self._image)
        elif camera.scale_y * scene.index.width > 6:
            edges = thinned(scene, scene.index.edges_in(camera.box(QRectF(exposed)).grown(2)), rows)
            painted.edges = len(edges)
            painter.setPen(QPen(theme.colour("border.normal"), 0))
            _draw_edges(painter, scene, camera, edges)
        painter.setPen(QPen(theme.colour("accent.base"), 2 if camera.zoom > BIG_BLOCKS else 1))
        _draw_edges(painter, scene, camera, path)
        if rows is not None:
            _draw_blocks(painter, scene, camera, rows, soft, least=1.0)
        _mark_folds(painter, scene, camera)
        # The path and the current node stay findable however far away.
        _draw_blocks(painter, scene, camera, path, strong, least=2.0)
        _outline_path(painter, scene, camera, path)
        paint_signs(painter, scene, camera)

    def _has(self, scene: Scene, camera: Camera, exposed: QRect, ratio: float) -> bool:
        """True if the kept image shows all that is exposed."""
        corner = QPointF(camera.left * camera.scale_x, camera.top * camera.scale_y)
        here = self._key == _key(scene, camera, ratio)
        return here and self._place.contains(QRectF(exposed).translated(corner))

    def _draw_dots(self, scene: Scene, camera: Camera, quieted: float, ratio: float) -> None:
        corner = QPointF(camera.left * camera.scale_x, camera.top * camera.scale_y)
        area = QRectF(-ROOM, -ROOM, camera.width + 2 * ROOM, camera.height + 2 * ROOM)
        self._place = area.translated(corner)
        rows = scene.index.rows_in(camera.box(area).grown(2))
        scales = (camera.scale_x * ratio, camera.scale_y * ratio)
        size = (area.size() * ratio).toSize()
        self._image = density(scene, rows, size, -self._place.topLeft() * ratio, scales, quieted)
        self._image.setDevicePixelRatio(ratio)
        self._key = _key(scene, camera, ratio)


def _key(scene: Scene, camera: Camera, ratio: float) -> tuple[object, ...]:
    return scene.places.stamp, camera.scale_x, camera.scale_y, ratio, tuple(scene.tinting.roles)


def _seen(scene: Scene, camera: Camera, exposed: QRect, rows: Ints) -> Ints:
    """Return those of some cards that are in sight, or whose edge may be."""
    left, top, right, bottom = camera.box(QRectF(exposed)).grown(2 * scene.index.pitch)
    x1, y1, x2, y2 = scene.index.ends(rows)
    across = (np.minimum(x1, x2) <= right) & (np.maximum(x1, x2) + scene.index.width >= left)
    seen: Ints = rows[across & (np.minimum(y1, y2) <= bottom) & (np.maximum(y1, y2) >= top)]
    return seen


def _apart(scene: Scene, camera: Camera, rows: Ints) -> Ints:
    """Return some cards without those that would be drawn on the very pixel of another."""
    if len(rows) <= MANY_ON_PATH:
        return rows
    left, top = scene.index.corners(rows)
    column = np.floor((left - camera.left) * camera.scale_x).astype(np.int64)
    line = np.floor((top - camera.top) * camera.scale_y).astype(np.int64)
    changes = (np.diff(column, prepend=column[0] - 1) != 0) | (np.diff(line, prepend=line[0]) != 0)
    apart: Ints = rows[changes]
    return apart


def _mark_folds(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Draw a tab at the far edge of each block that hides others."""
    if not 0 < len(scene.places.folded) <= MANY_FOLDS:
        return
    found = (scene.places.row_of_card(card) for card, count in scene.places.folded.items() if count)
    rows = np.array([row for row in found if row is not None], np.int64)
    left, top = scene.index.corners(rows)
    x, y = (left - camera.left) * camera.scale_x, (top - camera.top) * camera.scale_y
    wide, high = scene.index.width * camera.scale_x, scene.index.heights(rows) * camera.scale_y
    theme.draw_in(painter, fill="text.secondary")
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
    """Draw straight lines to the given rows from their parents."""
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
    for number, tint in enumerate(scene.tinting.roles):
        chosen = tints == number
        painter.setBrush(theme.mixed(tint, "surface.raised", quieted))
        draw_rects(painter, left[chosen], top[chosen], width[chosen], (high + grown)[chosen])


def density(
    scene: Scene, rows: Ints, size: QSize, origin: QPointF, scales: tuple[float, float], quieted: float
) -> QImage:
    """An image of a size in device px with the cards' tints where they are; the canvas' 0, 0 at `origin`."""
    index, (scale_x, scale_y) = scene.index, scales
    left, top = index.corners(rows)
    x, y = (left * scale_x + origin.x()).astype(np.int32), (top * scale_y + origin.y()).astype(np.int32)
    tints = scene.tints_of(rows)
    colours = [theme.mixed(tint, "surface.raised", quieted).rgb() for tint in scene.tinting.roles]
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
    if depth < 2 and size < 2:  # a dot each: of a hundred thousand levels many share a column
        inside = (deep >= 0) & (deep < room)
        pixels[along[inside], deep[inside]] = inks[inside]
        return
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


FAR = 30_000  # px; what lies further out is clipped here, before it overflows in Qt


def draw_rects(painter: QPainter, left: Floats, top: Floats, width: Floats | float, height: Floats) -> None:
    """Filled rectangles, each at least a pixel. A QRect is four ints, so no object is made for any."""
    if not len(left):
        return
    corners = np.empty((len(left), 4), np.int32)
    corners[:, 0] = np.clip(left, -FAR, FAR)
    corners[:, 1] = np.clip(top, -FAR, FAR)
    corners[:, 2] = np.clip(left + np.maximum(1.0, width), -FAR, FAR)
    corners[:, 3] = np.clip(top + np.maximum(1.0, height), -FAR, FAR)
    corners[:, 2:] = np.maximum(corners[:, 2:] - 1, corners[:, :2])  # QRect's right is the last pixel in it
    first = cast(QRect, shiboken6.wrapInstance(corners.ctypes.data, QRect))
    painter.drawRects(first, len(corners))


def draw_lines(painter: QPainter, x1: Floats, y1: Floats, x2: Floats, y2: Floats) -> None:
    """Draw straight lines. A QLineF is four doubles."""
    if not len(x1):
        return
    ends = np.clip(np.column_stack((x1, y1, x2, y2)), -FAR, FAR).astype(np.float64)
    ends = np.ascontiguousarray(ends)
    first = cast(QLineF, shiboken6.wrapInstance(ends.ctypes.data, QLineF))
    painter.drawLines(first, len(ends))


@dataclass(slots=True)
class FrameCounts:
    """Counts of what the last frame drew. `owed` are cards that still lack their pictures."""

    cards: int = 0
    edges: int = 0
    rendered: int = 0  # card pictures made anew
    owed: int = 0
