"""Cards between messages: each stands below the message of its anchor, or above all if that is put away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QWidget

from loomapp.ui.dialogue.script.heights import RowHeights
from loomapp.ui.dialogue.script.script import Script

GAP_PX = 12  # below a card


class BetweenCard(QWidget):
    """Card that knows how high it is at a width."""

    height_changed = Signal()

    def save(self) -> None:
        """Hand on what is being written in it, if anything."""

    def needed_px(self, width: int) -> int:
        return self.heightForWidth(width)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.update()


class PlacedCard(NamedTuple):
    """A card and the node below whose message it stands."""

    anchor_id: str
    card: BetweenCard


class CardsBetween:
    """The cards of a column, by the rows above which they stand; those of the end stand below the last."""

    def __init__(self) -> None:
        self._cards: Sequence[PlacedCard] = ()

    def save(self) -> None:
        """Hand on what is being written in cards."""
        for placed in self._cards:
            placed.card.save()

    @property
    def has_cards(self) -> bool:
        return bool(self._cards)

    def set_cards(self, cards: Sequence[PlacedCard], viewport: QWidget) -> list[BetweenCard]:
        """Take cards, in the order of the path; those that were there and are not any more are hidden. Return
        those that were not there.
        """
        kept, known = {placed.card for placed in cards}, {placed.card for placed in self._cards}
        for placed in self._cards:
            if placed.card not in kept:
                placed.card.hide()
        self._cards = tuple(cards)
        for placed in self._cards:
            if placed.card.parentWidget() is not viewport:
                placed.card.setParent(viewport)
        return [placed.card for placed in self._cards if placed.card not in known]

    def hide(self) -> None:
        """Hide all cards: there is no message to stand beside."""
        for placed in self._cards:
            placed.card.hide()

    def above(self, script: Script, row: int, width: int) -> int:
        """Return the height that cards take above a row."""
        return sum(self._needed(card, width) for card in self._above(script, row)) if self._cards else 0

    def below(self, script: Script, row: int, width: int) -> int:
        """Return the height that cards take below the last row; 0 for any other."""
        if not self._cards or row != len(script) - 1:
            return 0
        return sum(self._needed(card, width) for card in self._above(script, len(script)))

    def put(
        self, script: Script, placed: Mapping[int, float], heights: RowHeights, left: int, width: int
    ) -> None:
        """Put the cards of the rows that were placed where they belong, and hide the others."""
        shown: set[BetweenCard] = set()
        for row, top in placed.items():
            self._stack(self._above(script, row), top, left, width, shown)
        last = len(script) - 1
        if last in placed:
            below = self._above(script, last + 1)
            taken = sum(self._needed(card, width) for card in below)
            self._stack(below, placed[last] + heights[last] - taken, left, width, shown)
        for one in self._cards:
            if one.card not in shown:
                one.card.hide()

    def _stack(
        self, cards: Sequence[BetweenCard], top: float, left: int, width: int, shown: set[BetweenCard]
    ) -> None:
        for card in cards:
            high = self._needed(card, width)
            card.setGeometry(left, round(top), width, high - GAP_PX)
            card.show()
            shown.add(card)
            top += high

    def _above(self, script: Script, row: int) -> list[BetweenCard]:
        return [placed.card for placed in self._cards if self._row(script, placed) == row]

    @staticmethod
    def _row(script: Script, placed: PlacedCard) -> int:
        row = script.row_of(placed.anchor_id)
        return 0 if row is None else row + 1

    @staticmethod
    def _needed(card: BetweenCard, width: int) -> int:
        return card.needed_px(width) + GAP_PX
