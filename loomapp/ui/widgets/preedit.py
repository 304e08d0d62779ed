"""Preedit text of an input method: it is drawn in a field, and is no part of its text yet."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit


def composes(field: QPlainTextEdit | QTextEdit) -> bool:
    """True while an input method is in the middle of a word at the caret: keys belong to it then."""
    return bool(field.textCursor().block().layout().preeditAreaText())


def keeps_key(field: QPlainTextEdit | QTextEdit, event: QEvent) -> bool:
    """True, and told, for a key that a window's action would take from a field in which one composes: what is
    not in the text yet would not be sent.
    """
    keeps = event.type() == QEvent.Type.ShortcutOverride and composes(field)
    if keeps:
        event.accept()
    return keeps
