"""Text of a buffer, editable: keys, steps by words, input methods, and what is written handed on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDragLeaveEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QMenu, QWidget

from loomapp.core.text.graphemes import end_of, start_of
from loomapp.ui.buffer.text.prose_column import ProseColumn
from loomapp.ui.buffer.text.prose_layout import looks_of
from loomapp.ui.buffer.text.view_text import READ_AS_OTHERS, stood_in
from loomapp.ui.dialogue.text.safe_document import SafeDocument
from loomapp.ui.keys import is_enter, is_one_of, is_undo
from loomapp.ui.strings import utf16_length
from loomapp.ui.widgets.clipboard import data_of, words_in
from loomapp.ui.widgets.fields import composes, keeps_key
from loomapp.ui.widgets.keyboard import RestAfterKey

REACH = 300  # characters looked at on either side of the caret
KEYS = {  # whether it goes right, and what it does on its way
    QKeySequence.StandardKey.MoveToNextWord: (True, "move"),
    QKeySequence.StandardKey.MoveToPreviousWord: (False, "move"),
    QKeySequence.StandardKey.SelectNextWord: (True, "select"),
    QKeySequence.StandardKey.SelectPreviousWord: (False, "select"),
    QKeySequence.StandardKey.DeleteEndOfWord: (True, "delete"),
    QKeySequence.StandardKey.DeleteStartOfWord: (False, "delete"),
}


class BufferEditor(ProseColumn):
    """Takes keys, pointer, clipboard and input methods.

    The window has the one undo: the editor's own is off, and its keys are left to the window.
    """

    caret_moved = Signal(int)  # position in the text
    generate_pressed = Signal()
    node_picked = Signal(int)  # position: Ctrl+click
    pointed = Signal(int)  # the position under the pointer, -1 for none
    composed = Signal()  # an input method has done with a word, or given it up
    waited = Signal()  # somebody wanted to delete words of an answer that is not done: nothing was
    ghost_key = Signal(str)  # accept | word | next | previous | dismiss, only while a ghost is shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bufferEditor")
        self.setAccessibleName(self.tr("Text of the buffer"))
        self.setCursorWidth(2)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.has_ghost = False
        self._rest = RestAfterKey()
        self.enter_generates = False
        self.history: tuple[QAction, ...] = ()  # the window's undo and redo, for the menu
        self.generate_keys: tuple[QKeySequence, ...] = ()  # those of the window's action
        self.cursorPositionChanged.connect(self.on_cursor_moved)

    @property
    def is_waiting(self) -> bool:
        """True while what is only shown is an answer that is not done: what is written behind it stays there,
        and stands behind it once it is.
        """
        return self._view.writes_behind

    @is_waiting.setter
    def is_waiting(self, is_waiting: bool) -> None:
        self._view.writes_behind = is_waiting

    def createStandardContextMenu(self, position: QPoint | None = None) -> QMenu:
        """Return Qt's menu with the window's undo and redo: the editor's own are off."""
        menu = super().createStandardContextMenu(QPoint() if position is None else position)
        own = [action for action in menu.actions() if action.objectName() in ("edit-undo", "edit-redo")]
        for action in own:
            menu.removeAction(action)
        menu.insertActions(menu.actions()[0], self.history)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    # Clipboard, drag and drop.

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy exactly what was written, not how it is shown."""
        begin, end = self.selection
        return data_of(self._view.text[begin:end])

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() and not source.hasUrls()  # files are attached

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste exactly what was copied."""
        if not self.isReadOnly() and source.hasText():
            self.put(words_in(source))

    def dropEvent(self, event: QDropEvent) -> None:
        """Put what is dropped where it is dropped. Qt would take away and put in as one change, half told."""
        super().dragLeaveEvent(QDragLeaveEvent())  # the caret that follows the pointer goes
        if self.isReadOnly() or not self.canInsertFromMimeData(event.mimeData()):
            event.ignore()
            return
        own = event.source() in (self, self.viewport())
        text, there = words_in(event.mimeData()), self.cursorForPosition(event.position().toPoint())
        self._before_writing()
        place, is_behind = self.place_of(there)  # what is settled before can move it
        begin, end = self.selection
        if not own or event.dropAction() != Qt.DropAction.MoveAction:
            self._put(place, place, text, is_behind=is_behind)
        elif not begin <= place <= end:
            self._move(begin, end, place, is_behind=is_behind)
        event.acceptProposedAction()

    # Keys, input methods, the pointer.

    def event(self, event: QEvent) -> bool:
        """Leave undo, redo and the window's keys to the window; keep those of a ghost, of Generate or of an
        input method.
        """
        if keeps_key(self, event):
            return True
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._ghost_act(event) or self._is_line(event) or self._is_generate(event):
                event.accept()
                return True
            if is_undo(event) or event.modifiers() & Qt.KeyboardModifier.AltModifier:
                event.ignore()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Type, but for the keys of a ghost, of Generate and of the window."""
        act = self._ghost_act(event)
        is_generate = not act and self._is_generate(event) and not self._is_line(event)
        if not is_generate:
            self._rest.hear(event)
        if act:
            self.ghost_key.emit(act)
        elif is_generate:
            if self._rest.counts(event):
                self.generate_pressed.emit()
        elif is_undo(event):
            event.ignore()
        elif self._is_waiting(event):
            event.accept()
            self.waited.emit()
        elif is_enter(event, Qt.KeyboardModifier.ShiftModifier) or self._is_line(event):
            self.put("\n")
        elif self._is_over_words() and (text := _typed(event)):
            self.put(text)
        else:
            if _writes(event) and not self.isReadOnly():
                self._before_writing()
            if not self._steps_by_word(event):
                self._pass_on(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Insert text from an input method just as typed text."""
        was_composing = composes(self)
        self.prose.composed = looks_of(event)
        if not was_composing and (event.preeditString() or event.commitString()):
            self._before_writing()
        text = event.commitString()
        if not self.isReadOnly() and (set(text) & READ_AS_OTHERS or (text and self._is_over_words())):
            self._put_composed(event)
        else:
            super().inputMethodEvent(event)
        if was_composing and not composes(self):
            self.composed.emit()

    def _put_composed(self, event: QInputMethodEvent) -> None:
        """Put a composed text in that could not be read back from the document as it is, or as that alone."""
        super().inputMethodEvent(QInputMethodEvent())  # what was being composed goes
        begin, end = self.selection
        if begin == end:
            unit = self.textCursor().position() + event.replacementStart()
            begin, end = map(self._view.position, (unit, unit + event.replacementLength()))
        self._put(begin, end, event.commitString())
        if event.preeditString():
            super().inputMethodEvent(QInputMethodEvent(event.preeditString(), event.attributes()))

    def _is_over_words(self) -> bool:
        """True if what is typed stands in the place of what is selected. Qt would not say which characters
        that were: those that are the same at an end of both might have stayed, in another passage.
        """
        return self.textCursor().hasSelection() and not self.isReadOnly()

    def _is_waiting(self, event: QKeyEvent) -> bool:
        """True for a key that would delete words of an answer that is not done: they can be once it is."""
        if self.textCursor().hasSelection() or self.isReadOnly() or not (self.is_waiting and self.is_in_tail):
            return False
        is_back = event.key() == Qt.Key.Key_Backspace or event.matches(_STANDARD.DeleteStartOfWord)
        is_forth = event.key() == Qt.Key.Key_Delete or event.matches(_STANDARD.DeleteEndOfWord)
        return (is_back and not self.behind_by) or (is_forth and self.behind_by is None)

    def _is_generate(self, event: QKeyEvent) -> bool:
        enters = self.enter_generates and is_enter(event, Qt.KeyboardModifier.NoModifier)
        return not composes(self) and (enters or is_one_of(event, self.generate_keys))

    def _is_line(self, event: QKeyEvent) -> bool:
        """Return True if Ctrl+Enter is a new line here because Enter generates."""
        is_own = is_one_of(event, self.generate_keys) or event.type() != QEvent.Type.ShortcutOverride
        return self.enter_generates and is_own and is_enter(event, Qt.KeyboardModifier.ControlModifier)

    def _ghost_act(self, event: QKeyEvent) -> str:
        if not self.has_ghost or composes(self):
            return ""
        return _GHOST_KEYS.get((event.key(), _held(event)), "")

    def _steps_by_word(self, event: QKeyEvent) -> bool:
        """True, and done, for a key that goes by a word near a seam: a word may go on behind it."""
        step, cursor = step_of(event) if self.has_seams else None, self.textCursor()
        block = cursor.block()
        ends = (block.position() - 1, block.position() + block.length() - 1)
        if step is None or not any(self.is_seam(e) and abs(e - cursor.position()) < REACH for e in ends):
            return False
        right, act = step
        if act == "delete" and (cursor.hasSelection() or self.isReadOnly() or self.is_in_tail):
            return False
        caret, text = self.caret, self._view.text
        forth = right if act == "delete" else goes_forth(block.textDirection(), right=right)
        place = word_from(text, caret, forth=forth)
        if act == "delete":
            self._put(min(caret, place), max(caret, place), "")
        else:
            begin = self.position_of_anchor() if act == "select" else place
            self.select(begin, place)
        return True

    def position_of_anchor(self) -> int:
        """Return the fixed end of the selection; the caret if nothing is selected."""
        return self._view.position(self.textCursor().anchor())

    def _pass_on(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Backspace | Qt.Key.Key_Delete:
                self._step_over_seam(event)
                super().keyPressEvent(event)
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                before = self.textCursor().position()
                super().keyPressEvent(event)
                self._leave_seam(event, before)
            case _:
                super().keyPressEvent(event)

    def _step_over_seam(self, event: QKeyEvent) -> None:
        """Move or select so that a deleting key takes the character behind a seam, and both characters of
        CRLF.
        """
        cursor = self.textCursor()
        if cursor.hasSelection() or self.isReadOnly():
            return
        place, text = cursor.position(), self._view.text
        plain = _held(event) in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Backspace:
            if place and self._view.is_seam(place - 1):
                cursor.setPosition(place - 1)
                self.setTextCursor(cursor)
            caret = self.caret
            if plain and text[max(0, caret - 2) : caret] == "\r\n":
                self.select(caret, caret - 2)
        elif event.key() == Qt.Key.Key_Delete:
            if self._view.is_seam(place):
                cursor.setPosition(place + 1)
                self.setTextCursor(cursor)
            if plain and text[self.caret : self.caret + 2] == "\r\n":
                self.select(self.caret, self.caret + 2)

    def _leave_seam(self, event: QKeyEvent, before: int) -> None:
        """A seam is no place of its own: one press of an arrow goes over it, from where the caret stood."""
        place = self.textCursor().position()
        if abs(place - before) == 1 and self._view.is_seam(min(place, before)):
            super().keyPressEvent(event)  # that was the seam alone
        cursor = self.textCursor()
        place = cursor.position()
        held = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        mode = QTextCursor.MoveMode.KeepAnchor if held else QTextCursor.MoveMode.MoveAnchor
        if self._view.is_seam(place):
            cursor.setPosition(place + 1, mode)
            self.setTextCursor(cursor)

    def on_cursor_moved(self) -> None:
        if self._typewriter and not self._is_own:
            self.centerCursor()
        if not self._is_telling:
            self.caret_moved.emit(self.caret)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the node of the text, with Ctrl."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.button() == Qt.MouseButton.LeftButton:
            self.node_picked.emit(self.position_at(event.position().toPoint()))
            event.accept()
            return
        super().mousePressEvent(event)

    def press_beside(self, at: QPoint) -> None:
        """Take a click beside the column, at a place of the viewport, as one in the line there; below the
        text it is one at its end.
        """
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.setTextCursor(self.cursorForPosition(at))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if event.buttons() == Qt.MouseButton.NoButton:
            self.pointed.emit(self.position_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(-1)


def _held(event: QKeyEvent) -> Qt.KeyboardModifier:
    return event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def _typed(event: QKeyEvent) -> str:
    """Return the text that a key types, as an ordinary field would; "" for any other key."""
    if is_enter(event, Qt.KeyboardModifier.NoModifier):
        return "\n"
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    text = event.text()
    return "" if _held(event) in (control, control | shift) or not text.isprintable() else text


def _writes(event: QKeyEvent) -> bool:
    """Return True for keys that change a text."""
    text = event.text()
    if text and (text.isprintable() or text in "\r\t\n"):
        return True
    deletes = event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
    return deletes or any(event.matches(key) for key in _EDITING)


_STANDARD = QKeySequence.StandardKey
_EDITING = (
    _STANDARD.Cut,
    _STANDARD.Paste,
    _STANDARD.Delete,
    _STANDARD.DeleteEndOfWord,
    _STANDARD.DeleteStartOfWord,
    _STANDARD.DeleteEndOfLine,
    _STANDARD.DeleteCompleteLine,
)
_KEYS, _MODIFIERS = Qt.Key, Qt.KeyboardModifier
_GHOST_KEYS: dict[tuple[int, Qt.KeyboardModifier], str] = {
    (_KEYS.Key_Tab, _MODIFIERS.NoModifier): "accept",
    (_KEYS.Key_Right, _MODIFIERS.ControlModifier): "word",
    (_KEYS.Key_Period, _MODIFIERS.AltModifier): "next",
    (_KEYS.Key_Comma, _MODIFIERS.AltModifier): "previous",
    (_KEYS.Key_Escape, _MODIFIERS.NoModifier): "dismiss",
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


def word_end(text: str, position: int) -> int:
    """Return the end of the word that a position is in or before; the position where it is in none."""
    return position + len(text[position : word_from(text, position, forth=True)].rstrip())


def goes_forth(direction: Qt.LayoutDirection, *, right: bool) -> bool:
    """True if a step to the right, or to the left, goes forth in a text of this direction."""
    return right == (direction == Qt.LayoutDirection.LeftToRight)
