"""Letters typed while the graph has the keyboard: which are keys of the graph, and which are words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from loomapp.ui.widgets.keyboard import is_letter

TAKEN_AWAY = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
)


def no_key(_: QKeySequence) -> bool:
    """Return False: no action has a key."""
    return False


class Letters:
    """Every key is the graph's while it was entered by the keyboard. After a click, and wherever the keyboard
    came to it unasked, a few are, see `keeps`, and all others are words; after what takes the clicked card
    away every letter is.
    """

    def __init__(self) -> None:
        self.keeps: Callable[[QKeySequence], bool] = no_key  # whether a key acts after a click, too
        self._is_entered = False
        self._has_card = True

    def come(self, reason: Qt.FocusReason) -> None:
        """The keyboard came to the graph; back from a menu, a list or another window all is as it was."""
        if reason in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.enter()

    def go(self, reason: Qt.FocusReason) -> None:
        """The keyboard is taken elsewhere by a click or by Tab; a menu, a field or another window gives it
        back.
        """
        if reason in TAKEN_AWAY:
            self._is_entered = False

    def enter(self) -> None:
        self._is_entered = self._has_card = True

    def click(self) -> None:
        self._is_entered, self._has_card = False, True

    def walk(self) -> None:
        self._has_card = True

    def lose_card(self) -> None:
        """Note that the current card is gone: who types next writes."""
        self._has_card = False

    def are_words(self, event: QEvent) -> bool:
        """Return True if a key is meant for where one writes."""
        if self._is_entered or not isinstance(event, QKeyEvent) or not is_letter(event):
            return False
        may_act = self._has_card or not event.text().isalpha()
        return not (may_act and self.keeps(QKeySequence(event.keyCombination())))
