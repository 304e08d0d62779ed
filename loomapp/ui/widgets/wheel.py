"""Ctrl+wheel over a text: steps by which it is to grow or shrink."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent

NOTCH = 120  # of QWheelEvent.angleDelta


class TextSteps:
    """Counts notches of a wheel with Ctrl. A touchpad, and some wheels, tell them in parts."""

    def __init__(self) -> None:
        self._part = 0

    def count(self, event: QWheelEvent) -> int | None:
        """Return the px by which a text is to grow, negative to shrink, 0 for less than a notch so far; None
        for a wheel that only scrolls.
        """
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._part = 0
            return None
        turned = self._part + event.angleDelta().y()
        steps = int(turned / NOTCH)
        self._part = turned - steps * NOTCH
        return steps
