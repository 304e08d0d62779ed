"""Chips on the edges of cards: what of a message is sent shortened, before and after."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from loomapp.ui.graph.scene.card_text import font, metrics
from loomapp.ui.graph.scene.cards import ONE_LINE
from loomapp.ui.look import theme

HEIGHT_PX = 18
PADDING_PX = 5
ICON_PX = 11
AROUND_PX = 2 * PADDING_PX + ICON_PX + 6  # of a chip beside its words
INSET_PX = 10  # from the card's corner
OVERLAP_PX = 3  # of chip and card
LEAST_TYPE_PX = 8


def edge_chip_rect(card: QRectF, words: str, zoom: float, *, down: bool) -> QRectF:
    """Return the chip above the card's upper edge, at the right; below the lower one, at the left, where the
    upper one is for the tools.
    """
    wide = metrics("count").horizontalAdvance(words) + AROUND_PX
    width, height = min(wide, card.width() / zoom - INSET_PX) * zoom, HEIGHT_PX * zoom
    if down:
        return QRectF(card.left() + INSET_PX * zoom, card.bottom() - OVERLAP_PX * zoom, width, height)
    top = card.top() + OVERLAP_PX * zoom - height
    return QRectF(card.right() - INSET_PX * zoom - width, top, width, height)


def paint_edge_chip(
    painter: QPainter, card: QRectF, words: str, zoom: float, *, down: bool, is_hovered: bool
) -> None:
    """Paint a chip; where there is no room for all of it, without its first word."""
    rect = edge_chip_rect(card, words, zoom, down=down)
    theme.draw_in(painter, "border.strong" if is_hovered else "border.normal", "surface.raised")
    painter.drawRoundedRect(rect, 4 * zoom, 4 * zoom)
    icon = ICON_PX * zoom
    left = rect.left() + PADDING_PX * zoom
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
