"""Editors in a column of messages: one opened in a message's place, asked for its words, and closed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from loomapp.ui.dialogue.reader import ReaderColumn


def nothing_begun(_: str) -> str | None:
    """Return None: no edit was closed."""
    return None


class EditorColumn(ReaderColumn):
    """Column whose messages can be edited in their place; nothing of it is stored here."""

    edit_opened = Signal(str)  # node id: it stands in an editor now

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.begun_edit: Callable[[str], str | None] = nothing_begun  # words of an edit that was closed

    def open_editor(self, node_id: str, text: str | None = None) -> None:
        """Edit a message of the path in its place; go on with a text that was begun before."""
        if not self.is_on_path(node_id):
            return
        self.reveal(node_id)
        message = self.message(node_id)
        if message is None:
            return
        if text is None and message.edited_text(node_id) is None:
            text = self.begun_edit(node_id)
        message.open_editor(node_id, text)
        if message.editor is not None:
            self.bring_into_view(message.editor)
            self.edit_opened.emit(node_id)

    def edited_text(self, node_id: str) -> str | None:
        """Return the text in the open editor of a message; None if there is none."""
        texts = (message.edited_text(node_id) for message in self._shown.values())
        return next((text for text in texts if text is not None), None)

    @property
    def is_editing(self) -> bool:
        return any(message.is_editing for message in self._shown.values())

    def is_editing_beside(self, node_id: str) -> bool:
        """True if there is no room for an editor of a message: it has one, or its row has."""
        message = self.message(node_id)
        return message is not None and message.is_editing

    def close_editor(self, node_id: str) -> None:
        for message in list(self._shown.values()):
            if message.edited_text(node_id) is not None:
                message.close_editor()
