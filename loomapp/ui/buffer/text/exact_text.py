"""A field that shows an exact text, with a tail after it: what Qt does to its document is told as splices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from loomapp.core.model.content import well_formed
from loomapp.ui.buffer.text.prose_layout import NEVER, ProseLayout, format_range
from loomapp.ui.buffer.text.shown_tail import ShownTail, TailRun
from loomapp.ui.buffer.text.view_text import SEAM, Splice, ViewText, change_between
from loomapp.ui.dialogue.text.safe_document import SafeDocument
from loomapp.ui.look import theme
from loomapp.ui.strings import utf16_length

Look = tuple[int, int, QTextCharFormat]


def ink(_begin: int, _end: int) -> Sequence[Look]:
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
        self.is_behind = False  # what was written last was, behind what is only shown
        self._is_untold = False  # the editor wrote while Qt was not done with a change of its own
        self.formats_of: Callable[[int, int], Iterable[Look]] = ink
        document.contentsChange.connect(self.on_document_changed)

    def fit_text(self) -> None:
        """Show the text in the font and line spacing that the theme has for prose now."""
        font, line_px = theme.font("prose"), float(theme.line_height("prose"))
        if (font, line_px) != (self.font(), self.prose.line_px):
            self.document().setDefaultFont(font)
            self.setFont(font)
            self.prose.fit_text()
            self.prose.colour_anew()
            self.laid_out.emit()

    # The text.

    @property
    def text(self) -> str:
        return self._view.text

    def show_text(self, text: str, tail_at: int | None = None) -> None:
        """Show another text; what it has in common with the one before is not touched. What is only shown
        stands at a position of it, at its end by default.
        """
        self._catch_up()
        tail_at = len(text) if tail_at is None else tail_at
        if text == self._view.text and (tail_at == self._view.tail_at or not self._tail.text):
            return
        if not self._view.text and not self._tail.text:
            self._fill(text)
        elif not self._tail.text:
            self._replace(change_between(self._view.text, text))
        else:
            self._show_around_tail(text, tail_at)
        self.laid_out.emit()

    def _show_around_tail(self, text: str, tail_at: int) -> None:
        """Show another text around the tail, each side by itself; who stands behind it still does."""
        view, behind = self._view, self.behind_by
        before, at = view.text, view.tail_at
        if before[at:] != text[tail_at:]:
            after = change_between(before[at:], text[tail_at:])
            self._replace(Splice(at + after.begin, at + after.end, after.text), is_behind=True)
        if before[:at] != text[:tail_at]:
            self._replace(change_between(before[:at], text[:tail_at]))
        if behind is not None and self.behind_by is None:
            self.put_caret_behind(0)

    def start_over(self, text: str) -> None:
        """Show the text of another tree, from its beginning."""
        self._tail = ShownTail()
        self._fill(text)
        self.laid_out.emit()

    def put(self, text: str) -> None:
        """Put a text in the place of the selection, as a person who types it would."""
        self._before_writing()
        self._put(*self.selection, text)

    def _put(self, begin: int, end: int, text: str, *, is_behind: bool | None = None) -> None:
        splice = Splice(begin, end, well_formed(text))
        if begin == end and not splice.text:
            return
        was_telling, self._is_telling = self._is_telling, True
        if is_behind is None:
            is_behind = self._is_written_behind(begin, end)
        self.is_behind = is_behind
        try:
            self._replace(splice, is_behind=is_behind)
            if is_behind:
                self.put_caret_behind(begin + len(splice.text) - self._view.tail_at)
            else:
                self.set_caret(begin + len(splice.text))
            self.spliced.emit(splice)
        finally:
            self._is_telling = was_telling
        self.cursorPositionChanged.emit()  # what follows from it is told now
        self.recolour_text(begin, begin + len(splice.text))
        self.ensureCursorVisible()

    def _is_written_behind(self, begin: int, end: int) -> bool:
        """Return True if what is put over a stretch stands behind the shown tail."""
        view = self._view
        if not (view.tail_units and view.writes_behind) or begin != view.tail_at:
            return view.tail_units > 0 and begin > view.tail_at
        return end > begin or self.behind_by is not None

    def _move(self, begin: int, end: int, place: int, *, is_behind: bool = False) -> None:
        """Move a stretch of the text elsewhere, as a person who drags it: it is one act."""
        text = self._view.text[begin:end]
        shift = len(text) if place <= begin else 0
        self.is_behind = is_behind
        self._replace(Splice(place, place, text), is_behind=is_behind)
        self._replace(Splice(begin + shift, end + shift, ""))
        if is_behind:
            self.put_caret_behind(place + shift - self._view.tail_at)
        else:
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

    def _replace(self, splice: Splice, *, is_behind: bool = False) -> None:
        """Change the text and the document alike, where both are possible behind what is only shown."""
        view, at = self._view, self._view.tail_at
        if view.tail_units and splice.begin < at < splice.end:
            self._replace(Splice(at, splice.end, ""), is_behind=True)
            splice = Splice(splice.begin, at, splice.text)
        is_behind = is_behind or splice.begin > at or (splice.begin == at < splice.end)
        begin = view.own_unit(splice.begin)
        end = begin if splice.begin == splice.end else view.own_unit(splice.end)
        shown = view.splice(splice, begin, end, seams=True)
        if not is_behind:
            view.tail_at = at + len(splice.text) - (splice.end - splice.begin)
        shift = view.tail_units if is_behind else 0
        self._write(begin + shift, end + shift, shown)

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
        return self._view.position(self.textCursor().position())

    @property
    def is_at_end(self) -> bool:
        """True if the caret stands at the end of the text, or behind it, with nothing selected."""
        begin, end = self.selection
        return begin == end == len(self._view.text)

    @property
    def selection(self) -> tuple[int, int]:
        """Return the begin and end of the selection, equal if nothing is selected."""
        cursor = self.textCursor()
        return self._view.position(cursor.selectionStart()), self._view.position(cursor.selectionEnd())

    def select(self, begin: int, end: int) -> None:
        """Select from one position to another; the caret stands at the second, in view."""
        cursor = self.textCursor()
        cursor.setPosition(self._view.unit(begin))
        cursor.setPosition(self._view.unit(end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def cursor_over(self, begin: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._view.unit(begin))
        cursor.setPosition(self._view.unit(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def position_of(self, cursor: QTextCursor) -> int:
        """Return the position in the text where a cursor's selection begins."""
        return self._view.position(cursor.selectionStart())

    def place_of(self, cursor: QTextCursor) -> tuple[int, bool]:
        """The position of a cursor in the text, and whether what is written there stands behind what is only
        shown.
        """
        view, unit = self._view, cursor.position()
        is_behind = view.tail_units > 0 and unit > view.tail_begin
        return view.position(unit), is_behind and (view.writes_behind or unit > view.tail_end)

    def set_caret(self, position: int) -> None:
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
        return self._view.has_seams

    def is_seam(self, unit: int) -> bool:
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

    def set_tail(self, runs: Sequence[TailRun], at: int | None = None) -> None:
        """Show this after the end of the text; it is no part of it and cannot be written in. `at` is where it
        stands if nothing was shown yet, and words are written behind it.
        """
        self._catch_up()
        before, self._tail, view = self._tail, ShownTail(runs), self._view
        if not before.text:
            view.tail_at = len(view.text) if at is None else at
        begin, end = view.tail_begin, view.tail_end
        if self._tail.text != before.text:
            change, cursor = before.change_to(self._tail), self.textCursor()
            anchor, place = cursor.anchor(), cursor.position()
            view.tail_units = self._tail.units
            self._write(begin + change.begin, begin + change.end, change.text)
            grown, is_new = view.tail_end - end, begin == end

            def moved(unit: int, now: int) -> int:  # who stood where it is new stands before it
                return unit if unit <= begin else now if is_new or unit < end else unit + grown

            now = self.textCursor()
            self._put_cursor(moved(anchor, now.anchor()), moved(place, now.position()))
            self._keep_composing()
        self.recolour(begin, view.tail_end)
        self.laid_out.emit()

    def _keep_composing(self) -> None:
        """Move the input method's preedit text along with the caret, which Qt does not do."""
        cursor = self.textCursor()
        layout, place = cursor.block().layout(), cursor.positionInBlock()
        if layout.preeditAreaText() and layout.preeditAreaPosition() != place:
            layout.setPreeditArea(place, layout.preeditAreaText())
            cursor.document().markContentsDirty(cursor.block().position(), cursor.block().length())

    def put_caret_in_tail(self, taken: int) -> None:
        """Put the caret behind so many characters after the end: they were taken, and are no part of the
        text yet.
        """
        cursor = self.textCursor()
        cursor.setPosition(self._view.tail_begin + self._tail.unit(taken))
        self.setTextCursor(cursor)

    def cursor_with(self, taken: int) -> tuple[int, int]:
        """Anchor and caret once so many characters after the end are part of the text, in positions of that;
        what stands behind those is at their end.
        """
        cursor = self.textCursor()
        return self._place_with(cursor.anchor(), taken), self._place_with(cursor.position(), taken)

    def _place_with(self, unit: int, taken: int) -> int:
        behind = unit - self._view.tail_begin
        if behind <= 0:
            return self._view.position(unit)
        return self._view.position(unit) + min(taken, self._tail.position(min(behind, self._tail.units)))

    @property
    def tail_text(self) -> str:
        return self._tail.text

    @property
    def tail_at(self) -> int:
        """Position of the tail; the end of the text while there is none."""
        return self._view.tail_at if self._tail.text else len(self._view.text)

    @property
    def behind_by(self) -> int | None:
        """Return the number of characters from the shown tail to a caret behind it; None if the caret is
        before or in the tail, or nothing is shown.
        """
        view = self._view
        unit = self.textCursor().position()
        if not view.tail_units or unit < view.tail_end:
            return None
        return view.position(unit) - view.tail_at

    def put_caret_behind(self, by: int) -> None:
        """Put the caret so many characters behind what is only shown."""
        view = self._view
        unit = view.own_unit(view.tail_at + by) + view.tail_units
        self._put_cursor(unit, unit)

    @property
    def is_in_tail(self) -> bool:
        """True if the caret, and all that is selected, stands in or behind what is only shown."""
        cursor = self.textCursor()
        return bool(self._tail.text) and min(cursor.position(), cursor.anchor()) > self._view.tail_begin

    def _before_writing(self) -> None:
        self._catch_up()
        self.about_to_write.emit()
        self._keep_out_of_tail()  # what is only shown cannot be written in

    def _keep_out_of_tail(self) -> None:
        view, cursor = self._view, self.textCursor()
        begin, end = view.tail_begin, view.tail_end
        out = end if view.writes_behind else begin
        anchor, place = (out if begin < unit < end else unit for unit in (cursor.anchor(), cursor.position()))
        if not view.writes_behind and view.tail_at == len(view.text):
            anchor, place = min(anchor, begin), min(place, begin)
        if (anchor, place) != (cursor.anchor(), cursor.position()):
            self._put_cursor(anchor, place)

    # What Qt did to the document.

    def on_document_changed(self, begin: int, removed: int, added: int) -> None:
        """Take in what somebody wrote into the document."""
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
        splice, view = found.splice, self._view
        at = view.tail_at
        view.splice(splice, found.first, found.last)
        self.is_behind = found.is_behind
        if not found.is_behind:
            grown = len(splice.text) - (splice.end - splice.begin)
            view.tail_at = at + grown if splice.end <= at else min(at, splice.begin) + len(splice.text)
        if found.harms_tail:
            self._mend()
            shift = view.tail_units if found.is_behind else 0
            self._put_cursor(*(view.own_unit(splice.begin + len(splice.text)) + shift,) * 2)
        if self._units_there != view.length + self._tail.units:
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
        view, at = self._view, self._view.tail_begin
        tail = self._tail.text.replace("\n", SEAM)
        wanted = view.shown(0, at) + tail + view.shown(at, view.length)
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
        """Colour some units of the document anew."""
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
        self.recolour(self._view.unit(begin), self._view.unit(end))

    def colour_anew(self) -> None:
        self.prose.colour_anew()

    def _formats(self, block: QTextBlock) -> list[QTextLayout.FormatRange]:
        begin, length, view = block.position(), block.length() - 1, self._view
        at, end = view.tail_begin, view.tail_end
        ranges: list[QTextLayout.FormatRange] = []
        for first, last in ((begin, min(begin + length, at)), (max(begin, end), begin + length)):
            if first < last:
                ranges += self._own_formats(begin, length, first, last)
        for shown, until, look in self._tail.looks():
            start, stop = max(0, at - begin + shown), min(length, at - begin + until)
            if start < stop:
                ranges.append(format_range(start, stop - start, look))
        return ranges

    def _own_formats(
        self, begin: int, length: int, first: int, last: int
    ) -> Iterator[QTextLayout.FormatRange]:
        """The looks of what is written between two units of a block, which begins somewhere."""
        view = self._view
        shift = view.tail_units if first >= view.tail_end else 0
        for start, end, look in self.formats_of(view.position(first), view.position(last)):
            unit = max(0, view.own_unit(start) + shift - begin)
            until = min(length, view.own_unit(end) + shift - begin)
            yield format_range(unit, until - unit, look)
