"""Fields to type in: lines, exact lines, wrapped text; and bars for finding words, with their keys."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QToolButton,
    QWidget,
)

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.buttons import icon_button
from loomapp.ui.widgets.clipboard import data_of, words_in
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import horizontal
from loomapp.ui.widgets.spoken import announce


def composes(field: QPlainTextEdit | QTextEdit) -> bool:
    """True while an input method is in the middle of a word at the caret: keys belong to it then."""
    return bool(field.textCursor().block().layout().preeditAreaText())


def keeps_key(field: QPlainTextEdit | QTextEdit, event: QEvent) -> bool:
    """True, and told, for a key that a window's action would take from a field in which one composes: what is
    not in the text yet would not be sent.
    """
    keeps = event.type() == QEvent.Type.ShortcutOverride and composes(field)
    if keeps:
        event.accept()
    return keeps


class Line(QLineEdit):
    """Line from which no action takes a key while a word is not done, and Ctrl+Enter never: who types a name
    or looks for something asks no model.
    """

    _composed = ""  # of the class: Qt sends events before there is anything of ours

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember what is being composed: Qt does not say."""
        super().inputMethodEvent(event)
        self._composed = event.preeditString()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Forget what was composed: nothing is where one does not type."""
        super().focusOutEvent(event)
        self._composed = ""

    def event(self, event: QEvent) -> bool:
        """Keep an input method's keys, and those that ask models, from the window's actions."""
        is_kept = bool(self._composed) or _is_enter_with_ctrl(event)
        if is_kept and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)


def _is_enter_with_ctrl(event: QEvent) -> bool:
    return (
        isinstance(event, QKeyEvent)
        and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    )


WRITTEN = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
READ = {written: character for character, written in WRITTEN.items()}


def as_line(text: str) -> str:
    """A text in one line: breaks and tabs as a backslash and a letter, a backslash doubled."""
    return re.sub(r"[\\\n\t\r]", lambda found: WRITTEN[found[0]], text)


def from_line(line: str) -> str:
    """The text that a line stands for; a backslash before anything else is itself."""
    return re.sub(r"\\[\\ntr]", lambda found: READ[found[0]], line)


class ExactLine(Line):
    """Says only texts with which nothing is wrong; of others it says why, in `complaint`, to be placed beside
    the line. What is typed stays until it is left as it should be, or `show_text` is told to insist.
    """

    typed = Signal(str)  # the text, after every key
    given = Signal(str)  # the text, when the line is left
    typing_ended = Signal()

    def __init__(self, fault: Callable[[str], str | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fault = fault
        self.complaint = label("", "small", "error", wrap=True)
        self.complaint.hide()
        self.setFont(theme.font("mono"))
        self.textEdited.connect(self.on_edited)
        self.editingFinished.connect(self.on_finished)

    def show_text(self, text: str, *, insist: bool = False) -> None:
        """Show a text; what is being typed stays, unless one insists."""
        if (self.isModified() and not insist) or (from_line(self.text()) == text and not self.isModified()):
            return
        self.setText(as_line(text))
        self.setModified(False)
        self._complain("")

    def on_edited(self, line: str) -> None:
        """Tell the typed text, or what is wrong with it."""
        text = from_line(line)
        wrong = self._fault(text)
        self._complain(told(wrong) if wrong else "")
        if wrong is None:
            self.typed.emit(text)

    def on_finished(self) -> None:
        text = from_line(self.text())
        if self.isModified() and self._fault(text) is None:
            self.setModified(False)
            self.given.emit(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.typing_ended.emit()

    def _complain(self, words: str) -> None:
        self.complaint.setText(tr("Not saved: it {fault}.").format(fault=words) if words else "")
        self.complaint.setVisible(bool(words))
        theme.set_look(self, wrong=bool(words))
        if self.complaint.text() != self.accessibleDescription():
            announce(self, self.complaint.text())
        self.setAccessibleDescription(self.complaint.text())


SIGN = "\ufeff"
_LONG_WORD = re.compile(r"\S{4000}")


class WrappingField(QPlainTextEdit):
    """Breaks its lines between words, unless a word is too long to look for its boundaries.

    A word of 100,000 characters takes 0.9 s to lay out between words and 0.05 s anywhere (measured, 6.11.3),
    at each key; it has to break inside itself either way. The text stays as it is.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wrap_for("")
        self.textChanged.connect(self.on_text_written)
        self.horizontalScrollBar().rangeChanged.connect(self.on_width_told)

    @property
    def exact_text(self) -> str:
        """The text as written; `toPlainText` would turn non-breaking spaces into spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def event(self, event: QEvent) -> bool:
        """Keep an input method's keys from the window's actions."""
        return keeps_key(self, event) or super().event(event)

    def setPlainText(self, text: str) -> None:
        """Set another text; how it breaks is decided before it is laid out."""
        self._wrap_for(text)
        super().setPlainText(text)
        if text.startswith(SIGN):
            keeps = self.isUndoRedoEnabled()
            self.setUndoRedoEnabled(False)
            insert_exactly(QTextCursor(self.document()), SIGN)
            self.setUndoRedoEnabled(keeps)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste exactly what was copied."""
        if self.isReadOnly() or not source.hasText():
            return
        words = words_in(source)
        self._wrap_for(words + "\n" + self.exact_text)
        insert_exactly(self.textCursor(), words)
        self.ensureCursorVisible()

    def createMimeDataFromSelection(self) -> QMimeData:
        return data_of(self.textCursor().selectedText().replace("\u2029", "\n"))

    def on_text_written(self) -> None:
        """Wrap anew, for a word may have grown long or be gone."""
        self._wrap_for(self.exact_text)

    def on_width_told(self, _least: int, most: int) -> None:
        """Stay where the lines begin. WORKAROUND for Qt 6.11: a text that was there before the field had its
        width is taken for wider than its lines are.
        """
        if most:
            self.horizontalScrollBar().setRange(0, 0)

    def _wrap_for(self, text: str) -> None:
        modes = QTextOption.WrapMode
        mode = modes.WrapAnywhere if _LONG_WORD.search(text) else modes.WrapAtWordBoundaryOrAnywhere
        if self.wordWrapMode() != mode:
            self.setWordWrapMode(mode)


