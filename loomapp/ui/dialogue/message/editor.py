"""Editing a message in its place: its text as it is stored, saved as a sibling, closed, or discarded."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from loomapp.ui.dialogue.message import head
from loomapp.ui.dialogue.message.body import Body
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import KeyButton, push_button
from loomapp.ui.widgets.form import SavedField
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.layouts import fill, vertical


class MessageActs(QWidget):
    """Signals of what was asked for, and of which node or draft; it does none of it."""

    way_chosen = Signal(str)  # a sibling's node id or a draft's key
    note_toggled = Signal(str)  # a note's node id
    draft_asked = Signal(str, str)  # draft key, retry | stop | key | dismiss; node, allow | continue | again
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
        self.is_pressed = False  # its tools stay

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


MOST_LINES = 16
FRAME_PX = 22  # border, padding and margin around the lines


class MessageEditor(QWidget):
    """A field and three buttons. It has an undo of its own until it is saved. Closed with other words than it
    began with, it has `closed`, and whoever keeps them opens it with them again; else it is `discarded`.
    """

    typed = Signal()  # its text is another now, by the user's hand
    committed = Signal(str)
    closed = Signal()
    discarded = Signal()
    height_changed = Signal()

    def __init__(self, save_words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageEditor")
        self._field = SavedField(self)
        self._field.setObjectName("messageEditorField")
        self._field.setAccessibleName(self.tr("Message text"))
        self._save = KeyButton(save_words, self.tr("Ctrl+Enter"), self, kind="primary")
        self._save.setObjectName("saveEditButton")
        self._save.setToolTip(plain_tip(self.tr("Adds it as a message beside this one, which stays.")))
        self._close = KeyButton(self.tr("Keep for later"), self.tr("Esc"), self)
        self._close.setObjectName("closeEditButton")
        self._close.setToolTip(plain_tip(self.tr("Close it; what you wrote is here when you edit again.")))
        self._discard = push_button("discardEditButton", self.tr("Discard"), self, kind="quiet")
        self._discard.setToolTip(
            plain_tip(self.tr("Throw away what you wrote here; the message stays as it was."))
        )
        self._before = ""
        self._is_opening = False
        self._lay_out()
        self._field.save_pressed.connect(self.on_save)
        self._field.close_pressed.connect(self.on_close)
        self._field.textChanged.connect(self.on_text_changed)
        self._save.clicked.connect(self.on_save)
        self._close.clicked.connect(self.on_close)
        self._discard.clicked.connect(self.discarded)

    def open(self, text: str, begun: str | None = None) -> None:
        """Begin with a text, or go on with what was begun of it; the caret at its end."""
        self._is_opening = True
        self._field.setPlainText(text)
        self._before = self.text
        if begun is not None:
            self._field.setPlainText(begun)
        self._is_opening = False
        self._field.moveCursor(self._field.textCursor().MoveOperation.End)
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.on_text_changed()

    def show_save_words(self, words: str) -> None:
        self._save.setText(words)
        self._save.setAccessibleName(words)

    @property
    def text(self) -> str:
        """The text as written, non-breaking spaces included."""
        return self._field.exact_text

    @property
    def is_changed(self) -> bool:
        return self.text != self._before

    @property
    def field(self) -> QPlainTextEdit:
        return self._field

    def on_save(self) -> None:
        """Hand the text over; an unchanged one makes no sibling."""
        if self.is_changed:
            self.committed.emit(self.text)
        else:
            self.discarded.emit()

    def on_close(self) -> None:
        """Put the editor away; what was written is not lost by it."""
        if self.is_changed:
            self.closed.emit()
        else:
            self.discarded.emit()

    def on_text_changed(self) -> None:
        if not self._is_opening:
            self.typed.emit()
        if self._lines_height() != self._field.height():
            self.height_changed.emit()

    def fit(self, width: int) -> int:
        """Take a width, and as many lines as the text has, within limits; the height that makes."""
        self._show_keys(self.tr("Ctrl+Enter"), self.tr("Esc"))
        if sum(button.sizeHint().width() for button in self._buttons()) + 2 * theme.px("space.s") > width:
            self._show_keys("", "")
        self._field.setFont(theme.font("dialogue"))
        self._field.resize(width, self._field.height())
        self._field.setFixedHeight(self._lines_height())
        return self._field.height() + theme.px("space.s") + theme.px("control.height_primary")

    def _buttons(self) -> tuple[QPushButton, ...]:
        return self._discard, self._close, self._save

    def _show_keys(self, save: str, close: str) -> None:
        self._save.show_key(save)
        self._close.show_key(close)

    def _lines_height(self) -> int:
        blocks = min(self._field.blockCount(), MOST_LINES)
        lines = sum(max(1, block_lines(self._field, i)) for i in range(blocks))
        return math.ceil(max(2, min(MOST_LINES, lines)) * line_px(self._field)) + FRAME_PX

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.px("space.s"))
        buttons.addStretch(1)
        fill(buttons, *self._buttons())
        column = vertical(self, spacing=theme.px("space.s"))
        fill(column, self._field, buttons)


def block_lines(field: QPlainTextEdit, number: int) -> int:
    """Return the number of lines that a block takes on the screen."""
    block = field.document().findBlockByNumber(number)
    return block.layout().lineCount() if block.isValid() else 0


def line_px(field: QPlainTextEdit) -> float:
    """Return the height of a line of its text: whole pixels, so more than the font says."""
    line = field.document().firstBlock().layout().lineAt(0)
    return line.height() if line.isValid() else QFontMetricsF(field.font()).lineSpacing()


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
            self._editor = MessageEditor(self.tr("Save"), self)
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
            self.setFocus(
                Qt.FocusReason.OtherFocusReason
            )  # first: what is hidden passes it to its neighbours
            editor.hide()
            editor.deleteLater()
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
