"""Writing a note: a field above the composer, open until the note is added or left."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from loomapp.ui import theme
from loomapp.ui.dialogue.editor import MessageEditor
from loomapp.ui.widgets.elided_label import ElidedLabel

MARGIN_PX = 16


class NoteBox(QWidget):
    """Hidden until a note is asked for. It blocks nothing: one goes on reading while it is open."""

    written = Signal(str, str)  # node id, the note
    left = Signal(str)  # node id: it is not wanted

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noteBox")
        self._node_id = ""
        self._about = ""
        self._left: dict[str, str] = {}  # begun and not added, by node
        self._came_from: QWidget | None = None
        self._title = ElidedLabel(self)
        self._title.setFont(theme.font("small"))
        theme.set_look(self._title, tone="muted")
        self.editor = MessageEditor(self.tr("Add note"), self)
        self.editor.field.setAccessibleName(self.tr("Note"))
        self.editor.committed.connect(self.on_committed)
        self.editor.cancelled.connect(self.on_cancelled)
        self.editor.height_changed.connect(self.fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, 8, MARGIN_PX, 8)
        column.setSpacing(theme.px("space.xs"))
        column.addWidget(self._title)
        column.addWidget(self.editor)
        self.hide()

    def open(self, node_id: str, title: str) -> None:
        """Begin a note on a node, or go on with the one that was begun there."""
        self.leave()
        self._came_from = QApplication.focusWidget()
        self._node_id, self._about = node_id, title
        self._title.show_words(self.tr("Note on “{0}”, not sent unless you include it"), title)
        self.show()
        self.editor.open("")
        self.editor.field.setPlainText(self._left.pop(node_id, ""))
        self.editor.field.moveCursor(self.editor.field.textCursor().MoveOperation.End)
        self.fit()

    def leave(self) -> None:
        """Another thing is shown: what was begun waits for its node."""
        if not self.isHidden() and self.editor.text.strip():
            self._left[self._node_id] = self.editor.text
        self._close()

    def open_again(self, node_id: str, text: str) -> None:
        """Go on with a note that could not be saved."""
        self._left[node_id] = text
        self.open(node_id, self._about)

    def begun(self, node_id: str) -> str | None:
        """The note that is begun on a node; None if there is none."""
        if self._node_id == node_id and not self.isHidden():
            return self.editor.text
        return self._left.get(node_id)

    def forget(self, node_id: str) -> None:
        """The note on a node is saved."""
        self._left.pop(node_id, None)
        if self._node_id == node_id:
            self._close()

    def on_committed(self, text: str) -> None:
        """The note is to be added, unless there is nothing in it."""
        self._close()
        if text.strip():
            self.written.emit(self._node_id, text)

    def on_cancelled(self) -> None:
        """No note."""
        self._close()
        self.left.emit(self._node_id)

    def _close(self) -> None:
        if self._came_from is not None and self._came_from.isVisible() and self.editor.field.hasFocus():
            self._came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self._came_from = None
        self.hide()

    def fit(self) -> None:
        """As high as its lines."""
        self.editor.fit(self.width() - 2 * MARGIN_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, other lines."""
        super().resizeEvent(event)
        self.fit()
