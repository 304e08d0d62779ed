"""Painting the scene: edges and cards in the detail that the zoom can carry, cards kept as pictures."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from loomapp.core.layout import Ints
from loomapp.ui import theme
from loomapp.ui.graph.blocks import draw_lines, draw_rects
from loomapp.ui.graph.camera import BLOCK_ZOOM, CARD_ZOOM, Camera
from loomapp.ui.graph.cards import Face, paint_card, paint_line_card
from loomapp.ui.graph.index import Box
from loomapp.ui.graph.scene import Line, Scene

Detail: TypeAlias = Literal["cards", "lines", "blocks"]

PAD = 12  # px around a card's picture: sheets, shadow, edge
MOST_BYTES = 64 * 2**20  # of card pictures
DOTS = 28  # px between the dots of the desk
ARROW = 7.0
BIG_BLOCKS = 0.1  # above this zoom blocks are large enough to be seen in a soft tint


def detail(zoom: float) -> Detail:
    """What can be read at a zoom."""
    return "cards" if zoom > CARD_ZOOM else "lines" if zoom >= BLOCK_ZOOM else "blocks"


class EdgeStyle(NamedTuple):
    """How an edge is drawn, from the theme's `edge` table."""

    width: float
    colour: QColor
    dash: tuple[float, ...]
    arrow: bool

    def pen(self, zoom: float, ratio: float) -> QPen:
        """Its pen at a zoom, never thinner than a device pixel."""
        width = max(self.width * min(zoom, 1.5), 1 / ratio)
        pen = QPen(self.colour, width)
        if self.dash:
            pen.setDashPattern([max(0.1, length / self.width) for length in self.dash])
            round_dots = self.dash[0] <= 1
            pen.setCapStyle(Qt.PenCapStyle.RoundCap if round_dots else Qt.PenCapStyle.FlatCap)
        return pen


def edge_style(name: str) -> EdgeStyle:
    """One entry of the theme's `edge` table."""
    entry = theme.token(f"edge.{name}")
    assert isinstance(entry, dict)
    dash = tuple(float(length) for length in entry.get("dash", ()))
    return EdgeStyle(float(entry["width"]), theme.colour(entry["role"]), dash, bool(entry.get("arrow")))


@dataclass(slots=True)
class Painted:
    """What the last frame drew; for tests and benches."""

    cards: int = 0
    edges: int = 0
    rendered: int = 0  # card pictures made anew


