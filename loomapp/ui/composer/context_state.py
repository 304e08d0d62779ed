"""The state of the coming context as a mark: four bars, as many of them filled as it is full."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from loomapp.core.economy.thresholds import ContextState, Level
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr

WIDTH_PX, HEIGHT_PX = 18, 16
BAR_PX, STEP_PX = 3, 5  # the width of a bar, and from one to the next
HEIGHTS_PX = (5, 8, 11, 14)
STEPS: Mapping[Level, int] = {"green": 1, "yellow": 2, "orange": 3, "red": 4}
ROLES: Mapping[Level, str] = {
    "green": "level.roomy",
    "yellow": "level.half",
    "orange": "level.soft",
    "red": "level.hard",
}
ALARMING: frozenset[Level] = frozenset({"orange", "red"})  # whose word stands beside the numbers


def word_of(state: ContextState) -> str:
    """The word that says how full a context is; one that does not fit as it is is sent without a part of it,
    and is not called full.
    """
    if state.ratio > 1:
        return tr("too long")
    return {
        "green": tr("roomy"),
        "yellow": tr("half full"),
        "orange": tr("nearly full"),
        "red": tr("full"),
    }[state.level]


def lines_of(state: ContextState) -> list[str]:
    """The lines of a tool tip about a state: the indicator, what it means, and the totals of the path."""
    how = tr("measured") if state.measured else tr("estimated")
    lines = [told(state.indicator), f"{word_of(state)[:1].upper()}{word_of(state)[1:]}, {how}"]
    if state.total_input_tokens or state.total_output_tokens:
        words = tr("All calls of this path: {sent} tokens in, {received} out")
        sent = figures.number(state.total_input_tokens)
        lines.append(words.format(sent=sent, received=figures.number(state.total_output_tokens)))
    return lines


class ContextStateMark(QWidget):
    """Shows the level of a context, by shape and colour; its word is said beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextState")
        self.setFixedSize(WIDTH_PX, HEIGHT_PX)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.level: Level = "green"
        self.hide()

    def show_state(self, state: ContextState | None) -> None:
        """Show the level of a state; None: nothing is known of it."""
        self.setVisible(state is not None)
        self.level = "green" if state is None else state.level
        self.setAccessibleName("" if state is None else word_of(state))
        self.update()

    @property
    def filled(self) -> int:
        """The number of bars that are filled."""
        return STEPS[self.level]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for place, height in enumerate(HEIGHTS_PX):
            role = ROLES[self.level] if place < self.filled else "border.strong"
            painter.setBrush(theme.colour(role))
            top = HEIGHT_PX - 1 - height
            painter.drawRoundedRect(QRectF(place * STEP_PX, top, BAR_PX, height), 1, 1)
        painter.end()
