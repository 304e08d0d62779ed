"""Writing a note: a field above the composer, open until the note is added or left."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QVBoxLayout, QWidget
from shiboken6 import isValid

from loomapp.ui.dialogue.message.editor import MessageEditor
from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import ElidedLabel

MARGIN_PX = 16


class NoteBox(QWidget):
    """Hidden until a note is asked for. It blocks nothing: one goes on reading while it is open."""

    written = Signal(str, str)  # node id, the note
    typed = Signal(str, str)  # node id, the note as far as it is
    closed = Signal(str)  # node id: its words wait
    left = Signal(str)  # node id: it is not wanted
    visibility_changed = Signal(bool)

    def __init__(self, go_on: Callable[[], None], parent: QWidget | None = None) -> None:
        """`go_on` gives the keyboard to where one writes."""
        super().__init__(parent)
        self.setObjectName("noteBox")
        self._go_on = go_on
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
        focused, came_from, self._came_from = QApplication.focusWidget(), self._came_from, None
        if focused is not None and self.isAncestorOf(focused):
            is_there = came_from is not None and isValid(came_from) and came_from.isVisible()
            if came_from is None or not is_there or isinstance(came_from, QAbstractButton):
                self._go_on()  # a button would take the space of the next words as a press
            else:
                came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def fit(self) -> None:
        self.editor.fit(self.width() - 2 * MARGIN_PX)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visibility_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visibility_changed.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