class ScenePainter:
    """Draws scenes. Keeps pictures of cards by face and size, the least recently used go first."""

    def __init__(self) -> None:
        self.painted = Painted()
        self._pictures: OrderedDict[tuple[Face, Detail, float, float], QPixmap] = OrderedDict()
        self._bytes = 0

    def forget(self) -> None:
        """Drop every picture: the theme changed."""
        self._pictures.clear()
        self._bytes = 0

    def paint(
        self, painter: QPainter, scene: Scene, camera: Camera, exposed: QRect, crisp_zoom: float
    ) -> None:
        """Draw what is exposed. Cards are drawn from pictures made for `crisp_zoom`, scaled if it differs."""
        self.painted = Painted()
        ratio = painter.device().devicePixelRatioF()
        painter.fillRect(exposed, theme.colour("surface.canvas"))
        level = detail(camera.zoom)
        if level == "blocks":
            self._paint_blocks(painter, scene, camera, exposed)
            return
        self._paint_desk(painter, camera, exposed)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = camera.box(QRectF(exposed)).grown(PAD / camera.zoom)
        self._paint_edges(painter, scene, camera, area, ratio)
        zoom = crisp_zoom if detail(crisp_zoom) == level else camera.zoom
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=zoom != camera.zoom)
        for row in scene.index.rows_in(area).tolist():
            self._paint_card(painter, scene, camera, row, level, zoom, ratio)

    def _paint_desk(self, painter: QPainter, camera: Camera, exposed: QRect) -> None:
        """Faint dots that move with the canvas, so that panning over empty desk is felt."""
        step = DOTS * camera.zoom
        if step < 14:
            return
        left = exposed.left() + (-camera.left * step / DOTS - exposed.left()) % step
        top = exposed.top() + (-camera.top * step / DOTS - exposed.top()) % step
        x = np.arange(left, exposed.right() + 1, step)
        y = np.arange(top, exposed.bottom() + 1, step)
        across, down = np.meshgrid(x, y)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("border.subtle"))
        draw_rects(painter, across.ravel(), down.ravel(), 1, np.ones(across.size))

    # Cards.

    def _paint_card(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        row: int,
        level: Detail,
        zoom: float,
        ratio: float,
    ) -> None:
        box = scene.index.box(row)
        corner = camera.to_view(box.left, box.top)
        picture = self._picture(scene.face(row), scene.index.width, level, zoom, ratio)
        self.painted.cards += 1
        if zoom == camera.zoom:
            x = round((corner.x() - PAD) * ratio) / ratio
            painter.drawPixmap(QPointF(x, round((corner.y() - PAD) * ratio) / ratio), picture)
            return
        share = camera.zoom / zoom
        size = picture.deviceIndependentSize() * share
        place = QRectF(QPointF(corner.x() - PAD * share, corner.y() - PAD * share), size)
        painter.drawPixmap(place, picture, QRectF(picture.rect()))

    def _picture(self, face: Face, width: float, level: Detail, zoom: float, ratio: float) -> QPixmap:
        key = (face, level, zoom, ratio)
        picture = self._pictures.get(key)
        if picture is not None:
            self._pictures.move_to_end(key)
            return picture
        self.painted.rendered += 1
        picture = render(face, width, level, zoom, ratio)
        self._pictures[key] = picture
        self._bytes += picture.width() * picture.height() * 4
        while self._bytes > MOST_BYTES and len(self._pictures) > 1:
            _, old = self._pictures.popitem(last=False)
            self._bytes -= old.width() * old.height() * 4
        return picture

    # Edges.

    def _paint_edges(self, painter: QPainter, scene: Scene, camera: Camera, area: Box, ratio: float) -> None:
        styles = {name: edge_style(name) for name in ("continuation", "active", "in_context", "dropped")}
        pens = {name: style.pen(camera.zoom, ratio) for name, style in styles.items()}
        painter.setBrush(Qt.BrushStyle.NoBrush)
        late: list[tuple[QPainterPath, QPen]] = []
        for row in scene.index.edges_in(area).tolist():
            name = edge_kind(scene, row)
            path = _continuation(scene, camera, row)
            if name == "continuation":
                painter.setPen(pens[name])
                painter.drawPath(path)
            else:
                late.append((path, pens[name]))
            self.painted.edges += 1
        for path, pen in late:  # the thread lies on top
            painter.setPen(pen)
            painter.drawPath(path)
        for line in scene.lines_in(area):
            self._paint_reference(painter, scene, camera, line, ratio)

    def _paint_reference(
        self, painter: QPainter, scene: Scene, camera: Camera, line: Line, ratio: float
    ) -> None:
        name = {"note": "annotation", "primary": "continuation"}.get(line.kind, line.kind)
        style = edge_style(name)
        pen = style.pen(camera.zoom, ratio)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if line.kind == "note" and _is_under(scene, line):
            painter.drawLine(_note_line(scene, camera, line))
            return
        path = _reference(scene, camera, line)
        painter.drawPath(path)
        if style.arrow:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.colour)
            tip, size = path.currentPosition(), ARROW * max(0.6, min(1.0, camera.zoom))
            wings = (QPointF(-size, -size * 0.55), QPointF(-size, size * 0.55))
            painter.drawPolygon(QPolygonF([tip, tip + wings[0], tip + wings[1]]))

    # Blocks.

    def _paint_blocks(self, painter: QPainter, scene: Scene, camera: Camera, exposed: QRect) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        area = camera.box(QRectF(exposed)).grown(2)
        edges, rows = scene.index.edges_in(area), scene.index.rows_in(area)
        self.painted.edges, self.painted.cards = len(edges), len(rows)
        if camera.scale_y * scene.index.width > 6:
            painter.setPen(QPen(theme.colour("border.normal"), 0))
            _draw_edges(painter, scene, camera, edges)
        path = scene.path_rows()
        painter.setPen(QPen(theme.colour("accent.base"), 2 if camera.zoom > BIG_BLOCKS else 1))
        _draw_edges(painter, scene, camera, np.intersect1d(path, edges, assume_unique=True))
        soft, strong = (0.7, 0.4) if camera.zoom > BIG_BLOCKS else (0.45, 0.0)
        _draw_blocks(painter, scene, camera, rows, soft, least=1.0)
        # The path and the current node stay findable however far away.
        seen_path = np.intersect1d(path, rows, assume_unique=True)
        _draw_blocks(painter, scene, camera, seen_path, strong, least=2.0)
        self._outline_path(painter, scene, camera, seen_path)

    def _outline_path(self, painter: QPainter, scene: Scene, camera: Camera, rows: Ints) -> None:
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
    index = scene.index
    rows = rows[index.linked[rows]]
    parents = index.layout.parents[rows]
    draw_lines(
        painter,
        (index.left[parents] + index.width - camera.left) * camera.scale_x,
        (index.middle[parents] - camera.top) * camera.scale_y,
        (index.left[rows] - camera.left) * camera.scale_x,
        (index.middle[rows] - camera.top) * camera.scale_y,
    )


