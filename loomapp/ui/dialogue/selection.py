"""Selecting text across messages with the mouse, from a position in one to one in another, and copying it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QClipboard, QGuiApplication, QMouseEvent, QTextCursor, QTextDocumentFragment
from PySide6.QtWidgets import QApplication, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.ui.dialogue.message import head
from loomapp.ui.dialogue.message.body import Span
from loomapp.ui.dialogue.script.heights import MARK, Folded
from loomapp.ui.dialogue.script.script import Script
from loomapp.ui.dialogue.text.safe_document import Look, SafeDocument, exact_text
from loomapp.ui.strings import utf16_length
from loomapp.ui.widgets.clipboard import copy as copy_words

if TYPE_CHECKING:
    from loomapp.ui.dialogue.message.message import MessageView
    from loomapp.ui.dialogue.reader import ReaderColumn


END = 2**31 - 1  # the end of a row, however long its text is


class SelectionEnd(NamedTuple):
    """A stretch of a row that is selected as one: a word, a paragraph; of length 0 between two characters."""

    key: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection by both ends, in the order in which they were chosen; rows are known by their keys."""

    anchor: SelectionEnd
    head: SelectionEnd

    def rows(self, script: Script) -> range | None:
        """Return the rows it touches; None if one of its ends is no longer on the path."""
        ends = script.row_of(self.anchor.key), script.row_of(self.head.key)
        if ends[0] is None or ends[1] is None:
            return None
        return range(min(ends[0], ends[1]), max(ends[0], ends[1]) + 1)

    def in_row(self, script: Script, row: int) -> Span | None:
        rows = self.rows(script)
        if rows is None or row not in rows:
            return None
        if len(rows) == 1:
            begin = min(self.anchor.begin, self.head.begin)
            return Span(begin, max(self.anchor.end, self.head.end))
        upper, lower = self.anchor, self.head
        if script.row_of(upper.key) != rows[0]:
            upper, lower = lower, upper
        if row == rows[0]:
            return Span(upper.begin, END)
        return Span(0, lower.end if row == rows[-1] else END)


def whole(script: Script) -> Selection:
    first, last = script.row_key(0), script.row_key(len(script) - 1)
    return Selection(SelectionEnd(first, 0, 0), SelectionEnd(last, END, END))


SCROLL_MS = 30
FASTEST_PX = 60
MOST_OFFERED = 100  # rows that are offered to a middle click without being asked for


