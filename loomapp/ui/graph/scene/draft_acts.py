"""Acts: what the card of a draft that failed or waits offers in words, where that is, and how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from loomapp.ui.graph.scene.card_text import font, metrics
from loomapp.ui.look import theme

DISMISS = "dismiss"
HIT = 24.0  # no smaller than a pointer can hit
SIDE = 6.0  # around the words of an act
CROSS = 12.0


class Act(NamedTuple):
    """`name` is retry, stop, key or dismiss; without words it is the cross in the corner."""

    name: str
    words: str = ""


def act_boxes(acts: Sequence[Act], width: float) -> dict[str, QRectF]:
    """Return the boxes in which a card of a width offers its acts, at 100 %: in one row under two lines of
    text.
    """
    left = theme.px("card.padding_x") - SIDE
    top = theme.px("card.padding_y") + theme.px("card.meta_line") + 4
    row = top + 2 * theme.line_height("small") + (theme.line_height("small") - HIT) / 2
    boxes: dict[str, QRectF] = {}
    for act in acts:
        if not act.words:
            boxes[act.name] = QRectF(width - HIT - 2, 2, HIT, HIT)
            continue
        wide = metrics("name").horizontalAdvance(act.words) + 2 * SIDE
        boxes[act.name] = QRectF(left, row, min(wide, width - left), HIT)
        left += wide
    return boxes


def paint_acts(painter: QPainter, acts: Sequence[Act], width: float) -> None:
    """Draw the acts on a card whose upper left corner is at 0, 0."""
    boxes = act_boxes(acts, width)
    painter.setFont(font("name"))
    for act in acts:
        box = boxes[act.name]
        if act.words:
            painter.setPen(theme.colour("text.link"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, act.words)
        else:
            middle = box.center()
            cross = QRectF(middle.x() - CROSS / 2, middle.y() - CROSS / 2, CROSS, CROSS)
            theme.paint(painter, "x", "text.muted", cross)
