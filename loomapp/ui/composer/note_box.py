"""Writing a note: a field above the composer, open until the note is added or left."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from loomapp.ui.dialogue.message.editor import MessageEditor
from loomapp.ui.look import theme
from loomapp.ui.widgets.elided_label import ElidedLabel

MARGIN_PX = 16


class NoteBox(QWidget):
    """Hidden until a note is asked for. It blocks nothing: one goes on reading while it is open."""

    written = Signal(str, str)  # node id, the note
    typed = Signal(str, str)  # node id, the note as far as it is
    closed = Signal(str)  # node id: its words wait
    left = Signal(str)  # node id: it is not wanted

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noteBox")
        self._node_id = ""
        self._came_from: QWidget | None = None
        self._title = ElidedLabel(self)
        self._title.setFont(theme.font("small"))
        theme.set_look(self._title, tone="muted")
        self.editor = MessageEditor(self.tr("Add note"), self)
        self.editor.field.setAccessibleName(self.tr("Note"))
        self.editor.committed.connect(self.on_committed)
        self.editor.typed.connect(self.on_typed)
        self.editor.closed.connect(self.on_closed)
        self.editor.discarded.connect(self.on_discarded)
        self.editor.height_changed.connect(self.fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, 8, MARGIN_PX, 8)
        column.setSpacing(theme.px("space.xs"))
        column.addWidget(self._title)
        column.addWidget(self.editor)
        self.hide()

    def open(self, node_id: str, title: str, begun: str = "") -> None:
        """Begin a note on a node, or go on with the one that was begun there."""
        self.leave()
        self._came_from = QApplication.focusWidget()
        self._node_id = node_id
        self._title.show_words(self.tr("Note on “{0}”, not sent unless you include it"), title)
        self.show()
        self.editor.open("", begun)
        self.fit()

    def leave(self) -> None:
        """Close, for another thing is shown: the words were told, and wait for their node."""
        self._close()

    def forget(self, node_id: str) -> None:
        """Close if the note on this node is open: it is saved."""
        if self._node_id == node_id:
            self._close()

    def on_typed(self) -> None:
        self.typed.emit(self._node_id, self.editor.text)

    def on_committed(self, text: str) -> None:
        """Hand the note on, unless there is nothing in it."""
        self._close()
        if text.strip():
            self.written.emit(self._node_id, text)

    def on_closed(self) -> None:
        self._close()
        self.closed.emit(self._node_id)

    def on_discarded(self) -> None:
        self._close()
        self.left.emit(self._node_id)

    def _close(self) -> None:
        if self._came_from is not None and self._came_from.isVisible() and self.editor.field.hasFocus():
            self._came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self._came_from = None
        self.hide()

    def fit(self) -> None:
        self.editor.fit(self.width() - 2 * MARGIN_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
