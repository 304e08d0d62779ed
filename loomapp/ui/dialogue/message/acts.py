"""Acts that can be asked of a message, by its parts, the mouse and the keyboard: facts for who shows it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.dialogue.message import head
from loomapp.ui.dialogue.message.body import Body
from loomapp.ui.dialogue.script.entries import Entry


class MessageActs(QWidget):
    """Signals of what was asked for, and of which node or draft; it does none of it."""

    way_chosen = Signal(str)  # a sibling's node id or a draft's key
    note_toggled = Signal(str)  # a note's node id
    draft_asked = Signal(str, str)  # a draft's key, retry | stop | key | dismiss; a node id, allow | continue
    retry_asked = Signal(str)  # node id, as in the next ones
    edit_asked = Signal(str)
    bookmark_asked = Signal(str)
    exclude_asked = Signal(str)
    node_clicked = Signal(str)
    summarise_asked = Signal()  # in place of what has no room
    shortened_asked = Signal(str, QWidget)  # node id, and the chip that says it
    edit_committed = Signal(str, str)  # node id, text
    edit_typed = Signal(str, object)  # node id, text as it is being written; None: as it is saved
    edit_closed = Signal(str)  # node id: its words wait
    edit_left = Signal(str)  # node id: the user does not want it
    expand_clicked = Signal(str)  # node id
    menu_asked = Signal(str, QPoint)  # node id, place on the screen
    height_changed = Signal()
    image_chosen = Signal(object)  # Image: it is to be shown large
    fold_clicked = Signal(str)  # node id; unfold, or fold again
    hovered = Signal(str)  # what the pointer is over; empty when it leaves

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._entry: Entry | None = None
        self._tools: head.MessageTools | None = None
        self._body = Body(self)

    @property
    def key(self) -> str:
        return self._entry.key if self._entry is not None else ""

    @property
    def entry(self) -> Entry | None:
        return self._entry

    @property
    def body(self) -> Body:
        return self._body

    def drop_tools(self) -> None:
        """Hide the tools, and the buttons on its code."""
        if self._tools is not None:
            self._tools.hide()
        self.body.code.show_buttons(False)

    def on_turned(self, step: int) -> None:
        entry = self.entry
        key = None if entry is None else entry.before if step < 0 else entry.after
        if key is not None:
            self.way_chosen.emit(key)

    def on_include_clicked(self) -> None:
        self.exclude_asked.emit(self.key)

    def on_fold_clicked(self) -> None:
        self.fold_clicked.emit(self.key)

    def on_expand_clicked(self) -> None:
        self.expand_clicked.emit(self.key)

    def on_draft_asked(self, act: str) -> None:
        self.draft_asked.emit(self.key, act)

    def on_retry_clicked(self) -> None:
        self.retry_asked.emit(self.key)

    def on_edit_clicked(self) -> None:
        self.edit_asked.emit(self.key)

    def on_bookmark_clicked(self) -> None:
        self.bookmark_asked.emit(self.key)

    def on_more_clicked(self) -> None:
        assert self._tools is not None
        self.menu_asked.emit(self.key, self._tools.mapToGlobal(self._tools.rect().bottomLeft()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_asked.emit(self.key, event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on its head picks the node; in its text the view selects."""
        if event.button() == Qt.MouseButton.LeftButton and event.position().y() < self.body.y():
            self.node_clicked.emit(self.key)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right walk the siblings."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if plain and event.key() == Qt.Key.Key_Left:
            self.on_turned(-1)
        elif plain and event.key() == Qt.Key.Key_Right:
            self.on_turned(1)
        else:
            event.ignore()
