"""Cards of drafts: each under the node that it continues, and what those that failed or wait offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from loomapp.core.layout.card_table import CardTable
from loomapp.ui.graph.scene.card_text import font, metrics
from loomapp.ui.look import theme


class DraftCards:
    """Drafts that have cards, by key. Each call is given the table of all cards as it is now."""

    def __init__(self) -> None:
        self._parents: Mapping[str, str] = {}  # key -> the node it hangs under

    def __contains__(self, card: str) -> bool:
        return card in self._parents

    def __iter__(self) -> Iterator[str]:
        """Yield their keys, the oldest first."""
        return iter(self._parents)

    def replace(self, parents: Mapping[str, str]) -> Mapping[str, str]:
        """Take the drafts that there are now, by the node each hangs under; return those before."""
        before, self._parents = self._parents, parents
        return before

    def join(self, roster: CardTable, keys: Iterable[str]) -> tuple[int, ...]:
        """Give numbers to some of them, those whose parent has a card; return the numbers."""
        joined = []
        for key in keys:
            parent = roster.number_of(self._parents[key])
            if parent is not None:
                joined.append(roster.join(key, parent))
        self.put_last(roster)
        return tuple(joined)

    def put_last(self, roster: CardTable) -> None:
        """Put drafts after their siblings, as they stand when the tree is opened again."""
        families: dict[int, list[int]] = {}
        for number in self.numbers(roster):
            families.setdefault(int(roster.parents[number]), []).append(number)
        for family in families.values():
            roster.put_last(family)

    def numbers(self, roster: CardTable) -> list[int]:
        return [roster.numbers[key] for key in self._parents if key in roster.numbers]


DISMISS, DISMISS_ALL = "dismiss", "dismiss_all"
HIT = 24.0  # no smaller than a pointer can hit
SIDE = 6.0  # around the words of an act
CROSS = 12.0


class Act(NamedTuple):
    """`name` is retry, stop, key, details, dismiss or dismiss_all; without words it is the cross in the
    corner.
    """

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
        if boxes and left + wide > width:
            continue  # the likeliest come first, and the message offers all of them
        boxes[act.name] = QRectF(left, row, min(wide, width - left), HIT)
        left += wide
    return boxes


def paint_acts(painter: QPainter, acts: Sequence[Act], width: float) -> None:
    """Draw the acts on a card whose upper left corner is at 0, 0."""
    boxes = act_boxes(acts, width)
    painter.setFont(font("name"))
    for act in acts:
        if act.name not in boxes:
            continue
        box = boxes[act.name]
        if act.words:
            painter.setPen(theme.colour("text.link"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, act.words)
        else:
            middle = box.center()
            cross = QRectF(middle.x() - CROSS / 2, middle.y() - CROSS / 2, CROSS, CROSS)
            theme.paint(painter, "x", "text.muted", cross)
