"""Signs on cards and edges: pills, tabs, chips, words looked for, the bracket over what a summary covers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from loomapp.core.generation.drafts import Act
from loomapp.core.model.agent import Agent
from loomapp.ui.graph.motion.camera import Camera, detail
from loomapp.ui.graph.motion.card_moves import Drift
from loomapp.ui.graph.scene.card_faces import TAB_PX, BranchTab
from loomapp.ui.graph.scene.card_text import font, metrics, reads_leftwards, wrapped
from loomapp.ui.graph.scene.cards import ONE_LINE, Face, radius, text_width
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered, utf16_length
from loomapp.ui.widgets.chip import paint_mark

LEAST_TYPE_PX = 8
PILL_HEIGHT_PX = 22
MARK_PX = 14
PILL_PADDING_PX = 5
OUTSIDE_PX = 8  # of the card, to the left
PILL_OVERLAP_PX = 7  # of pill and card


def act_words(act: Act) -> str:
    return {"reads": tr("reads"), "writes": tr("writes"), "asks": tr("asks")}[act]


def paint_agent_pill(painter: QPainter, card: QRectF, agent: Agent, act: Act, zoom: float) -> None:
    """Paint the edge of a card in the tint of an agent, and a pill at its upper left corner."""
    tint = theme.colour(theme.agent_role(agent))
    painter.setPen(QPen(tint, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(card.adjusted(0.75, 0.75, -0.75, -0.75), radius() * zoom, radius() * zoom)
    lettering = QFont(font("name"))
    lettering.setPixelSize(max(LEAST_TYPE_PX, round(lettering.pixelSize() * zoom)))
    words, height, mark, padding = (
        act_words(act),
        PILL_HEIGHT_PX * zoom,
        MARK_PX * zoom,
        PILL_PADDING_PX * zoom,
    )
    width = 3 * padding + mark + QFontMetricsF(lettering).horizontalAdvance(words)
    pill = QRectF(
        card.left() - OUTSIDE_PX * zoom, card.top() + PILL_OVERLAP_PX * zoom - height, width, height
    )
    painter.setBrush(theme.colour("surface.raised"))
    painter.drawRoundedRect(pill, height / 2, height / 2)
    place = QRectF(pill.left() + padding, pill.center().y() - mark / 2, mark, mark)
    paint_mark(painter, place, agent)
    painter.setFont(lettering)
    painter.setPen(theme.colour("text.primary"))
    painter.drawText(pill.adjusted(2 * padding + mark, 0, 0, 0), ONE_LINE, words)


EDGE_CHIP_HEIGHT_PX = 18
EDGE_CHIP_PADDING_PX = 5
ICON_PX = 11
AROUND_PX = 2 * EDGE_CHIP_PADDING_PX + ICON_PX + 6  # of a chip beside its words
INSET_PX = 10  # from the card's corner
EDGE_CHIP_OVERLAP_PX = 3  # of chip and card


def edge_chip_rect(card: QRectF, words: str, zoom: float, *, down: bool) -> QRectF:
    """Return the chip above the card's upper edge, at the right; below the lower one, at the left, where the
    upper one is for the tools.
    """
    wide = metrics("count").horizontalAdvance(words) + AROUND_PX
    width, height = min(wide, card.width() / zoom - INSET_PX) * zoom, EDGE_CHIP_HEIGHT_PX * zoom
    if down:
        return QRectF(
            card.left() + INSET_PX * zoom, card.bottom() - EDGE_CHIP_OVERLAP_PX * zoom, width, height
        )
    top = card.top() + EDGE_CHIP_OVERLAP_PX * zoom - height
    return QRectF(card.right() - INSET_PX * zoom - width, top, width, height)


def paint_edge_chip(
    painter: QPainter, card: QRectF, words: str, zoom: float, *, down: bool, is_hovered: bool
) -> None:
    """Paint a chip; where there is no room for all of it, without its first word."""
    rect = edge_chip_rect(card, words, zoom, down=down)
    theme.draw_in(painter, "border.strong" if is_hovered else "border.normal", "surface.raised")
    painter.drawRoundedRect(rect, 4 * zoom, 4 * zoom)
    icon = ICON_PX * zoom
    left = rect.left() + EDGE_CHIP_PADDING_PX * zoom
    theme.paint(painter, "scissors", "text.secondary", QRectF(left, rect.center().y() - icon / 2, icon, icon))
    left += icon + 4 * zoom
    lettering = QFont(font("count"))
    lettering.setPixelSize(max(LEAST_TYPE_PX, round(lettering.pixelSize() * zoom)))
    painter.setFont(lettering)
    painter.setPen(theme.colour("text.secondary"))
    room = QRectF(left, rect.top(), rect.right() - left - 2, rect.height())
    if QFontMetricsF(lettering).horizontalAdvance(words) > room.width():
        words = words.partition(" ")[2]
    text = QFontMetricsF(lettering).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, ONE_LINE, text)


LEFT_PX = 8  # from the left of the card
TAB_PADDING_PX = 7
DOT_PX = 6
CORNER_PX = 4


def paint_tab(painter: QPainter, card: QRectF, tab: BranchTab, zoom: float, *, on_path: bool) -> None:
    """Paint the title of a branch above its card; a dot beside it says that its summary is missing."""
    lettering = QFont(font("name"))
    lettering.setPixelSize(max(LEAST_TYPE_PX, round(lettering.pixelSize() * zoom)))
    metrics, padding = QFontMetricsF(lettering), TAB_PADDING_PX * zoom
    dot = (DOT_PX + 5) * zoom if tab.is_missing else 0.0
    room = card.width() - 2 * LEFT_PX * zoom - 2 * padding - dot
    title = unsteered(" ".join(tab.title.split()))
    words = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room)
    width = metrics.horizontalAdvance(words) + 2 * padding + dot
    place = QRectF(card.left() + LEFT_PX * zoom, card.top() - TAB_PX * zoom, width, TAB_PX * zoom)
    shape, corner = QPainterPath(), CORNER_PX * zoom
    shape.moveTo(place.bottomLeft())
    shape.lineTo(place.left(), place.top() + corner)
    shape.quadTo(place.topLeft(), QPointF(place.left() + corner, place.top()))
    shape.lineTo(place.right() - corner, place.top())
    shape.quadTo(place.topRight(), QPointF(place.right(), place.top() + corner))
    shape.lineTo(place.bottomRight())
    painter.fillPath(shape, theme.colour("surface.raised"))
    theme.draw_in(painter, "accent.base" if on_path else "border.normal")
    painter.drawPath(shape)
    painter.setFont(lettering)
    painter.setPen(theme.colour("text.primary"))
    painter.drawText(place.adjusted(padding, 0, 0, 0), ONE_LINE, words)
    if tab.is_missing:
        theme.draw_in(painter, fill="state.warning")
        radius = DOT_PX * zoom / 2
        painter.drawEllipse(QPointF(place.right() - padding - radius, place.center().y()), radius, radius)


NOTE_TOP_PX = 24  # of the first line of a note
OUT_PX = 2.5  # that the edge stands out of its card
SHADE = 0.38
SLICE_S, LEAST = 0.008, 200  # of a frame, for cards that were not looked at yet; so many of them in any case


class FoundWords:
    """Cards with some words."""

    def __init__(self) -> None:
        self._pattern: re.Pattern[str] | None = None
        self._words, self._matches_case = tuple[str, ...](), False
        self._has: dict[str, bool] = {}  # by node id, of those that were in sight

    def seek(self, *words: str, match_case: bool = False) -> None:
        """Look for other words, for a card that has all of them; for none nothing is marked."""
        flags, wanted = re.NOFLAG if match_case else re.IGNORECASE, tuple(filter(None, words))
        self._pattern = re.compile("|".join(map(re.escape, wanted)), flags) if wanted else None
        self._words = wanted if match_case else tuple(word.lower() for word in wanted)
        self._matches_case = match_case
        self._has.clear()

    def has(self, scene: Scene, row: int) -> bool:
        """Return True if the whole text of a card has all of the words."""
        if self._pattern is None or scene.is_draft(row):
            return False
        node_id = scene.key(row)
        if node_id not in self._has:
            text = scene.full_text(row)  # looked through ten times as fast as by the pattern
            text = text if self._matches_case else text.lower()
            self._has[node_id] = all(word in text for word in self._words)
        return self._has[node_id]

    def paint(
        self, painter: QPainter, scene: Scene, camera: Camera, rect_of: Callable[[int], QRectF]
    ) -> bool:
        """Paint the marks. Return True if there are more cards in sight than could be looked at just now."""
        if self._pattern is None:
            return False
        is_read, corner = detail(camera.zoom) == "cards", radius() * camera.zoom + OUT_PX
        end, looked, has_more = time.perf_counter() + SLICE_S, 0, False
        theme.draw_in(painter, "state.warning", width=2)
        for row in scene.index.rows_in(camera.seen).tolist():
            if not (scene.is_draft(row) or scene.key(row) in self._has):
                looked += 1
                if looked > LEAST and time.perf_counter() >= end:
                    has_more = True
                    continue
            if not self.has(scene, row):
                continue
            card = rect_of(row)
            painter.drawRoundedRect(card.adjusted(-OUT_PX, -OUT_PX, OUT_PX, OUT_PX), corner, corner)
            for place in self.places(scene.face(row), scene.index.width) if is_read else ():
                mark = QRectF(place.topLeft() * camera.zoom, place.size() * camera.zoom)
                painter.fillRect(mark.translated(card.topLeft()), theme.translucent("state.warning", SHADE))
        return has_more

    def places(self, face: Face, width: float) -> list[QRectF]:
        """Return where the words are read on a card at 100 %, from its corner; none beside an image."""
        lines = wrapped(face.text, text_width(width), face.lines, "small")
        if self._pattern is None or face.sight is not None or (lines and reads_leftwards(lines[0])):
            return []
        left, step = theme.px("card.padding_x"), theme.line_height("small")
        below_name = theme.px("card.padding_y") + theme.px("card.meta_line") + 4
        top = NOTE_TOP_PX if face.kind == "note" else below_name
        measure = metrics("small").horizontalAdvance
        return [
            QRectF(
                left + measure(line, utf16_length(line[: found.start()])),
                top + place * step,
                measure(found.group()),
                step,
            )
            for place, line in enumerate(lines)
            for found in self._pattern.finditer(line)
        ]


ABOVE_PX = 18  # from the cards
END_PX = 10  # of the line that leads down to the last card
BRACKET_CORNER_PX = 6
LINE_PX = 1.5
PILL_PX = 26
PADDING_PX = 10
BRACKET_ICON_PX = 14
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
        line.lineTo(x, end - (0 if goes_on_right else BRACKET_CORNER_PX))
        if not goes_on_right:
            line.quadTo(QPointF(x, end), QPointF(x + BRACKET_CORNER_PX, end))
            line.lineTo(x + END_PX, end)
        return line
    y = around.top() - ABOVE_PX
    begin = view.left() if goes_on_left else around.left()
    end = view.right() if goes_on_right else around.right()
    line.moveTo(begin, y)
    line.lineTo(end - (0 if goes_on_right else BRACKET_CORNER_PX), y)
    if not goes_on_right:
        line.quadTo(QPointF(end, y), QPointF(end, y + BRACKET_CORNER_PX))
        line.lineTo(end, y + END_PX)
    return line


def _fonts() -> tuple[QFont, QFont]:
    strong = QFont(theme.font("small"))
    strong.setWeight(QFont.Weight.DemiBold)
    return strong, theme.numbers("small")


def _pill(bracket: Bracket, around: QRectF, view: QRectF, *, down: bool) -> QRectF:
    strong, numbers = _fonts()
    wide = QFontMetricsF(strong).horizontalAdvance(bracket.words)
    wide += QFontMetricsF(numbers).horizontalAdvance(bracket.tokens) + BRACKET_ICON_PX + 14 + 2 * PADDING_PX
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
        QRectF(left, pill.center().y() - BRACKET_ICON_PX / 2, BRACKET_ICON_PX, BRACKET_ICON_PX),
    )
    left += BRACKET_ICON_PX + 6
    painter.setFont(strong)
    painter.setPen(theme.colour("text.primary"))
    room = QRectF(left, pill.top(), pill.right() - left, pill.height())
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, bracket.words)
    room.setLeft(left + QFontMetricsF(strong).horizontalAdvance(bracket.words) + 8)
    painter.setFont(numbers)
    painter.setPen(theme.colour("text.secondary"))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, bracket.tokens)
