"""Message whose text can be changed in its place: its editor, opened, told of, and put away."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from loomapp.ui.dialogue.message.acts import MessageActs
from loomapp.ui.dialogue.message.editor import MessageEditor


class EditableMessage(MessageActs):
    """Message with an editor while its text is changed; it says what was written, and stores none of it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._edited = ""
        self._editor: MessageEditor | None = None

    @property
    def editor(self) -> MessageEditor | None:
        return self._editor

    @property
    def is_editing(self) -> bool:
        return self._editor is not None

    def open_editor(self, node_id: str, text: str | None = None) -> None:
        """Put an editor for its node in the body's place, with its text or one begun before."""
        entry = self.entry
        if entry is None or entry.key != node_id or entry.node is None:
            return
        if self._editor is not None and self._edited == node_id and text is None:
            self._editor.field.setFocus(Qt.FocusReason.OtherFocusReason)  # its words stay
            return
        self._edited = node_id
        if self._editor is None:
            self._editor = MessageEditor(self.tr("Save as sibling"), self)
            self._editor.committed.connect(self.on_edit_committed)
            self._editor.typed.connect(self.on_edit_typed)
            self._editor.closed.connect(self.on_edit_closed)
            self._editor.discarded.connect(self.on_edit_discarded)
            self._editor.height_changed.connect(self.height_changed)
            self._editor.show()
        self.drop_tools()
        self.height_changed.emit()
        self._editor.open(entry.written, text)

    def close_editor(self) -> None:
        if self._editor is not None:
            editor, self._editor = self._editor, None
            editor.hide()
            editor.deleteLater()
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.height_changed.emit()

    def edited_text(self, node_id: str) -> str | None:
        return self._editor.text if self._editor is not None and self._edited == node_id else None

    def on_edit_typed(self) -> None:
        if self._editor is not None:
            self.edit_typed.emit(self._edited, self._editor.text if self._editor.is_changed else None)

    def on_edit_closed(self) -> None:
        """Show the text as it is stored; what was written waits."""
        self.close_editor()
        self.edit_closed.emit(self._edited)

    def on_edit_discarded(self) -> None:
        """Show the text as it is stored; what was written is given up."""
        self.close_editor()
        self.edit_left.emit(self._edited)

    def on_edit_committed(self, text: str) -> None:
        self.close_editor()
        self.edit_committed.emit(self._edited, text)