def _draw_blocks(
    painter: QPainter, scene: Scene, camera: Camera, rows: Ints, quieted: float, *, least: float
) -> None:
    """Blocks in their authors' tints, mixed towards the surface, at least so many px high."""
    index = scene.index
    left = (scene.lefts(rows) - camera.left) * camera.scale_x
    width = (index.left[rows] + index.width - camera.left) * camera.scale_x - left
    high = index.layout.heights[rows] * camera.scale_y
    grown = np.maximum(0.0, least - high)
    top = (index.top[rows] - camera.top) * camera.scale_y - grown / 2
    painter.setPen(Qt.PenStyle.NoPen)
    for number, tint in enumerate(scene.tints):
        chosen = scene.tint_of_row[rows] == number
        painter.setBrush(theme.mixed(tint, "surface.raised", quieted))
        draw_rects(painter, left[chosen], top[chosen], width[chosen], (high + grown)[chosen])


def render(face: Face, width: float, level: Detail, zoom: float, ratio: float) -> QPixmap:
    """A card's picture with PAD px of room on every side."""
    height = face.height * zoom
    size_x, size_y = round((width * zoom + 2 * PAD) * ratio), round((height + 2 * PAD) * ratio)
    picture = QPixmap(max(1, size_x), max(1, size_y))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.translate(PAD, PAD)
    if level == "cards":
        painter.scale(zoom, zoom)
        paint_card(painter, face, width)
    else:
        paint_line_card(painter, face, width * zoom, height)
    painter.end()
    return picture


def edge_kind(scene: Scene, row: int) -> str:
    """Which entry of the theme's `edge` table the edge into a card is drawn by."""
    if scene.on_path(row):
        gone = scene.fate(row) in {"truncated", "excluded"}
        return "dropped" if gone and scene.key(row) != scene.current else "active"
    return "in_context" if scene.fate(row) == "sent" else "continuation"


def _continuation(scene: Scene, camera: Camera, row: int) -> QPainterPath:
    index = scene.index
    parent = int(index.layout.parents[row])
    sheets = min(2, scene.face(parent).sheets) * theme.metric("card.stack_offset")
    start = camera.to_view(index.left[parent] + index.width + sheets, index.middle[parent])
    return _curve(start, camera.to_view(float(index.left[row]), float(index.middle[row])))


def _reference(scene: Scene, camera: Camera, line: Line) -> QPainterPath:
    """From the right side of its source to the lower left of its target, so that it keeps off the thread."""
    a, b = scene.box(line.source), scene.box(line.target)
    start = camera.to_view(a.right, (a.top + a.bottom) / 2)
    end = camera.to_view(b.left - 1, b.top + (b.bottom - b.top) * 0.8)
    if b.left < a.right:  # backwards: around the source's lower edge
        start = camera.to_view((a.left + a.right) / 2, a.bottom)
    return _curve(start, end)


def _is_under(scene: Scene, line: Line) -> bool:
    a, b = scene.index.box(line.source), scene.index.box(line.target)
    return a.left == b.left and b.top >= a.bottom


def _note_line(scene: Scene, camera: Camera, line: Line) -> QLineF:
    a, b = scene.index.box(line.source), scene.index.box(line.target)
    x = a.left + 28
    return QLineF(camera.to_view(x, a.bottom), camera.to_view(x, b.top))


def _curve(start: QPointF, end: QPointF) -> QPainterPath:
    path = QPainterPath(start)
    reach = max(abs(end.x() - start.x()) * 0.5, 8.0)
    path.cubicTo(start + QPointF(reach, 0), end - QPointF(reach, 0), end)
    return path
