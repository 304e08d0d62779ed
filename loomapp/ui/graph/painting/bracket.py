"""Bracket over the cards that a summary stands for, with a pill that says how many and what they cost."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from loomapp.ui.graph.motion.camera import Camera
from loomapp.ui.graph.motion.card_moves import Drift
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme
from loomapp.ui.strings import tr

ABOVE_PX = 18  # from the cards
END_PX = 10  # of the line that leads down to the last card
CORNER_PX = 6
LINE_PX = 1.5
PILL_PX = 26
PADDING_PX = 10
ICON_PX = 14
SHARING_PX = 10  # from a card to the words that it shares the summary
EDGE_PX = 8  # that the pill keeps from the edges of the view


class Bracket(NamedTuple):
    """The last card that a summary covers, and the words of its pill: how many, and the tokens."""

    anchor_id: str
    words: str
    tokens: str


def paint_bracket(painter: QPainter, bracket: Bracket, scene: Scene, camera: Camera, drift: Drift) -> QRectF:
    """Paint it over the covered cards in view; return the rectangle of the pill, empty if there is none."""
    view = QRectF(0, 0, camera.width, camera.height)
    rows = scene.index.rows_in(camera.box(view)).tolist()
    places = {row: place for row in rows if (place := scene.path_place(row)) is not None}
    end = scene.place_on_path(bracket.anchor_id)
    around = QRectF()
    for row, place in places.items():
        if end is not None and place <= end:
            card = camera.rect(scene.box(row)).translated(drift.offset(row) * camera.zoom)
            around = around.united(card)
    if around.isEmpty() or end is None:
        return QRectF()
    goes_on_left, goes_on_right = min(places.values()) > 0, max(places.values()) < end
    down = scene.is_down
    pen = QPen(theme.colour("text.secondary"), LINE_PX)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(_line(around, view, goes_on_left=goes_on_left, goes_on_right=goes_on_right, down=down))
    pill = _pill(bracket, around, view, down=down)
    if not pill.isEmpty():
        _paint_pill(painter, bracket, pill)
    return pill


def paint_sharing(painter: QPainter, bracket: Bracket, scene: Scene, camera: Camera, drift: Drift) -> None:
    """Say beside the other branches below the last covered card that the summary stands for it there too."""
    end = scene.place_on_path(bracket.anchor_id)
    view = QRectF(0, 0, camera.width, camera.height)
    theme.write_in(painter, "small", "text.secondary")
    words, metrics = tr("shares the summary"), painter.fontMetrics()
    for row in scene.index.rows_in(camera.box(view)).tolist():
        parent = scene.index.parent(row)
        above = None if parent < 0 or scene.on_path(row) else scene.path_place(parent)
        if end is not None and above is not None and above >= end:
            card = camera.rect(scene.box(row)).translated(drift.offset(row) * camera.zoom)
            place = QRectF(card.right() + SHARING_PX, card.top(), metrics.horizontalAdvance(words), 16)
            painter.fillRect(place, theme.colour("surface.canvas"))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)


def _line(
    around: QRectF, view: QRectF, *, goes_on_left: bool, goes_on_right: bool, down: bool
) -> QPainterPath:
    line = QPainterPath()
    if down:
        x = around.left() - ABOVE_PX
        begin = view.top() if goes_on_left else around.top()
        end = view.bottom() if goes_on_right else around.bottom()
        line.moveTo(x, begin)
        line.lineTo(x, end - (0 if goes_on_right else CORNER_PX))
        if not goes_on_right:
            line.quadTo(QPointF(x, end), QPointF(x + CORNER_PX, end))
            line.lineTo(x + END_PX, end)
        return line
    y = around.top() - ABOVE_PX
    begin = view.left() if goes_on_left else around.left()
    end = view.right() if goes_on_right else around.right()
    line.moveTo(begin, y)
    line.lineTo(end - (0 if goes_on_right else CORNER_PX), y)
    if not goes_on_right:
        line.quadTo(QPointF(end, y), QPointF(end, y + CORNER_PX))
        line.lineTo(end, y + END_PX)
    return line


def _fonts() -> tuple[QFont, QFont]:
    strong = QFont(theme.font("small"))
    strong.setWeight(QFont.Weight.DemiBold)
    return strong, theme.numbers("small")


def _pill(bracket: Bracket, around: QRectF, view: QRectF, *, down: bool) -> QRectF:
    strong, numbers = _fonts()
    wide = QFontMetricsF(strong).horizontalAdvance(bracket.words)
    wide += QFontMetricsF(numbers).horizontalAdvance(bracket.tokens) + ICON_PX + 14 + 2 * PADDING_PX
    room = view.adjusted(EDGE_PX, EDGE_PX, -EDGE_PX, -EDGE_PX)
    if wide > room.width():
        return QRectF()
    seen = around.intersected(view)
    if down:
        x, y = around.left() - ABOVE_PX - wide / 2, seen.center().y()
    else:
        x, y = seen.center().x() - wide / 2, around.top() - ABOVE_PX
    x = max(room.left(), min(x, room.right() - wide))
    y = max(room.top() + PILL_PX / 2, y)
    return QRectF(x, y - PILL_PX / 2, wide, PILL_PX)


def _paint_pill(painter: QPainter, bracket: Bracket, pill: QRectF) -> None:
    strong, numbers = _fonts()
    theme.draw_in(painter, "text.secondary", "surface.raised")
    painter.drawRoundedRect(pill, 6, 6)
    left = pill.left() + PADDING_PX
    theme.paint(
        painter,
        "file-text",
        "text.secondary",
        QRectF(left, pill.center().y() - ICON_PX / 2, ICON_PX, ICON_PX),
    )
    left += ICON_PX + 6
    painter.setFont(strong)
    painter.setPen(theme.colour("text.primary"))
    room = QRectF(left, pill.top(), pill.right() - left, pill.height())
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, bracket.words)
    room.setLeft(left + QFontMetricsF(strong).horizontalAdvance(bracket.words) + 8)
    painter.setFont(numbers)
    painter.setPen(theme.colour("text.secondary"))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, bracket.tokens)
