"""Ctrl+wheel over a text: steps by which it is to grow or shrink."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent

NOTCH = 120  # of QWheelEvent.angleDelta


def text_steps(event: QWheelEvent) -> int | None:
    """Return the px by which a text is to grow, negative to shrink, 0 for less than a notch; None for a wheel
    that only scrolls.
    """
    if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return None
    return round(event.angleDelta().y() / NOTCH)
