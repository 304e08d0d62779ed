"""Edges: their paths and looks, which of very many are drawn, and the one under the pointer."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from loomapp.core.layout.cards import Floats, Ints
from loomapp.ui.graph.motion.camera import Camera, detail
from loomapp.ui.graph.motion.card_moves import STILL, Drift
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box, ReferenceLine, ReferenceLines
from loomapp.ui.look import theme
from loomapp.ui.strings import tr

ARROW = 7.0
HOVERED_WIDTH = 2.5

MOST_PASSING = 60  # edges from one card that only pass by, in a frame
MOST_LINES = 200  # references in a frame


def thinned_lines(
    scene: Scene, lines: ReferenceLines, rows: Ints, hovered: int | None = None
) -> ReferenceLines:
    """The references to draw: those of the current and the hovered card, and those of cards in sight; of very
    many enough for their haze. What only passes by is left to the line that it is part of.
    """
    if not len(lines.kinds):  # in most trees there are none
        return lines
    count = len(scene.index)
    meant, seen = np.zeros(count, bool), np.zeros(count, bool)
    current = scene.row_of(scene.current) if scene.current else None
    meant[[row for row in (current, hovered) if row is not None and row < count]] = True
    seen[rows] = True
    first = np.flatnonzero(lines.touching(meant))[:MOST_LINES]
    others = np.flatnonzero(lines.touching(seen) & ~lines.touching(meant))
    others = others[:: len(others) // MOST_LINES + 1]
    return lines.chosen(np.sort(np.concatenate((first, others))))


def thinned(scene: Scene, links: Ints, rows: Ints) -> Ints:
    """The edges to draw: all that lead to cards in sight or along the path; of very many that only pass by on
    their way from one card, enough for their haze.
    """
    if len(links) <= MOST_PASSING:
        return links
    wanted = np.zeros(len(scene.index), bool)
    wanted[rows] = wanted[scene.path_rows()] = True
    passing = links[~wanted[links]]
    parents = scene.index.growth.parents[passing]
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    counts = np.diff(first, append=len(parents))
    number = np.arange(len(parents)) - np.repeat(first, counts)
    kept = passing[number % np.repeat(counts // MOST_PASSING + 1, counts) == 0]
    return links if len(kept) == len(passing) else np.sort(np.concatenate((links[wanted[links]], kept)))


REACH = 5.0  # px of the viewport from which an edge is felt
SAMPLES = 24
SHARES = np.linspace(0.0, 1.0, SAMPLES + 1)[:, None, None]
MOST = 200  # edges that are looked at; where there are more, none can be meant
MOST_REFERENCES = 40  # of those that are no continuations
FEW = 8  # of these, whose distance is found exactly
NONE = (sys.float_info.max, -1)
WIDTH = 3.0


def edge_at(scene: Scene, camera: Camera, point: QPointF, drift: Drift = STILL) -> int | None:
    """Return the card into which the edge under a point of the viewport leads."""
    if detail(camera.zoom) == "blocks":
        return None
    rows = scene.index.linked(drift.with_moving(scene.index.edges_in(_around(camera, point))))
    if not 0 < len(rows) <= MOST:
        return None
    guessed = _distances(scene, camera, rows, point, drift)
    near = np.argsort(guessed)[:FEW]
    felt = rows[near[guessed[near] <= REACH + 2 * theme.metric("card.stack_offset")]]
    distance, row = min(
        ((_distance(scene, camera, row, point, drift), row) for row in felt.tolist()), default=NONE
    )
    return row if distance <= REACH else None


def reference_at(scene: Scene, camera: Camera, point: QPointF) -> ReferenceLine | None:
    """The line under a point of the viewport that is no continuation: a source's, or a note's."""
    if detail(camera.zoom) == "blocks":
        return None
    lines = scene.lines_in(_around(camera, point))
    if not 0 < len(lines.kinds) <= MOST_REFERENCES:
        return None
    found = ((_to_path(reference_path(scene, camera, line), point), line) for line in lines.each())
    distance, nearest = min(found)
    return nearest if distance <= REACH else None


def tip(kind: str) -> str:
    """Return the meaning of a line: the part its source plays, and how such lines are drawn."""
    return {
        "context": tr("Context: material for what it leads to. Dotted, with an arrow."),
        "instruction": tr("Instruction: a directive for what it leads to. Dashed, with an arrow."),
        "note": tr("A note on this card. Thin and dotted."),
        "primary": tr("Another text that this could continue. Thin, like every branch."),
    }.get(kind, tr("Goes on here. Thick on the active path, dashed where it is left out."))


def _around(camera: Camera, point: QPointF) -> Box:
    return camera.box(QRectF(point.x() - REACH, point.y() - REACH, 2 * REACH, 2 * REACH))


def _distances(scene: Scene, camera: Camera, rows: Ints, point: QPointF, drift: Drift) -> Floats:
    """Return the distances of a point from edges, about: as if they all left a card's side and none a stack
    of sheets.
    """
    x1, y1, x2, y2 = scene.index.ends(rows)
    scale = np.array([camera.scale_x, camera.scale_y])
    corner = np.array([camera.left * scale[0] + point.x(), camera.top * scale[1] + point.y()])
    here, there = drift.offsets(scene.index.growth.parents[rows]), drift.offsets(rows)
    start = (np.stack((x1, y1), axis=1) + here) * scale - corner
    end = (np.stack((x2, y2), axis=1) + there) * scale - corner
    along = int(scene.is_down)
    bend = np.zeros_like(start)
    bend[:, along] = np.maximum(np.abs(end - start)[:, along] * 0.5, 8.0)  # as the painter curves them
    t, s = SHARES, 1 - SHARES
    points = s**3 * start + 3 * s * s * t * (start + bend) + 3 * s * t * t * (end - bend) + t**3 * end
    pieces = np.diff(points, axis=0)
    lengths = np.maximum((pieces * pieces).sum(axis=2), 1e-9)
    share = np.clip(-(points[:-1] * pieces).sum(axis=2) / lengths, 0.0, 1.0)
    away = points[:-1] + pieces * share[..., None]
    distances: Floats = np.sqrt((away * away).sum(axis=2).min(axis=0))
    return distances


def _distance(scene: Scene, camera: Camera, row: int, point: QPointF, drift: Drift = STILL) -> float:
    return _to_path(continuation(scene, camera, row, drift), point)


def _to_path(path: QPainterPath, point: QPointF) -> float:
    corners = (path.pointAtPercent(i / SAMPLES) for i in range(SAMPLES + 1))
    return min(_to_line(point, a, b) for a, b in pairwise(corners))


def _to_line(point: QPointF, start: QPointF, end: QPointF) -> float:
    """Return the distance of a point from a piece of a line."""
    along, off = end - start, point - start
    length = QPointF.dotProduct(along, along)
    share = 0.0 if length == 0 else min(1.0, max(0.0, QPointF.dotProduct(off, along) / length))
    away = off - along * share
    distance: float = QPointF.dotProduct(away, away) ** 0.5
    return distance


def far_end(scene: Scene, camera: Camera, row: int, line: ReferenceLine | None, point: QPointF) -> int:
    """The row of the end that is farther from a point of the viewport: of the edge into a card, or a line."""
    path = continuation(scene, camera, row) if line is None else reference_path(scene, camera, line)
    start, end = path.pointAtPercent(0) - point, path.pointAtPercent(1) - point
    nearer_start = QPointF.dotProduct(start, start) < QPointF.dotProduct(end, end)
    return row if nearer_start else (scene.index.parent(row) if line is None else line.source)


def paint_hovered(painter: QPainter, scene: Scene, camera: Camera, row: int, drift: Drift) -> None:
    theme.draw_in(painter, "accent.base", width=WIDTH)
    painter.drawPath(continuation(scene, camera, row, drift))


class EdgeStyle(NamedTuple):
    """Style in which an edge is drawn, from the theme's `edge` table."""

    width: float
    colour: QColor
    dash: tuple[float, ...]
    arrow: bool

    def pen(self, zoom: float, ratio: float) -> QPen:
        """Return the pen at a zoom, never thinner than a device pixel."""
        width = max(self.width * min(zoom, 1.5), 1 / ratio)
        pen = QPen(self.colour, width)
        if self.dash:
            pen.setDashPattern([max(0.1, length / self.width) for length in self.dash])
            round_dots = self.dash[0] <= 1
            pen.setCapStyle(Qt.PenCapStyle.RoundCap if round_dots else Qt.PenCapStyle.FlatCap)
        return pen


