"""Fields of a settings page: long text, numbers, choices; keys of a field that is edited in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import QEvent, QLocale, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QPlainTextEdit,
    QSlider,
    QSpinBox,
    QTextEdit,
    QWidget,
)

from loomapp.ui.look import theme
from loomapp.ui.strings import utf16_length
from loomapp.ui.widgets.clipboard import words_in
from loomapp.ui.widgets.fields import WrappingField, composes, keeps_key

NUMBERS = QLocale(
    QLocale.Language.English, QLocale.Country.UnitedStates
)  # 1,024, as everywhere in the window
LONGEST_PX = 320


def is_undo_key(event: QEvent) -> bool:
    """True for the keys of undo and redo, which belong to the window's one history."""
    return (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and (event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo))
    )


class LongText(QTextEdit):
    """Plain text of several lines, with no history of its own unless that is switched on: undo and redo then
    reach the window.

    It grows with its text up to a height. Tab goes to the next field.
    """

    typing_ended = Signal()  # the keyboard went elsewhere, or undo or redo comes next

    def __init__(self, parent: QWidget | None = None, *, lines: int = 5, type_name: str = "dialogue") -> None:
        super().__init__(parent)
        self._lines, self._type_name = lines, type_name
        self._wanted = ""
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFont(theme.font(type_name))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().setDocumentMargin(8)
        self._set_line_height()
        self.document().documentLayout().documentSizeChanged.connect(self._fit_height)
        self._fit_height()

    def setPlaceholderText(self, words: str) -> None:
        """Set the words shown while nothing is written; Qt's own are cut off where one line ends."""
        self._wanted = words
        self.setAccessibleDescription(words)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._wanted and self.document().isEmpty() and not self._preedit():
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().placeholderText().color())
            down = theme.line_height(self._type_name) - self.fontMetrics().height()
            room = self.viewport().rect().adjusted(8, 8 + down, -8, -4)
            painter.drawText(room, Qt.TextFlag.TextWordWrap, self._wanted)
            painter.end()

    def _preedit(self) -> str:
        return self.document().firstBlock().layout().preeditAreaText()

    def text(self) -> str:
        """Return the text of the field; unlike Qt's own, no-break spaces stay as they are."""
        raw = self.document().toRawText()
        return raw.replace("\u2029", "\n").replace("\u2028", "\n")

    def show_text(self, text: str) -> None:
        """Show a text by changing only what differs, so that the caret stays where it is in the rest."""
        old = self.text()
        if old == text:
            return
        start = _shared_start(old, text)
        end = _shared_start(old[start:][::-1], text[start:][::-1])
        cursor = QTextCursor(self.document())
        cursor.setPosition(utf16_length(old[:start]))
        cursor.setPosition(utf16_length(old[: len(old) - end]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[start : len(text) - end], cursor.charFormat())

    def setPlainText(self, text: str) -> None:
        super().setPlainText(text)
        self._set_line_height()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste words only, in the form of the text around them."""
        if source.hasText():
            self.textCursor().insertText(words_in(source))
            self.ensureCursorVisible()

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window, which must first know what was typed; no action takes a key from
        an input method.
        """
        if keeps_key(self, event):
            return True
        if is_undo_key(event) and not self.isUndoRedoEnabled():
            self.typing_ended.emit()
            event.ignore()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Say that typing ended, but for a menu that opens over it."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.typing_ended.emit()

    def _set_line_height(self) -> None:
        fixed = QTextBlockFormat()
        line = theme.line_height(self._type_name)
        fixed.setLineHeight(line, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(fixed)

    def _fit_height(self) -> None:
        least = self._lines * theme.line_height(self._type_name) + 2 * 8 + 2
        wished = round(self.document().size().height()) + 10
        self.setFixedHeight(max(least, min(wished, LONGEST_PX)))


def _shared_start(a: str, b: str) -> int:
    """Return the number of characters that two texts have in common at their start."""
    length = min(len(a), len(b))
    return next((i for i in range(length) if a[i] != b[i]), length)


class _PassingWheel(QObject):
    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel or not isinstance(field, QWidget) or field.hasFocus():
            return False
        event.ignore()
        return True


def pass_wheel_on(field: QWidget) -> None:
    """Let the wheel turn a field only while it has the keyboard: else the page scrolls under the pointer."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_PassingWheel(field))


class NumberField(QSpinBox):
    """A number with its arrows; the wheel turns it only while it has the keyboard."""

    typing_ended = Signal()  # the keyboard went elsewhere, or undo or redo comes next

    def __init__(self, smallest: int, greatest: int, *, step: int = 1) -> None:
        super().__init__()
        self.setRange(smallest, greatest)
        self.setSingleStep(step)
        self.setLocale(NUMBERS)
        self.setGroupSeparatorShown(True)
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
        _begin(self)

    def event(self, event: QEvent) -> bool:
        return _leaves_undo(self, event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take no space: it would stand in place of the number that Tab selected, and leave the smallest."""
        if event.key() != Qt.Key.Key_Space:
            super().keyPressEvent(event)


class FractionField(QDoubleSpinBox):
    """A share of the window, 0.50 for a half; the wheel turns it only while it has the keyboard."""

    typing_ended = Signal()  # the keyboard went elsewhere, or undo or redo comes next

    def __init__(self) -> None:
        super().__init__()
        self.setRange(0, 9.99)
        self.setSingleStep(0.05)
        self.setDecimals(2)
        _begin(self)

    def show_value(self, value: float) -> None:
        """Show a value; a number that is being typed and says the same by now stays as it is written."""
        if round(self.value(), self.decimals()) != round(value, self.decimals()):
            self.setValue(value)

    def event(self, event: QEvent) -> bool:
        return _leaves_undo(self, event) or super().event(event)


def _begin(field: NumberField | FractionField) -> None:
    pass_wheel_on(field)
    field.setFont(theme.numbers("ui"))
    field.lineEdit().setTextMargins(8, 0, 0, 0)
    field.editingFinished.connect(field.typing_ended)


def _leaves_undo(field: NumberField | FractionField, event: QEvent) -> bool:
    """Leave undo and redo to the window: the page promises that it takes a number back."""
    if not is_undo_key(event):
        return False
    field.typing_ended.emit()
    event.ignore()
    return True


def keeps_list_key(event: QEvent) -> bool:
    """Accept Alt+Down, which opens a list, before it is a key of the window; True if that is what it was."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    opens = event.key() == Qt.Key.Key_Down and held == Qt.KeyboardModifier.AltModifier
    if opens:
        event.accept()
    return opens


class ChoiceField(QComboBox):
    """Choice among a few values, each shown in words."""

    def __init__(self, choices: Sequence[tuple[str, str]]) -> None:
        """`choices` are values and their words."""
        super().__init__()
        for value, words in choices:
            self.addItem(words, value)
        pass_wheel_on(self)

    def event(self, event: QEvent) -> bool:
        """Keep the key that opens the list from the window, where it goes to the next sibling."""
        return keeps_list_key(event) or super().event(event)

    def value(self) -> str:
        return str(self.currentData())

    def show_value(self, value: str) -> None:
        """Show a value; one that is not among the choices is added as it is, so that nothing is hidden."""
        index = self.findData(value)
        if index < 0:
            self.addItem(value, value)
            index = self.findData(value)
        self.setCurrentIndex(index)

    def words_of(self, value: str) -> str:
        index = self.findData(value)
        return self.itemText(index) if index >= 0 else value


class SlideField(QSlider):
    """A place between two ends; the wheel turns it only while it has the keyboard."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        pass_wheel_on(self)


SaveKey: TypeAlias = Literal["", "save", "close"]


def is_save(event: QKeyEvent) -> bool:
    """True for Ctrl+Enter, the key pad's too."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return (
        event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and held == Qt.KeyboardModifier.ControlModifier
    )


def claims(event: QEvent) -> bool:
    """True, and told, for the two keys before an action of the window takes them."""
    is_ours = (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and (is_save(event) or event.matches(QKeySequence.StandardKey.Cancel))
    )
    if is_ours:
        event.accept()
    return is_ours


def pressed(field: QPlainTextEdit | QTextEdit, event: QKeyEvent) -> SaveKey:
    """Return which of the two keys was pressed; neither while an input method composes: they are its own."""
    if composes(field):
        return ""
    if is_save(event):
        return "save"
    return "close" if event.matches(QKeySequence.StandardKey.Cancel) else ""


class SavedField(WrappingField):
    """Field that takes Ctrl+Enter and Esc for itself while it has the keyboard."""

    save_pressed = Signal()
    close_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFont(theme.font("dialogue"))
        self.setTabChangesFocus(True)

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking the two keys."""
        return claims(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+Enter saves, Esc closes. Shift+Enter is a line break like any other, not Qt's U+2028. While an
        input method composes they are its own.
        """
        key = pressed(self, event)
        if key:
            (self.save_pressed if key == "save" else self.close_pressed).emit()
        elif event.matches(QKeySequence.StandardKey.InsertLineSeparator) and not composes(self):
            self.insertPlainText("\n")
        else:
            super().keyPressEvent(event)


class SummaryField(LongText):
    """Field of a summary. Esc leaves it with its words, Ctrl+Enter keeps them and leaves it."""

    close_pressed = Signal()
    save_pressed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, lines=2, type_name="ui")
        self.setObjectName(name)

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking the two keys."""
        return claims(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match pressed(self, event):
            case "save":
                self.save_pressed.emit()
            case "close":
                self.close_pressed.emit()
            case _:
                super().keyPressEvent(event)
