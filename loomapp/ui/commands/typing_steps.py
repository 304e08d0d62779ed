"""Steps of typing: undo and redo go through these first, in the text one writes in, then through changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


class TypingSteps:
    """Of the buffer that is read, else of the composer while the keyboard is in it."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    @property
    def can_undo(self) -> bool:
        """True if there is typing to take back."""
        if self._window.buffer.is_on:
            return self._window.writing.can_undo_typing
        return self._is_in_composer and self._window.composer.edits.can_undo

    @property
    def can_redo(self) -> bool:
        """True if there is typing to do again."""
        if self._window.buffer.is_on:
            return self._window.writing.can_redo_typing
        return self._is_in_composer and self._window.composer.edits.can_redo

    def undo(self) -> bool:
        """Take back a step of typing; False if there is none."""
        if self._window.buffer.is_on:
            return self._window.buffer.taking_back.undo_typing()
        return self._is_in_composer and self._window.composer.undo_typing()

    def redo(self) -> bool:
        """Type again what was taken back; False if there is nothing."""
        if self._window.buffer.is_on:
            return self._window.buffer.taking_back.redo_typing()
        return self._is_in_composer and self._window.composer.redo_typing()

    @property
    def _is_in_composer(self) -> bool:
        return self._window.composer.field.hasFocus()
