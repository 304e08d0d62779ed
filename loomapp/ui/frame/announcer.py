"""Announcements for screen readers: what just became ready, what failed, what was done."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from loomapp.core.model.change import Change
from loomapp.ui.strings import tr


class Announcer(QObject):
    said = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def say(self, words: str) -> None:
        """Say it when the reader has come to its end, without interrupting."""
        if words:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._window, words))
            self.said.emit(words)

    def on_committed(self, change: Change) -> None:
        """Announce answers that became nodes."""
        count = len(change.added_nodes())
        if count:
            self.say(tr("1 branch ready") if count == 1 else tr("{count} branches ready").format(count=count))