class Selecting(QObject):
    """The selection of one column. Presses count: one selects characters, two words, three paragraphs.

    The message that was pressed shows its tools as long as the column has the keyboard.
    """

    pressed_changed = Signal()

    def __init__(self, column: ReaderColumn) -> None:
        super().__init__(column)
        self._column = column
        self.selection: Selection | None = None
        self.pressed = ""  # the key of a message
        self._clicks = 0
        self._pressed_at = QPoint()
        self._at = QPoint()
        self._dragging = False
        self._scrolling = QTimer(self)
        self._scrolling.setInterval(SCROLL_MS)
        self._scrolling.timeout.connect(self.on_scroll_due)
        self._clicking = QTimer(self)
        self._clicking.setSingleShot(True)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self.on_focus_changed)

    # The message that was pressed.

    def on_focus_changed(self, _old: QWidget | None, now: QWidget | None) -> None:
        """Let the pressed message go when the keyboard goes elsewhere in the window."""
        if now is not None and now is not self._column:
            self.let_go()

    def let_go(self) -> None:
        self._hold("")

    def _hold(self, key: str) -> None:
        if key != self.pressed:
            self.pressed = key
            self._show_pressed()
            self.pressed_changed.emit()

    def _show_pressed(self) -> None:
        """Show the tools of the pressed message, wherever it is drawn now."""
        for message in self._column.shown_messages():
            if message.is_pressed != (message.key == self.pressed):
                message.is_pressed = not message.is_pressed
                message.show_tools() if message.is_pressed else message.hide_tools()

    # The mouse; all points are the viewport's.

    def press(self, event: QMouseEvent) -> None:
        """Begin a selection, or with Shift move its end."""
        at = event.position().toPoint()
        near = (at - self._pressed_at).manhattanLength() < QApplication.startDragDistance()
        self._clicks = self._clicks % 3 + 1 if self._clicking.isActive() and near else 1
        self._clicking.start(QApplication.doubleClickInterval())
        self._pressed_at = self._at = at
        under = (m for m in self._column.shown_messages() if m.geometry().contains(at))
        self._hold(next((m.key for m in under), ""))
        place = self._place_at(at)
        if place is None:
            self.clear()
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self.selection is not None:
            place = SelectionEnd(place.key, place.begin, place.begin)
            self._take(Selection(self.selection.anchor, place))
        else:
            self._take(Selection(place, place))
        self._dragging = True

    def move(self, event: QMouseEvent) -> None:
        """Move the end of the selection; beyond the edge the column scrolls along."""
        if not self._dragging or self.selection is None:
            return
        self._at = event.position().toPoint()
        self._follow()
        outside = not 0 <= self._at.y() < self._column.viewport().height()
        self._scrolling.start() if outside else self._scrolling.stop()

    def release(self) -> bool:
        """End the selection; return True if something is selected."""
        self._dragging = False
        self._scrolling.stop()
        self._offer()
        return self.has_text

    def on_scroll_due(self) -> None:
        """Scroll towards the pointer, the faster the further out it is."""
        height = self._column.viewport().height()
        over = self._at.y() if self._at.y() < 0 else self._at.y() - height
        bar = self._column.verticalScrollBar()
        bar.setValue(bar.value() + max(-FASTEST_PX, min(FASTEST_PX, over)))
        self._follow()

    def _follow(self) -> None:
        place = self._place_at(self._at)
        if place is not None and self.selection is not None:
            self._take(Selection(self.selection.anchor, place))

    def _place_at(self, at: QPoint) -> SelectionEnd | None:
        """Return the character, word or paragraph at a point, or nearest to it."""
        messages = self._column.shown_messages()
        if not messages:
            return None
        message = next((m for m in messages if at.y() < m.geometry().bottom() + 1), messages[-1])
        key = self._column.row_key_of(message)
        if message.body.isHidden():
            return SelectionEnd(key, 0, END)
        point = message.body.mapFrom(self._column.viewport(), at)
        if point.y() < 0:
            return SelectionEnd(key, 0, 0)
        if point.y() >= message.body.height():
            return SelectionEnd(key, END, END)
        return self._unit(message, message.body.position_at(point), key)

    def _unit(self, message: MessageView, position: int, key: str) -> SelectionEnd:
        gap = self._gap(message, key)
        if gap is not None and gap.end > position > gap.begin and self._clicks == 1:
            at = END if gap.end == END else gap.end  # on the mark, which stands for all that is hidden
            return SelectionEnd(key, at, at)
        cursor = QTextCursor(message.body.document())
        cursor.setPosition(position)
        if self._clicks == 2:
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        elif self._clicks == 3:
            cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        begin, end = cursor.selectionStart(), cursor.selectionEnd()
        if gap is not None and position < gap.end:
            begin, end = min(begin, gap.begin), min(end, gap.begin)
        return SelectionEnd(key, begin, end)

    def _gap(self, message: MessageView, key: str) -> Span | None:
        """Return the place of what is hidden in the document of a folded message; None if all is shown."""
        script = self._column.script
        row = script.row_of(key) if script is not None else None
        fold = None if row is None else self._column.fold_of(row)
        return None if fold is None else gap_of(message.body.document(), fold)

    # What is selected.

    def _take(self, selection: Selection | None) -> None:
        self.selection = selection
        self.show()

    def select_all(self) -> None:
        script = self._column.script
        if script is not None and len(script):
            self._take(whole(script))

    def clear(self) -> None:
        self._take(None)

    def show(self) -> None:
        """Mark the selection in the messages on the screen; one whose ends have left the path goes."""
        script = self._column.script
        if self.selection is not None and (script is None or self.selection.rows(script) is None):
            self.selection = None
        for message in self._column.shown_messages():
            span = None
            if self.selection is not None and script is not None:
                row = script.row_of(self._column.row_key_of(message))
                span = None if row is None else self.selection.in_row(script, row)
            message.body.select(span)
        self._show_pressed()

    @property
    def is_dragging(self) -> bool:
        return self._dragging

    @property
    def has_text(self) -> bool:
        rows = self._rows()
        if self.selection is None or not rows:
            return False
        return len(rows) > 1 or self.selection.anchor.begin != self.selection.head.end

    def _rows(self) -> range:
        script = self._column.script
        found = None if self.selection is None or script is None else self.selection.rows(script)
        return range(0) if found is None else found

    # Copying.

    def text(self, *, names: bool = False) -> str:
        """Return the selected words as plain text: messages with a blank line between them.

        A part of a message is given as it is read. A message that is selected whole together with others is
        given as it was written, markdown included: so it loses nothing, and 20,000 of them need no layout.
        """
        script = self._column.script
        if script is None:
            return ""
        texts = [self._row_text(row) for row in self._rows()]
        if names:
            heads = (head.name_of(script.entry(row)) for row in self._rows())
            texts = [f"{name}:\n{text}" for name, text in zip(heads, texts, strict=True)]
        return "\n\n".join(texts)

    @property
    def spans_messages(self) -> bool:
        return len(self._rows()) > 1

    def _row_text(self, row: int) -> str:
        script = self._column.script
        assert script is not None
        assert self.selection is not None
        span = self.selection.in_row(script, row)
        assert span is not None
        fold, words = self._column.fold_of(row), script.text(row)
        is_whole = span.begin == 0 and span.end == END
        if not words or (is_whole and (self.spans_messages or fold is not None)):
            return words
        if fold is not None:
            return self._text_beyond(row, span, fold)
        return exact_text(part_of(self._column.document_of(row), span))

    def _text_beyond(self, row: int, span: Span, fold: Folded) -> str:
        """A part of a folded message: of what is shown, or beyond, with all that is hidden."""
        script, shown = self._column.script, self._column.document_of(row)
        assert script is not None
        gap, text = gap_of(shown, fold), script.text(row)
        if span.end <= gap.begin or span.begin >= gap.end:
            return exact_text(part_of(shown, span))
        whole, before = SafeDocument(), Span(0, min(span.begin, gap.begin))
        whole.show_markdown(text, Look())
        if exact_text(part_of(shown, before)) == exact_text(part_of(whole, before)):
            more = whole.characterCount() - shown.characterCount()
            return exact_text(part_of(whole, Span(span.begin, min(END, span.end + more))))
        # Cut within a mark of markdown, what is shown reads otherwise than in the whole text.
        hidden = text[fold.shown : len(text) - len(fold.words)]
        below = exact_text(part_of(shown, Span(gap.end, span.end))) if fold.words else ""
        return exact_text(part_of(shown, Span(span.begin, gap.begin))) + hidden + below

    def copy(self, focused: MessageView | None = None) -> None:
        """Copy what is selected, else the message that has the keyboard as it was written."""
        script = self._column.script
        if self.has_text:
            copy_words(self.text())
        elif focused is not None and script is not None:
            row = script.row_of(focused.key)
            copy_words("" if row is None else script.text(row))

    def _offer(self) -> None:
        """Let a middle click paste what is selected, on desktops that know this."""
        clipboard = QGuiApplication.clipboard()
        if clipboard.supportsSelection() and self.has_text and len(self._rows()) <= MOST_OFFERED:
            copy_words(self.text(), QClipboard.Mode.Selection)


def part_of(document: SafeDocument, span: Span) -> QTextDocumentFragment:
    last = max(0, document.characterCount() - 1)
    cursor = QTextCursor(document)
    cursor.setPosition(min(span.begin, last))
    cursor.setPosition(min(span.end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor.selection()


def gap_of(document: SafeDocument, fold: Folded) -> Span:
    """Return the place of what is hidden in the document of what is shown of a message, in Qt's counting:
    from where the beginning of its text ends to where words below it begin, or to the end of all.
    """
    shown, below = _raw_text(document), ""
    if fold.words:
        words = SafeDocument()
        words.show_markdown(fold.words, Look())
        below = _raw_text(words)
    has_words = bool(below) and shown.endswith(below)
    above = shown[: -len(below) - 1] if has_words else shown
    if fold.is_marked:
        above = above[: above.rfind(MARK.strip())].removesuffix(" ")
    end = utf16_length(shown) - utf16_length(below) if has_words else END
    return Span(utf16_length(above), end)


def _raw_text(document: SafeDocument) -> str:
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    return cursor.selection().toRawText()
