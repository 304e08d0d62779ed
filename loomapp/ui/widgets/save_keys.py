"""Keys of a field that is edited in its place: Ctrl+Enter keeps what was written, Esc puts the field away."""

from __future__ import annotations

from typing import Literal, TypeAlias

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from loomapp.ui.widgets.fields import composes
from loomapp.ui.widgets.form import LongText

SaveKey: TypeAlias = Literal["", "save", "close"]


def is_save(event: QKeyEvent) -> bool:
    """True for Ctrl+Enter, the key pad's too."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return (
        event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and held == Qt.KeyboardModifier.ControlModifier
    )


def claims(event: QEvent) -> bool:
    """True, and told, for the two keys before an action of the window takes them."""
    is_ours = (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and (is_save(event) or event.matches(QKeySequence.StandardKey.Cancel))
    )
    if is_ours:
        event.accept()
    return is_ours


def pressed(field: QPlainTextEdit | QTextEdit, event: QKeyEvent) -> SaveKey:
    """Return which of the two keys was pressed; neither while an input method composes: they are its own."""
    if composes(field):
        return ""
    if is_save(event):
        return "save"
    return "close" if event.matches(QKeySequence.StandardKey.Cancel) else ""


class SummaryField(LongText):
    """Field of a summary. Esc leaves it with its words, Ctrl+Enter keeps them and leaves it."""

    close_pressed = Signal()
    save_pressed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, lines=2, type_name="ui")
        self.setObjectName(name)

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking the two keys."""
        return claims(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match pressed(self, event):
            case "save":
                self.save_pressed.emit()
            case "close":
                self.close_pressed.emit()
            case _:
                super().keyPressEvent(event)
