"""Signs on cards and edges: the pill of an agent, the tab of a branch, the chip of what is shortened."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from loomapp.core.generation.drafts import Act
from loomapp.core.model.agent import Agent
from loomapp.ui.graph.scene.card_faces import TAB_PX, BranchTab
from loomapp.ui.graph.scene.card_text import font, metrics
from loomapp.ui.graph.scene.cards import ONE_LINE, radius
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
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
