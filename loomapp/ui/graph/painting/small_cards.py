"""Small cards, as they are drawn from further away: an author and one line, in type of reading size."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from loomapp.ui.graph.scene.card_text import font, metrics, wrapped
from loomapp.ui.graph.scene.cards import (
    ONE_LINE,
    START_HEIGHT,
    START_WIDTH,
    Badge,
    Face,
    name_colour,
    paint_body,
    paint_start,
    paint_unread,
    short_name,
    text_colour,
)
from loomapp.ui.look import theme
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON

LINE_MARGIN = 2.5  # px above and below what a small card says
LEAST_LINE = 12.0  # px of a line of type on a small card; two of them, or author and words share one
LEAST_WORDS = 24.0  # px that are worth beginning a line in
MARK = 11.0
UNREAD = 4.0  # px from the middle of the dot
KEPT = (REFUSED_ICON, "circle-pause")  # badges whose state no edge and no line through the words tells


def paint_line_card(painter: QPainter, face: Face, width: float, height: float) -> None:
    """Draw a small card of a given size in type of reading size: its author, and one line below or beside.

    What neither its edge nor its words tell stands as a sign before the words.
    """
    if face.kind == "start":
        painter.translate(width - START_WIDTH * height / START_HEIGHT, 0)
        painter.scale(height / START_HEIGHT, height / START_HEIGHT)
        paint_start(painter, face, START_WIDTH)
        return
    paint_body(painter, face, QRectF(0, 0, width, height))
    if face.unread:
        paint_unread(painter, width, UNREAD)
    left = 10.0 if width > 60 else 6.0
    room = width - left - 4
    line = min(theme.line_height("small"), height / 2 - LINE_MARGIN)
    if line >= LEAST_LINE:
        top = height / 2 - line
        _paint_name(painter, face, QRectF(left, top, room, line))
        words = _after_mark(painter, face, QRectF(left, top + line, room, line))
        _paint_words(painter, face, words)
        return
    marked = 0.0 if mark_of(face) is None else MARK + 3
    taken = _paint_name(painter, face, QRectF(left, 0, room - marked, height)) + (3 if marked else 6)
    words = _after_mark(painter, face, QRectF(left + taken, 0, room - taken, height))
    if words.width() >= LEAST_WORDS:
        _paint_words(painter, face, words)


def mark_of(face: Face) -> Badge | None:
    """The sign that a card keeps however small it is: why nothing comes, is sent or went on."""
    if face.sign:
        return Badge(face.sign, "state.error" if face.kind == "failed" else "state.warning")
    return next((badge for badge in face.badges if badge.icon in KEPT), None)


def _paint_name(painter: QPainter, face: Face, place: QRectF) -> float:
    """The author, who is never told by colour alone; gives the width that the name takes."""
    name = short_name(face.name, place.width())
    painter.setFont(font("name"))
    painter.setPen(name_colour(face))
    painter.drawText(place.adjusted(0, 0, 4, 0), ONE_LINE, name)
    return metrics("name").horizontalAdvance(name)


def _paint_words(painter: QPainter, face: Face, place: QRectF) -> None:
    type_name = "struck" if face.struck else "small"
    painter.setFont(font(type_name))
    painter.setPen(text_colour(face))
    for words in wrapped(face.text, place.width(), 1, type_name):
        painter.drawText(place.adjusted(0, 0, 4, 0), ONE_LINE, words)


def _after_mark(painter: QPainter, face: Face, place: QRectF) -> QRectF:
    """Draw the face's sign, if any; return the room that is left for words."""
    mark = mark_of(face)
    if mark is None:
        return place
    theme.paint(
        painter, mark.icon, mark.role, QRectF(place.left(), place.center().y() - MARK / 2, MARK, MARK)
    )
    return place.adjusted(MARK + 3, 0, 0, 0)
