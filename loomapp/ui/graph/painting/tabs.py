"""Tabs on cards: the title of a branch on the upper edge of its head."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath

from loomapp.ui.graph.scene.branch_tabs import TAB_PX, BranchTab
from loomapp.ui.graph.scene.card_text import font
from loomapp.ui.graph.scene.cards import ONE_LINE
from loomapp.ui.look import theme
from loomapp.ui.strings import unsteered

LEFT_PX = 8  # from the left of the card
PADDING_PX = 7
DOT_PX = 6
CORNER_PX = 4
LEAST_TYPE_PX = 8


def paint_tab(painter: QPainter, card: QRectF, tab: BranchTab, zoom: float, *, on_path: bool) -> None:
    """Paint the title of a branch above its card; a dot beside it says that its summary is missing."""
    lettering = QFont(font("name"))
    lettering.setPixelSize(max(LEAST_TYPE_PX, round(lettering.pixelSize() * zoom)))
    metrics, padding = QFontMetricsF(lettering), PADDING_PX * zoom
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
