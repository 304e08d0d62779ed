"""Mark of an agent on the card that it reads, or where it writes or asks, while its run goes on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from loomapp.core.generation.run_progress import Act
from loomapp.core.model.agent import Agent
from loomapp.ui.graph.scene.card_text import font
from loomapp.ui.graph.scene.cards import ONE_LINE, radius
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.agent_mark import paint_mark

HEIGHT_PX = 22
MARK_PX = 14
PADDING_PX = 5
OUTSIDE_PX = 8  # of the card, to the left
OVERLAP_PX = 7  # of pill and card
LEAST_TYPE_PX = 8


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
    words, height, mark, padding = act_words(act), HEIGHT_PX * zoom, MARK_PX * zoom, PADDING_PX * zoom
    width = 3 * padding + mark + QFontMetricsF(lettering).horizontalAdvance(words)
    pill = QRectF(card.left() - OUTSIDE_PX * zoom, card.top() + OVERLAP_PX * zoom - height, width, height)
    painter.setBrush(theme.colour("surface.raised"))
    painter.drawRoundedRect(pill, height / 2, height / 2)
    place = QRectF(pill.left() + padding, pill.center().y() - mark / 2, mark, mark)
    paint_mark(painter, place, agent)
    painter.setFont(lettering)
    painter.setPen(theme.colour("text.primary"))
    painter.drawText(pill.adjusted(2 * padding + mark, 0, 0, 0), ONE_LINE, words)
