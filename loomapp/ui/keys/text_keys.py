"""Keys that a text takes for itself: undo and redo, and Enter in its several forms."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence


def is_undo(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


def is_enter(event: QKeyEvent, held: Qt.KeyboardModifier) -> bool:
    """True for Enter with exactly these modifiers, the key pad's too."""
    if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return False
    return event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == held
