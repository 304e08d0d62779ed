"""Steps by a word where a long paragraph is split in the view: as if it was not."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor

from loomapp.core.text.graphemes import end_of, start_of
from loomapp.ui.buffer.text.view_text import stood_in, utf16_length
from loomapp.ui.dialogue.text.safe_document import SafeDocument

REACH = 300  # characters looked at on either side of the caret
KEYS = {  # whether it goes right, and what it does on its way
    QKeySequence.StandardKey.MoveToNextWord: (True, "move"),
    QKeySequence.StandardKey.MoveToPreviousWord: (False, "move"),
    QKeySequence.StandardKey.SelectNextWord: (True, "select"),
    QKeySequence.StandardKey.SelectPreviousWord: (False, "select"),
    QKeySequence.StandardKey.DeleteEndOfWord: (True, "delete"),
    QKeySequence.StandardKey.DeleteStartOfWord: (False, "delete"),
}


def step_of(event: QKeyEvent) -> tuple[bool, str] | None:
    """Return direction and operation of a key that goes or deletes by a word; None for other keys."""
    return next((step for key, step in KEYS.items() if event.matches(key)), None)


def word_from(text: str, position: int, *, forth: bool) -> int:
    """Return the begin of the next or previous word, as Qt counts words."""
    begin, end = start_of(text, max(0, position - REACH)), end_of(text, min(len(text), position + REACH))
    document = SafeDocument()
    document.setPlainText(f".{stood_in(text[begin:end])}")  # the sign in front keeps a U+FEFF where it is
    cursor = QTextCursor(document)
    cursor.setPosition(1 + utf16_length(text[begin:position]))
    operation = QTextCursor.MoveOperation
    cursor.movePosition(operation.NextWord if forth else operation.PreviousWord)
    if cursor.atStart():
        return begin
    cursor.setPosition(1, QTextCursor.MoveMode.KeepAnchor)
    return begin + len(cursor.selectedText())


def goes_forth(direction: Qt.LayoutDirection, *, right: bool) -> bool:
    """True if a step to the right, or to the left, goes forth in a text of this direction."""
    return right == (direction == Qt.LayoutDirection.LeftToRight)
