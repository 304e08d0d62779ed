"""A line to type in, whose keys are an input method's while that composes in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFocusEvent, QInputMethodEvent
from PySide6.QtWidgets import QLineEdit


class Line(QLineEdit):
    """Line from which no action takes a key while a word is not done: Ctrl+Enter sends nothing then."""

    _composed = ""  # of the class: Qt sends events before there is anything of ours

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember what is being composed: Qt does not say."""
        super().inputMethodEvent(event)
        self._composed = event.preeditString()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Forget what was composed: nothing is where one does not type."""
        super().focusOutEvent(event)
        self._composed = ""

    def event(self, event: QEvent) -> bool:
        """Keep an input method's keys from the window's actions."""
        if self._composed and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)
