"""The editor itself: one text that a person writes in, with what is only shown after its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QDragLeaveEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from loomapp.core.content import well_formed
from loomapp.ui.buffer.prose_layout import NEVER, ProseLayout
from loomapp.ui.buffer.seams import Seams
from loomapp.ui.buffer.view_text import SEAM, Splice, ViewText, change_between, utf16_length
from loomapp.ui.composing.composer import is_enter, is_undo
from loomapp.ui.dialogue.document import SafeDocument
from loomapp.ui.look import theme

LEFT_PX, RIGHT_PX = 92, 64  # margins for pagers and bars, and for version chips
NARROW_LEFT_PX, NARROW_RIGHT_PX = 76, 60
TOP_PX = 24
FAR_PX = 400


@dataclass(frozen=True, slots=True)
class TailRun:
    """Text that stands after the end and is no part of it: what streams, or what is only offered."""

    text: str
    format: QTextCharFormat


class BufferEditor(QPlainTextEdit):
    """Shows an exact text; tells of each change that a person makes as a splice of it.

    The window has the one undo: the editor's own is off, and its keys are left to the window.
    """

    spliced = Signal(object)  # Splice: a person changed the text; it is shown by then
    caret_moved = Signal(int)  # position in the text
    generate_pressed = Signal()
    laid_out = Signal()  # what is in view stands elsewhere
    node_picked = Signal(int)  # position: Ctrl+click
    pointed = Signal(int)  # the position under the pointer, -1 for none
    about_to_write = Signal()  # before a person changes anything: what is only offered is settled
    ghost_key = Signal(str)  # accept | word | next | previous | dismiss, only while a ghost is shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bufferEditor")
        self.setAccessibleName(self.tr("Text of the buffer"))
        document = SafeDocument(self)
        document.setDefaultFont(theme.font("prose"))
        document.setDocumentMargin(0)
        self.prose = ProseLayout(document)
        document.setDocumentLayout(self.prose)
        self.setDocument(document)
        self.setUndoRedoEnabled(False)
        self.setFont(theme.font("prose"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setCursorWidth(2)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.prose.formats = self._formats
        self._view = ViewText()
        self._tail: tuple[TailRun, ...] = ()
        self._tail_text = ""
        self._tail_ends: tuple[int, ...] = ()  # of its runs, in units from the end of the text
        self._tail_units = 0
        self._is_own = False  # while the document is filled, not written in
        self._is_reading = False  # while a change is taken in: Qt tells of none that is made meanwhile
        self._is_untold = False  # the editor wrote while Qt was not done with a change of its own
        self._composing = False
        self._typewriter = False
        self._below_px = 0
        self.has_ghost = False
        self.enter_generates = False
        self.formats_of: Callable[[int, int], Iterable[Look]] = _ink
        self.decorate: Callable[[QPainter], None] = _nothing
        document.contentsChange.connect(self.on_document_changed)
        self.cursorPositionChanged.connect(self.on_cursor_moved)
        self._seams = Seams(self)
        self.laid_out.connect(self._seams.look_soon)
        self.updateRequest.connect(self.on_update_request)

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
        if not self._view.text and not self._tail_text:
            self._fill(text)
        else:
            self._replace(change_between(self._view.text, text))
        self.laid_out.emit()

    def start_over(self, text: str) -> None:
        """Show the text of another tree, from its beginning."""
        self._tail, self._tail_text, self._tail_ends, self._tail_units = (), "", (), 0
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
        self._replace(splice)
        self.set_caret(begin + len(splice.text))
        self.spliced.emit(splice)
        self.recolour_text(begin, begin + len(splice.text))
        self.ensureCursorVisible()

    def _move(self, begin: int, end: int, place: int) -> None:
        """Move a stretch of the text elsewhere, as a person who drags it; no half of it can lose words."""
        moved = self._view.text[begin:end]
        after = Splice(place, place, moved).applied(self._view.text)
        self._put(place, place, moved)
        if self._view.text == after:
            shift = len(moved) if place <= begin else 0
            self._put(begin + shift, end + shift, "")
            self.set_caret(place + len(moved) - (0 if place <= begin else end - begin))

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
        text = "".join(run.text for run in runs)
        view = ViewText()
        shown = view.start_over(text)
        before, self._tail = self._tail_text, tuple(runs)
        self._tail_ends = tuple(map(view.unit, accumulate(len(run.text) for run in runs)))
        if shown != before:
            changed = change_between(before, shown)
            at = self._view.length + utf16_length(before[: changed.begin])
            self._tail_text, self._tail_units = shown, utf16_length(shown)
            cursor, end = self.textCursor(), self._view.length
            anchor, place = cursor.anchor(), cursor.position()
            self._write(at, at + utf16_length(before[changed.begin : changed.end]), changed.text)
            self._put_cursor(
                anchor if anchor <= end else self.textCursor().anchor(),
                place if place <= end else self.textCursor().position(),
            )
        self.recolour(self._view.length, self._view.length + self._tail_units)
        self.laid_out.emit()

    def tail_caret(self) -> int:
        """How far behind the end of the text the caret stands, in units."""
        return max(0, self.textCursor().position() - self._view.length)

    def put_caret_in_tail(self, units: int) -> None:
        """Put the caret behind the end of the text: words were taken that are no part of it yet."""
        cursor = self.textCursor()
        cursor.setPosition(self._view.length + units)
        self.setTextCursor(cursor)

    @property
    def tail_text(self) -> str:
        """What stands after the end, as it is shown."""
        return self._tail_text

    @property
    def is_in_tail(self) -> bool:
        """True if the cursor, or one end of the selection, stands behind the end of the text."""
        cursor, end = self.textCursor(), self._view.length
        return bool(self._tail_text) and max(cursor.position(), cursor.anchor()) > end

    def _before_writing(self) -> None:
        self._catch_up()
        self.about_to_write.emit()
        self._keep_out_of_tail()  # what is only shown cannot be written in

    def _keep_out_of_tail(self) -> None:
        end, cursor = self._view.length, self.textCursor()
        if max(cursor.position(), cursor.anchor()) > end:
            self._put_cursor(min(cursor.anchor(), end), min(cursor.position(), end))

    def _put_cursor(self, anchor: int, place: int) -> None:
        cursor = self.textCursor()
        if (cursor.anchor(), cursor.position()) != (anchor, place):
            cursor.setPosition(anchor)
            cursor.setPosition(place, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    # Where the writer is.

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

    def set_caret(self, position: int) -> None:
        """Put the caret somewhere, in view."""
        self.select(position, position)

    def set_caret_quietly(self, position: int) -> None:
        """Put the caret somewhere; what is in view stays."""
        top = self.verticalScrollBar().value()
        self.set_caret(position)
        self.verticalScrollBar().setValue(top)

    @property
    def is_end_in_view(self) -> bool:
        """True if the last line is on the screen, or nearly."""
        return self.end_rect().bottom() <= self.viewport().height() + round(self.prose.line_px)

    def show_end(self) -> None:
        """The last line in view."""
        bar = self.verticalScrollBar()
        below = self.end_rect().bottom() - self.viewport().height() + round(self.prose.line_px)
        if below > 0:
            bar.setValue(bar.value() + -(-below // round(self.prose.line_px)))

    def bring_into_view(self, begin: int, end: int) -> None:
        """The beginning of a passage in view, and its end too if there is room for both."""
        height = round(self.prose.line_px)
        bar, room = self.verticalScrollBar(), self.viewport().height()
        self.ensureCursorVisible()
        top, bottom = self.line_rect(begin).top(), self.line_rect(end).bottom()
        if top < 0 and begin != end:
            self.centre_on(begin)
        elif top < 0 or bottom > room:
            bar.setValue(bar.value() + (top // height - 1 if top < 0 else -(-(bottom - room) // height)))

    def centre_on(self, position: int) -> None:
        """A position at the upper third of the view; the caret stays where it is."""
        bar = self.verticalScrollBar()
        block = self.document().findBlock(self._view.unit(position))
        page = self.viewport().height() // round(self.prose.line_px)
        bar.setValue(block.firstLineNumber() - page // 3)

    def position_at(self, at: QPoint) -> int:
        """The position of the text nearest to a point of the viewport."""
        return self._view.position(self.cursorForPosition(at).position())

    def line_rect(self, position: int) -> QRect:
        """The line of a position in the viewport; well above or below it if it is not near."""
        return self._unit_rect(self._view.unit(position))

    def _unit_rect(self, unit: int) -> QRect:
        unit = min(unit, self.document().characterCount() - 1)
        block = self.document().findBlock(unit)
        return self.line_rect_of(block, unit - block.position())

    def line_rect_of(self, block: QTextBlock, offset: int) -> QRect:
        """The line of a place in a block, as high as lines are, and as wide as the column.

        Only what is near is measured: Qt would lay out everything between.
        """
        height, width = round(self.prose.line_px), round(self.prose.width_px)
        away = block.blockNumber() - self.firstVisibleBlock().blockNumber()
        if away < 0:
            return QRect(0, -FAR_PX, width, height)
        if away > self.viewport().height() // height + 2:
            return QRect(0, self.viewport().height() + FAR_PX, width, height)
        geometry = self.blockBoundingGeometry(block).translated(self.contentOffset())
        line = block.layout().lineForTextPosition(offset)
        number = line.lineNumber() if line.isValid() else 0
        return QRect(0, round(geometry.top() + number * self.prose.line_px), width, height)

    def x_of(self, position: int) -> int:
        """How far from the left edge of the column a position is, in px."""
        unit = min(self._view.unit(position), self.document().characterCount() - 1)
        block = self.document().findBlock(unit)
        line = block.layout().lineForTextPosition(unit - block.position())
        found: object = line.cursorToX(unit - block.position()) if line.isValid() else 0.0
        x = found[0] if isinstance(found, tuple) else found  # the bindings give the position too
        return round(x) if isinstance(x, float) else 0

    def end_rect(self) -> QRect:
        """The last line of what is shown, the tail's if there is one."""
        block = self.document().lastBlock()
        return self.line_rect_of(block, max(0, block.length() - 1))

    def tail_rects(self) -> tuple[QRect, QRect]:
        """The first and the last line of what stands after the end."""
        size = utf16_length(self._tail_text)
        first = self._view.length + min(size, len(self._tail_text) - len(self._tail_text.lstrip(SEAM + "\n")))
        last = self._view.length + max(0, size - 1)
        return self._unit_rect(min(first, last)), self._unit_rect(last)

    def in_view(self) -> tuple[int, int]:
        """The positions of the text between which everything lies that is on the screen."""
        block = self.firstVisibleBlock()
        begin, bottom = block.position(), self.viewport().height()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        last = block
        while block.isValid() and top <= bottom:
            last = block
            top += self.blockBoundingRect(block).height()
            block = block.next()
        return self._view.position(begin), self._view.position(last.position() + last.length() - 1)

    # Colours.

    def recolour(self, begin: int, end: int) -> None:
        """The colours of some units of the document are other ones."""
        block, last = self.document().findBlock(begin), self.document().findBlock(end)
        while block.isValid():
            block.setUserState(NEVER)
            if block == last:
                break
            block = block.next()
        self.viewport().update()

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
                ranges.append(_range(unit, min(length, self._view.unit(end) - begin) - unit, look))
        at = end_of_text - begin
        for run, run_end in zip(self._tail, self._tail_ends, strict=True):
            until = end_of_text - begin + run_end
            if until > 0 and at < length:
                ranges.append(_range(max(0, at), min(length, until) - max(0, at), run.format))
            at = until
        return ranges

    # What a person does.

    def on_document_changed(self, begin: int, removed: int, added: int) -> None:
        """Somebody wrote: what that makes of the text."""
        if self._is_own:
            self._is_untold = False
            return
        whole, before = self._units_there, self._view.length + self._tail_units
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
        tail = self._tail_text.replace("\n", SEAM)
        found = self._view.read(begin, removed, self._units(begin, until), tail=tail, behind=behind)
        if found is None:
            return
        splice = found.splice
        shown = self._view.splice(splice, found.first, found.last)
        if found.harms_tail:
            self._write(found.first, self._units_there, shown + self._tail_text)
            self._put_cursor(*(min(place, self._view.length),) * 2)
        if self._units_there != self._view.length + self._tail_units:
            self._mend()
        if splice.text or splice.begin != splice.end:
            self.spliced.emit(splice)

    @property
    def _units_there(self) -> int:
        return self.document().characterCount() - 1

    def _catch_up(self) -> None:
        """Take in what Qt has done and not told of yet: places are known only then."""
        if self._units_there != self._view.length + self._tail_units:
            self.on_document_changed(0, self._view.length + self._tail_units, self._units_there)

    def _mend(self) -> None:
        """Show again what the text and the tail are: the document has something else."""
        there = self._units(0, self._units_there)
        wanted = self._view.shown(0, self._view.length) + self._tail_text.replace("\n", SEAM)
        change = change_between(there, wanted)
        begin = utf16_length(there[: change.begin])
        self._write(begin, begin + utf16_length(there[change.begin : change.end]), change.text)

    def _units(self, begin: int, end: int) -> str:
        cursor = QTextCursor(self.document())
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy exactly what was written, not how it is shown."""
        begin, end = self.selection
        data = QMimeData()
        data.setText(self._view.text[begin:end])
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Words only."""
        return source.hasText() and not source.hasUrls()  # files are attached

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste exactly what was copied."""
        if not self.isReadOnly() and source.hasText():
            self.put(source.text())

    def dropEvent(self, event: QDropEvent) -> None:
        """Put what is dropped where it is dropped. Qt would take away and put in as one change, half told."""
        super().dragLeaveEvent(QDragLeaveEvent())  # the caret that follows the pointer goes
        if self.isReadOnly() or not self.canInsertFromMimeData(event.mimeData()):
            event.ignore()
            return
        place = self.position_at(event.position().toPoint())
        own = event.source() in (self, self.viewport())
        text = event.mimeData().text()
        self._before_writing()
        begin, end = self.selection
        if not own or event.dropAction() != Qt.DropAction.MoveAction:
            self._put(place, place, text)
        elif not begin <= place <= end:
            self._move(begin, end, place)
        event.acceptProposedAction()

    def event(self, event: QEvent) -> bool:
        """Leave undo, redo and the window's keys to the window; keep those of a ghost."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._ghost_act(event):
                event.accept()
                return True
            if is_undo(event) or event.modifiers() & Qt.KeyboardModifier.AltModifier:
                event.ignore()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Typing, but for the keys of a ghost, of Generate and of the window."""
        act = self._ghost_act(event)
        if act:
            self.ghost_key.emit(act)
        elif self._is_generate(event):
            self.generate_pressed.emit()
        elif is_undo(event):
            event.ignore()
        elif is_enter(event, Qt.KeyboardModifier.ShiftModifier) or (
            self.enter_generates and is_enter(event, Qt.KeyboardModifier.ControlModifier)
        ):
            self.put("\n")
        else:
            if _writes(event) and not self.isReadOnly():
                self._before_writing()
            self._step_over_seam(event)
            super().keyPressEvent(event)
            self._leave_seam(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method is in the middle of a word: Enter belongs to it then."""
        if not self._composing and (event.preeditString() or event.commitString()):
            self._before_writing()
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def _is_generate(self, event: QKeyEvent) -> bool:
        none, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
        return not self._composing and is_enter(event, none if self.enter_generates else control)

    def _ghost_act(self, event: QKeyEvent) -> str:
        if not self.has_ghost or self._composing:
            return ""
        return _GHOST_KEYS.get((event.key(), _held(event)), "")

    def _step_over_seam(self, event: QKeyEvent) -> None:
        """What deletes beside a seam deletes the character behind it, and both signs of a line's end."""
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

    def _leave_seam(self, event: QKeyEvent) -> None:
        """A seam is no place of its own: one press of an arrow goes over it."""
        if event.key() not in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            return
        cursor = self.textCursor()
        place = cursor.position()
        held = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        mode = QTextCursor.MoveMode.KeepAnchor if held else QTextCursor.MoveMode.MoveAnchor
        if event.key() == Qt.Key.Key_Right and self._view.is_seam(place):
            cursor.setPosition(place + 1, mode)
            self.setTextCursor(cursor)

    def on_cursor_moved(self) -> None:
        """The caret stands elsewhere."""
        if self._typewriter and not self._is_own:
            self.centerCursor()
        self.caret_moved.emit(self.caret)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """With Ctrl, pick the node of the text."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.button() == Qt.MouseButton.LeftButton:
            self.node_picked.emit(self.position_at(event.position().toPoint()))
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what the pointer is over."""
        super().mouseMoveEvent(event)
        if event.buttons() == Qt.MouseButton.NoButton:
            self.pointed.emit(self.position_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer is over nothing."""
        super().leaveEvent(event)
        self.pointed.emit(-1)

    # The column.

    def set_typewriter(self, on: bool) -> None:
        """Keep the line that is written in the middle."""
        self._typewriter = on
        self.setCenterOnScroll(on)
        if on:
            self.centerCursor()

    def margins_for(self, width: int) -> tuple[int, int]:
        """The margins left and right of the column in a width in px."""
        measure = theme.prose_width_px()
        left, right = (LEFT_PX, RIGHT_PX)
        if width < measure // 2 + LEFT_PX + RIGHT_PX:
            left, right = NARROW_LEFT_PX, NARROW_RIGHT_PX
        spare = max(0, width - measure - left - right)
        return left + spare // 2, right + spare - spare // 2

    def reserve_below(self, height_px: int) -> None:
        """Keep room free below the text, for what stands there for a while."""
        if height_px != self._below_px:
            self._below_px = height_px
            margins = self.viewportMargins()
            self.setViewportMargins(margins.left(), margins.top(), margins.right(), height_px)
            self.laid_out.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The column is as wide as its measure, in the middle."""
        room = self.width() - self.verticalScrollBar().sizeHint().width()
        left, right = self.margins_for(room)
        self.setViewportMargins(left, TOP_PX, right, self._below_px)
        self.prose.width_px = float(max(80, self.viewport().width() - 2))
        super().resizeEvent(event)
        self.laid_out.emit()

    def on_update_request(self, rect: QRect, dy: int) -> None:
        """Something of the text is drawn anew, or it scrolls; a blinking caret moves nothing."""
        if dy or rect.width() > self.cursorWidth() + 4:
            self.laid_out.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, and over it what `decorate` has to say."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        try:
            self.decorate(painter)
        finally:
            painter.end()


Look = tuple[int, int, QTextCharFormat]


def _ink(_begin: int, _end: int) -> Sequence[Look]:
    return ()


def _nothing(_painter: QPainter) -> None:
    """Nothing stands over the text."""


def _range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, max(0, length), look
    return made


def _held(event: QKeyEvent) -> Qt.KeyboardModifier:
    return event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def _writes(event: QKeyEvent) -> bool:
    """True for keys that change a text."""
    text = event.text()
    deletes = event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
    edits = any(event.matches(key) for key in _EDITING)
    return deletes or edits or (bool(text) and (text.isprintable() or text in "\r\t\n"))


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
