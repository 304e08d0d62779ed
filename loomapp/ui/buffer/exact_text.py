"""A field that shows an exact text, with a tail after it: what Qt does to its document is told as splices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from loomapp.core.content import well_formed
from loomapp.ui.buffer.prose_layout import NEVER, ProseLayout, format_range
from loomapp.ui.buffer.shown_tail import ShownTail, TailRun
from loomapp.ui.buffer.view_text import SEAM, Splice, ViewText, change_between, utf16_length
from loomapp.ui.dialogue.document import SafeDocument
from loomapp.ui.look import theme

Look = tuple[int, int, QTextCharFormat]


def ink(_begin: int, _end: int) -> Sequence[Look]:
    """Nothing has a colour."""
    return ()


class ExactText(QPlainTextEdit):
    """Tells of each change that a person makes as a splice of the text; what is only shown stays out of it.

    Positions are code points of the text, units are those of the document (see `ViewText`).
    """

    spliced = Signal(object)  # Splice: a person changed the text; it is shown by then
    moved = Signal(int, int, int)  # begin and end of what a person moved, and where to; it is shown by then
    laid_out = Signal()  # what is in view stands elsewhere
    about_to_write = Signal()  # before a person changes anything: what is only offered is settled

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        document = SafeDocument(self)
        document.setDefaultFont(theme.font("prose"))
        document.setDocumentMargin(0)
        self.prose = ProseLayout(document)
        document.setDocumentLayout(self.prose)
        self.setDocument(document)
        self.setUndoRedoEnabled(False)
        self.setFont(theme.font("prose"))
        self.prose.formats = self._formats
        self.prose.is_below_view = self._is_below_view
        self._view = ViewText()
        self._tail = ShownTail()
        self._is_own = False  # while the document is filled, not written in
        self._is_reading = False  # while a change is taken in: Qt tells of none that is made meanwhile
        self._is_telling = False  # of a change that is shown: where the caret stands can be told only then
        self._is_untold = False  # the editor wrote while Qt was not done with a change of its own
        self.formats_of: Callable[[int, int], Iterable[Look]] = ink
        document.contentsChange.connect(self.on_document_changed)

    # The text.

    @property
    def text(self) -> str:
        """What is written, exactly."""
        return self._view.text

    def show_text(self, text: str) -> None:
        """Show another text; what it has in common with the one before is not touched."""
        self._catch_up()
        if text == self._view.text:
            return
        if not self._view.text and not self._tail.text:
            self._fill(text)
        else:
            self._replace(change_between(self._view.text, text))
        self.laid_out.emit()

    def start_over(self, text: str) -> None:
        """Show the text of another tree, from its beginning."""
        self._tail = ShownTail()
        self._fill(text)
        self.laid_out.emit()

    def put(self, text: str) -> None:
        """Put a text in the place of the selection, as a person who types it would."""
        self._before_writing()
        self._put(*self.selection, text)

    def _put(self, begin: int, end: int, text: str) -> None:
        splice = Splice(begin, end, well_formed(text))
        if begin == end and not splice.text:
            return
        was_telling, self._is_telling = self._is_telling, True
        try:
            self._replace(splice)
            self.set_caret(begin + len(splice.text))
            self.spliced.emit(splice)
        finally:
            self._is_telling = was_telling
        self.cursorPositionChanged.emit()  # what follows from it is told now
        self.recolour_text(begin, begin + len(splice.text))
        self.ensureCursorVisible()

    def _move(self, begin: int, end: int, place: int) -> None:
        """Move a stretch of the text elsewhere, as a person who drags it: it is one act."""
        text = self._view.text[begin:end]
        shift = len(text) if place <= begin else 0
        self._replace(Splice(place, place, text))
        self._replace(Splice(begin + shift, end + shift, ""))
        self.set_caret(place + shift)
        self.moved.emit(begin, end, place)
        self.recolour_text(place + shift - len(text), place + shift)
        self.ensureCursorVisible()

    def _fill(self, text: str) -> None:
        self._is_own = True
        try:
            with QSignalBlocker(self):
                self.setPlainText(self._view.start_over(text))
        finally:
            self._is_own = False

    def _replace(self, splice: Splice) -> None:
        begin, end = self._view.unit(splice.begin), self._view.unit(splice.end)
        if splice.begin == splice.end:
            end = begin
        shown = self._view.splice(splice, begin, end, seams=True)
        self._write(begin, end, shown)

    def _write(self, begin: int, end: int, shown: str) -> None:
        """Change the document without telling; cursors stay where they are in the text."""
        caret = self.textCursor()
        keeps = caret.position() == caret.anchor() == begin and begin == end
        cursor = QTextCursor(self.document())
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._is_own, self._is_untold = True, not self._is_reading and (begin != end or bool(shown))
        try:
            cursor.insertText(shown)
        finally:
            self._is_own = False
        if keeps:
            caret.setPosition(begin)
            self.setTextCursor(caret)

    # Where the caret is.

    @property
    def caret(self) -> int:
        """The position of the caret in the text."""
        return self._view.position(self.textCursor().position())

    @property
    def is_at_end(self) -> bool:
        """True if the caret stands at the end of the text, or behind it, with nothing selected."""
        begin, end = self.selection
        return begin == end == len(self._view.text)

    @property
    def selection(self) -> tuple[int, int]:
        """What is selected: begin and end, equal if nothing is."""
        cursor = self.textCursor()
        return self._view.position(cursor.selectionStart()), self._view.position(cursor.selectionEnd())

    def select(self, begin: int, end: int) -> None:
        """Select from one position to another; the caret stands at the second, in view."""
        cursor = self.textCursor()
        cursor.setPosition(self._view.unit(begin))
        cursor.setPosition(self._view.unit(end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def cursor_over(self, begin: int, end: int) -> QTextCursor:
        """A cursor of its own over a stretch of the text."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._view.unit(begin))
        cursor.setPosition(self._view.unit(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def position_of(self, cursor: QTextCursor) -> int:
        """The position in the text where what a cursor selects begins."""
        return self._view.position(cursor.selectionStart())

    def set_caret(self, position: int) -> None:
        """Put the caret somewhere, in view."""
        self.select(position, position)

    def _put_cursor(self, anchor: int, place: int) -> None:
        cursor = self.textCursor()
        if (cursor.anchor(), cursor.position()) != (anchor, place):
            cursor.setPosition(anchor)
            cursor.setPosition(place, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    # Where a long paragraph is split in the view.

    @property
    def has_seams(self) -> bool:
        """True if any paragraph is split."""
        return self._view.has_seams

    def is_seam(self, unit: int) -> bool:
        """True if a unit of the document stands for no character."""
        return self._view.is_seam(unit)

    def move_seam(self, seam: int, unit: int) -> None:
        """Split a paragraph at an earlier unit than it is; the text and the caret in it stay."""
        caret, anchor = self.caret, self._view.position(self.textCursor().anchor())
        cursor = QTextCursor(self.document())
        self._is_own = True
        try:
            cursor.beginEditBlock()
            cursor.setPosition(seam)
            cursor.deleteChar()
            cursor.setPosition(unit)
            cursor.insertBlock()
            cursor.endEditBlock()
        finally:
            self._is_own = False
        self._view.drop_seam(seam)
        self._view.add_seam(unit)
        if self.caret != caret or self._view.position(self.textCursor().anchor()) != anchor:
            top = self.verticalScrollBar().value()
            self.select(anchor, caret)
            self.verticalScrollBar().setValue(top)

    # What stands after the end.

    def set_tail(self, runs: Sequence[TailRun]) -> None:
        """Show this after the end of the text; it is no part of it and cannot be written in."""
        self._catch_up()
        before, self._tail = self._tail, ShownTail(runs)
        end = self._view.length
        if self._tail.text != before.text:
            change, cursor = before.change_to(self._tail), self.textCursor()
            anchor, place = cursor.anchor(), cursor.position()
            self._write(end + change.begin, end + change.end, change.text)
            self._put_cursor(
                anchor if anchor <= end else self.textCursor().anchor(),
                place if place <= end else self.textCursor().position(),
            )
        self.recolour(end, end + self._tail.units)
        self.laid_out.emit()

    def tail_caret(self) -> int:
        """How far behind the end of the text the caret stands, in units."""
        return max(0, self.textCursor().position() - self._view.length)

    def put_caret_in_tail(self, taken: int) -> None:
        """Put the caret behind so many characters after the end: they were taken, and are no part of the
        text yet.
        """
        cursor = self.textCursor()
        cursor.setPosition(self._view.length + self._tail.unit(taken))
        self.setTextCursor(cursor)

    def cursor_with(self, taken: int) -> tuple[int, int]:
        """Anchor and caret once so many characters after the end are part of the text, in positions of that;
        what stands behind those is at their end.
        """
        cursor = self.textCursor()
        return self._place_with(cursor.anchor(), taken), self._place_with(cursor.position(), taken)

    def _place_with(self, unit: int, taken: int) -> int:
        behind = unit - self._view.length
        if behind <= 0:
            return self._view.position(unit)
        return len(self._view.text) + min(taken, self._tail.position(behind))

    @property
    def tail_text(self) -> str:
        """What stands after the end, as it is shown."""
        return self._tail.text

    @property
    def is_behind_end(self) -> bool:
        """True if the caret, and all that is selected, stands behind the end of the text."""
        cursor, end = self.textCursor(), self._view.length
        return bool(self._tail.text) and min(cursor.position(), cursor.anchor()) > end

    def _before_writing(self) -> None:
        self._catch_up()
        self.about_to_write.emit()
        self._keep_out_of_tail()  # what is only shown cannot be written in

    def _keep_out_of_tail(self) -> None:
        end, cursor = self._view.length, self.textCursor()
        if max(cursor.position(), cursor.anchor()) > end:
            self._put_cursor(min(cursor.anchor(), end), min(cursor.position(), end))

    # What Qt did to the document.

    def on_document_changed(self, begin: int, removed: int, added: int) -> None:
        """Somebody wrote: what that makes of the text."""
        if self._is_own:
            self._is_untold = False
            return
        whole, before = self._units_there, self._view.length + self._tail.units
        extra = max(0, begin + added - whole, begin + removed - before)  # Qt counts the end of the last block
        removed, added = removed - extra, added - extra
        if self._is_untold or before - removed + added != whole:  # not the one change that Qt tells of
            begin, removed, added = 0, before, whole
        self._is_untold, was_reading, self._is_reading = False, self._is_reading, True
        try:
            self._take_in(begin, removed, added)
        finally:
            self._is_reading = was_reading

    def _take_in(self, begin: int, removed: int, added: int) -> None:
        """Make the text what the document has; what was done to the tail is undone."""
        place, until = self.textCursor().position(), begin + added
        behind = self._units(place, until) if begin <= place <= until else None
        tail = self._tail.text.replace("\n", SEAM)
        found = self._view.read(begin, removed, self._units(begin, until), tail=tail, behind=behind)
        if found is None:
            return
        splice = found.splice
        shown = self._view.splice(splice, found.first, found.last)
        if found.harms_tail:
            self._write(found.first, self._units_there, shown + self._tail.text)
            self._put_cursor(*(min(place, self._view.length),) * 2)
        if self._units_there != self._view.length + self._tail.units:
            self._mend()
        if splice.text or splice.begin != splice.end:
            self.spliced.emit(splice)

    @property
    def _units_there(self) -> int:
        return self.document().characterCount() - 1

    def _catch_up(self) -> None:
        """Take in what Qt has done and not told of yet: places are known only then."""
        if self._units_there != self._view.length + self._tail.units:
            self.on_document_changed(0, self._view.length + self._tail.units, self._units_there)

    def _mend(self) -> None:
        """Show again what the text and the tail are: the document has something else."""
        there = self._units(0, self._units_there)
        wanted = self._view.shown(0, self._view.length) + self._tail.text.replace("\n", SEAM)
        change = change_between(there, wanted)
        begin = utf16_length(there[: change.begin])
        self._write(begin, begin + utf16_length(there[change.begin : change.end]), change.text)

    def _units(self, begin: int, end: int) -> str:
        if begin == end:
            return ""
        cursor = QTextCursor(self.document())
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText()

    # Colours.

    def recolour(self, begin: int, end: int) -> None:
        """The colours of some units of the document are other ones."""
        block, last = self.document().findBlock(begin), self.document().findBlock(end)
        is_seen = not self._is_below_view(block)
        while block.isValid():
            block.setUserState(NEVER)
            if block == last:
                break
            block = block.next()
        if is_seen:
            self.viewport().update()

    def _is_below_view(self, block: QTextBlock) -> bool:
        """True if a block begins below what is on the screen; nothing is laid out to know it."""
        seen, room = self.firstVisibleBlock(), self.viewport().height() / self.prose.line_px
        line = seen.firstLineNumber() - self.verticalScrollBar().value()
        while seen.isValid() and seen.blockNumber() < block.blockNumber() and line <= room:
            line += max(1, seen.layout().lineCount())
            seen = seen.next()
        return line > room

    def recolour_text(self, begin: int, end: int) -> None:
        """The colours of some characters are other ones."""
        self.recolour(self._view.unit(begin), self._view.unit(end))

    def colour_anew(self) -> None:
        """The colours are other ones."""
        self.prose.colour_anew()

    def _formats(self, block: QTextBlock) -> list[QTextLayout.FormatRange]:
        begin, length = block.position(), block.length() - 1
        end_of_text = self._view.length
        ranges: list[QTextLayout.FormatRange] = []
        if begin < end_of_text:
            first, last = self._view.position(begin), self._view.position(min(begin + length, end_of_text))
            for start, end, look in self.formats_of(first, last):
                unit = max(0, self._view.unit(start) - begin)
                ranges.append(format_range(unit, min(length, self._view.unit(end) - begin) - unit, look))
        for start, end, look in self._tail.looks():
            at, until = end_of_text - begin + start, end_of_text - begin + end
            if until > 0 and at < length:
                ranges.append(format_range(max(0, at), min(length, until) - max(0, at), look))
        return ranges