def edge_style(name: str) -> EdgeStyle:
    """Return one entry of the theme's `edge` table."""
    entry = theme.token(f"edge.{name}")
    assert isinstance(entry, dict)
    dash = tuple(float(length) for length in entry.get("dash", ()))
    return EdgeStyle(float(entry["width"]), theme.colour(entry["role"]), dash, bool(entry.get("arrow")))


def paint_reference(
    painter: QPainter,
    scene: Scene,
    camera: Camera,
    line: ReferenceLine,
    ratio: float,
    *,
    hovered: bool = False,
) -> None:
    """A reference in its own line style; under the pointer thick and in the accent."""
    name = {"note": "annotation", "primary": "continuation"}.get(line.kind, line.kind)
    style = edge_style(name)
    if hovered:
        style = style._replace(width=HOVERED_WIDTH, colour=theme.colour("accent.base"))
    pen = style.pen(camera.zoom, ratio)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    path = reference_path(scene, camera, line)
    painter.drawPath(path)
    if style.arrow:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.colour)
        tip, size = path.currentPosition(), ARROW * max(0.6, min(1.0, camera.zoom))
        wings = (QPointF(-size, -size * 0.55), QPointF(-size, size * 0.55))
        if scene.is_down:
            wings = (QPointF(-size * 0.55, -size), QPointF(size * 0.55, -size))
        painter.drawPolygon(QPolygonF([tip, tip + wings[0], tip + wings[1]]))


