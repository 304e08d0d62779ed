"""Words left in a one-line editor with Esc: the next one about the same thing opens with them."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit


class LeftWords:
    """Words that were typed and not taken, by what they are about, for as long as the window lives.

    They come back once: who leaves them again as they came lets go of them.
    """

    def __init__(self) -> None:
        self._left: dict[str, str] = {}
        self._shown = ""

    def fill(self, field: QLineEdit, about: str, saved: str) -> None:
        """Show what was left, or else what is saved; undo in the field goes from the one to the other."""
        field.setText(saved)
        self._shown = self._left.pop(about, saved)
        field.selectAll()
        if self._shown != saved:
            field.insert(self._shown)
            field.selectAll()

    def leave(self, field: QLineEdit, about: str) -> None:
        """Keep what was typed since the field was filled."""
        words = field.text()
        if words.strip() and words != self._shown:
            self._left[about] = words