def insert_exactly(cursor: QTextCursor, text: str) -> None:
    """Put a text in, as one step. WORKAROUND for PySide6 6.11 and 6.12: a U+FEFF at the beginning of a Python
    text is taken for a sign of the encoding and dropped on its way into any text of Qt's.
    """
    if not text.startswith(SIGN):
        cursor.insertText(text)
        return
    cursor.beginEditBlock()
    start = cursor.selectionStart()
    cursor.insertText(f".{text}")
    cursor.setPosition(start)
    cursor.deleteChar()
    cursor.endEditBlock()


class LeftWords:
    """Words that were typed and not taken, by what they are about, for as long as the window lives.

    They come back once: who leaves them again as they came lets go of them.
    """

    def __init__(self) -> None:
        self._left: dict[str, str] = {}
        self._shown = ""

    def fill(self, field: QLineEdit, about: str, saved: str) -> None:
        """Show what was left, or else what is saved; undo in the field goes from the one to the other."""
        field.setText(saved)
        self._shown = self._left.pop(about, saved)
        field.selectAll()
        if self._shown != saved:
            field.insert(self._shown)
            field.selectAll()

    def leave(self, field: QLineEdit, about: str) -> None:
        """Keep what was typed since the field was filled."""
        words = field.text()
        if words.strip() and words != self._shown:
            self._left[about] = words


ICON_PX, BUTTON_PX = 16, 24
MARGIN_PX = 8


class FindingBar(QFrame):
    """The parts and keys that every bar for finding has: the words looked for, and steps from match to match.

    `name` begins the names of its parts.
    """

    step_asked = Signal(int)  # 1 for the next match, -1 for the one before
    closed = Signal()

    def __init__(self, parent: QWidget, name: str, title: str) -> None:
        super().__init__(parent)
        self._name = name
        self.setObjectName(f"{name}Bar")
        self.field = self.new_field(f"{name}Field", title)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setObjectName(f"{name}Count")
        self._count.setFont(theme.numbers("small"))
        theme.set_look(self._count, tone="muted")
        self._heard = ""  # what was last told of the matches
        self.hide()

    def new_field(self, name: str, title: str) -> QLineEdit:
        field = Line(self)
        field.setObjectName(name)
        field.setAccessibleName(title)
        field.setPlaceholderText(title)
        return field

    def add_buttons(self, row: QHBoxLayout) -> None:
        """Add buttons for the match before, the next one, and close."""
        before = self._add(row, "PreviousButton", "chevron-up", self.tr("Previous match"))
        before.clicked.connect(lambda: self.step_asked.emit(-1))
        after = self._add(row, "NextButton", "chevron-down", self.tr("Next match"))
        after.clicked.connect(lambda: self.step_asked.emit(1))
        self._add(row, "CloseButton", "x", self.tr("Close")).clicked.connect(self.leave)

    def enter(self) -> None:
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def leave(self) -> None:
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def show_count(self, number: int | None, total: int, *, done: bool = True) -> None:
        """Say which of how many is looked at; `number` counts from 0. More may come unless it is `done`."""
        if not self.field.text():
            words = ""
        elif not total:
            words = self.tr("No matches") if done else "…"
        elif number is None:
            words = figures.number(total)
        else:
            words = self.tr("{0} of {1}").format(figures.number(number + 1), figures.number(total))
        self._count.setText(words + ("" if done or not total else " …"))
        if done and words != self._heard:
            self._heard = words
            announce(self.field, words)

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking its keys."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on with Enter, back with Shift; close with Esc."""
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.leave()
        elif _is_own(event):
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.step_asked.emit(-1 if shifted else 1)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("border.subtle"))
        painter.end()

    def _add(self, row: QHBoxLayout, name: str, icon: str, title: str) -> QToolButton:
        button = icon_button(self._name + name, theme.icon(icon), title, self)
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setFixedSize(BUTTON_PX, BUTTON_PX)
        row.addWidget(button)
        return button


class FindBar(FindingBar):
    """Bar that finds only: it stands above a text, over its upper edge."""

    words_changed = Signal(str)

    def __init__(self, parent: QWidget, *, name: str = "find", title: str = "") -> None:
        """`name` is what the names of its parts begin with."""
        super().__init__(parent, name, title)
        if not title:
            self.field.setAccessibleName(self.tr("Find in path"))
            self.field.setPlaceholderText(self.tr("Find in path"))
        self.field.textChanged.connect(self.words_changed)
        row = horizontal(self, (MARGIN_PX, 6, MARGIN_PX, 7), spacing=4)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        self.add_buttons(row)

    def enter(self) -> None:
        """Show it, ready to type; what was looked for before can be taken again."""
        super().enter()
        self.raise_()
        self.words_changed.emit(self.field.text())

    def place(self, room_width: int) -> None:
        self.setGeometry(0, 0, room_width, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint an opaque ground: what is below it does not show through."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("surface.panel"))
        painter.end()
        super().paintEvent(event)


def _is_own(event: QKeyEvent) -> bool:
    """Return True for the keys of the bar: Esc, F3, Enter, the last two also with Shift."""
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    steps = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3)
    return event.matches(QKeySequence.StandardKey.Cancel) or (
        event.key() in steps and held == Qt.KeyboardModifier.NoModifier
    )