def proposal_style(scene: Scene, row: int) -> EdgeStyle:
    """Return the style of the edge into the card of a proposal: as its rim, in the colour of its agent."""
    return EdgeStyle(1.5, theme.colour(scene.face(row).tint), (4.5, 3.6), arrow=False)


def edge_kind(scene: Scene, row: int) -> str:
    """Return the entry of the theme's `edge` table by which the edge into a card is drawn; `proposal` for one
    that has a style of its own.
    """
    if (live := scene.drafts.get(scene.card(row))) is not None and live.proposal:
        return "proposal"
    if scene.on_path(row) or scene.is_passed(row):
        if scene.key(row) != scene.current and scene.fate(row) == "summarised":
            return "continuation"  # the bracket of its summary stands for it
        gone = scene.fate(row) in {"truncated", "excluded", "refused"}
        return "dropped" if gone and scene.key(row) != scene.current else "active"
    return "in_context" if scene.fate(row) == "sent" else "continuation"


def continuation(scene: Scene, camera: Camera, row: int, drift: Drift = STILL) -> QPainterPath:
    """Return the edge into a card from its parent, in the viewport."""
    index = scene.index
    parent = index.parent(row)
    x1, y1, x2, y2 = index.edge(row)
    here, there = drift.offset(parent), drift.offset(row)
    if index.frame.direction == "right":
        x1 += min(2, scene.face(parent).sheets) * theme.metric("card.stack_offset")
    start = camera.to_view(x1 + here.x(), y1 + here.y())
    return _curve(start, camera.to_view(x2 + there.x(), y2 + there.y()), down=scene.is_down)


def reference_path(scene: Scene, camera: Camera, line: ReferenceLine) -> QPainterPath:
    """From the right side of its source to the lower left of its target, so that it keeps off the thread;
    straight to a note that stands under its card.
    """
    if line.kind == "note" and _is_under(scene, line):
        straight = _note_line(scene, camera, line)
        path = QPainterPath(straight.p1())
        path.lineTo(straight.p2())
        return path
    a, b = scene.box(line.source), scene.box(line.target)
    if scene.is_down:
        start = camera.to_view((a.left + a.right) / 2, a.bottom if b.top >= a.bottom else a.top)
        end = camera.to_view(b.left + (b.right - b.left) * 0.8, b.top - 1)
        return _curve(start, end, down=True)
    start = camera.to_view(a.right, (a.top + a.bottom) / 2)
    end = camera.to_view(b.left - 1, b.top + (b.bottom - b.top) * 0.8)
    if b.left < a.right:  # backwards: around the source's lower edge
        start = camera.to_view((a.left + a.right) / 2, a.bottom)
    return _curve(start, end)


def _is_under(scene: Scene, line: ReferenceLine) -> bool:
    a, b = scene.index.box(line.source), scene.index.box(line.target)
    return (b.left >= a.right and a.top == b.top) if scene.is_down else a.left == b.left and b.top >= a.bottom


def _note_line(scene: Scene, camera: Camera, line: ReferenceLine) -> QLineF:
    a, b = scene.index.box(line.source), scene.index.box(line.target)
    if scene.is_down:
        return QLineF(camera.to_view(a.right, a.top + 20), camera.to_view(b.left, b.top + 20))
    x = a.left + 28
    return QLineF(camera.to_view(x, a.bottom), camera.to_view(x, b.top))


def _curve(start: QPointF, end: QPointF, *, down: bool = False) -> QPainterPath:
    path = QPainterPath(start)
    if down:
        reach = QPointF(0, max(abs(end.y() - start.y()) * 0.5, 8.0))
    else:
        reach = QPointF(max(abs(end.x() - start.x()) * 0.5, 8.0), 0)
    path.cubicTo(start + reach, end - reach, end)
    return path
