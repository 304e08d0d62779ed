"""Column of an exact text on the screen: its width, its lines, and the part that is in view."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent, QTextBlock, QWheelEvent
from PySide6.QtWidgets import QFrame, QWidget

from loomapp.ui.buffer.text.exact_text import ExactText
from loomapp.ui.buffer.text.prose_layout import Lines, place_beside
from loomapp.ui.buffer.text.view_text import SEAM, direction
from loomapp.ui.look import theme
from loomapp.ui.strings import utf16_length
from loomapp.ui.widgets.keyboard import TextSteps

AFTER_MS = 120  # once nothing moves any more
LEFT_PX, RIGHT_PX = 92, 64  # margins for pagers and bars, and for version chips
NARROW_LEFT_PX, NARROW_RIGHT_PX = 76, 60
TOP_PX = 24
FAR_PX = 400


class Seams(QObject):
    """Looks at the seams in view when writing and scrolling rest, and mends the first that shows."""

    def __init__(self, editor: ExactText) -> None:
        super().__init__(editor)
        self._editor = editor
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(AFTER_MS)
        self._soon.timeout.connect(self.on_rest)

    def look_soon(self) -> None:
        if self._editor.has_seams:
            self._soon.start()

    def on_rest(self) -> None:
        """Move the first seam in view that ends a line too early to where that line begins."""
        editor = self._editor
        block = editor.firstVisibleBlock()
        top = editor.blockBoundingGeometry(block).translated(editor.contentOffset()).top()
        while block.isValid() and top <= editor.viewport().height():
            height = editor.blockBoundingRect(block).height()
            if self._shows(block):
                last = block.layout().lineAt(block.layout().lineCount() - 1)
                editor.move_seam(block.position() + block.length() - 1, block.position() + last.textStart())
                self._soon.start()
                return
            top += height
            block = block.next()

    def _shows(self, block: QTextBlock) -> bool:
        """Return True if the first word after a seam would have had room before it."""
        layout, editor = block.layout(), self._editor
        if layout.lineCount() < 2 or not editor.is_seam(block.position() + block.length() - 1):
            return False
        moved_to, text = layout.lineAt(layout.lineCount() - 1).textStart(), block.text()
        if not text.isascii() and direction(text, moved_to) not in (direction(text, 0), None):
            return False  # what follows would stand on the other side
        word = block.next().text()[:64].split(" ", 1)[0]
        width = QFontMetricsF(editor.font()).horizontalAdvance(word)
        used = layout.lineAt(layout.lineCount() - 1).horizontalAdvance()
        return used + width <= editor.prose.width_px


class ProseColumn(ExactText):
    """A column of prose, as wide as its measure, in the middle. What is off the screen is never laid out."""

    size_asked = Signal(int)  # so many px larger, or smaller

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # lines break as they did
        self.verticalScrollBar().rangeChanged.connect(self.on_range_changed)
        theme.set_look(self.verticalScrollBar(), idle=True)
        self._typewriter = False
        self._text_steps = TextSteps()
        self._below_px = 0
        self.decorate: Callable[[QPainter, QRect], None] = _nothing  # in a part of the viewport
        self._seams = Seams(self)
        self.laid_out.connect(self._seams.look_soon)
        self.updateRequest.connect(self.on_update_request)

    def on_range_changed(self, least: int, most: int) -> None:
        """The bar keeps its place, but shows no handle where there is nothing to scroll."""
        bar = self.verticalScrollBar()
        if bar.property("idle") != (least == most):
            theme.set_look(bar, idle=least == most)

    # What is in view.

    def set_caret_quietly(self, position: int) -> None:
        """Put the caret somewhere; what is in view stays."""
        self.select_quietly(position, position)

    def select_quietly(self, begin: int, end: int) -> None:
        """Select from one position to another; what is in view stays."""
        top = self.verticalScrollBar().value()
        self.select(begin, end)
        self.verticalScrollBar().setValue(top)

    @property
    def is_end_in_view(self) -> bool:
        """Return True if the last line is on the screen, or nearly."""
        return self.end_rect().bottom() <= self.viewport().height() + round(self.prose.line_px)

    def show_end(self) -> None:
        bar = self.verticalScrollBar()
        below = self.end_rect().bottom() - self.viewport().height() + round(self.prose.line_px)
        if below > 0:
            bar.setValue(bar.value() + -(-below // round(self.prose.line_px)))

    def bring_into_view(self, begin: int, end: int) -> None:
        """The beginning of a passage in view, and its end too if there is room for both. Where only the
        beginning is asked for, the view moves no more than it has to, wherever the caret is.
        """
        height = round(self.prose.line_px)
        bar, room = self.verticalScrollBar(), self.viewport().height()
        if begin != end:
            self.ensureCursorVisible()
        top, bottom = self.line_rect(begin).top(), self.line_rect(end).bottom()
        is_far = begin == end and not -FAR_PX < top < room + FAR_PX
        if is_far or (top < 0 and begin != end):
            self.centre_on(begin)
        elif top < 0 or bottom > room:
            bar.setValue(bar.value() + (top // height - 1 if top < 0 else -(-(bottom - room) // height)))

    def show_place(self, position: int) -> None:
        """Bring a place into view, wherever it is and wherever the caret is."""
        for _ in ("near", "there"):  # only what is near is measured
            self.bring_into_view(position, position)

    def centre_on(self, position: int) -> None:
        """Scroll a position to the upper third of the view; the caret stays where it is."""
        bar = self.verticalScrollBar()
        block = self.document().findBlock(self._view.unit(position))
        third = self.viewport().height() // round(self.prose.line_px) // 3
        above, lines = block.previous(), 0
        while above.isValid() and lines < third:
            self.blockBoundingRect(above)  # lays it out: until then Qt takes it for one line
            lines += above.lineCount()
            above = above.previous()
        bar.setValue(block.firstLineNumber() - third)

    def position_at(self, at: QPoint) -> int:
        """Return the position of the text nearest to a point of the viewport."""
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
        return QRect(0, self._line_top(block, offset), width, height)

    def _line_top(self, block: QTextBlock, offset: int) -> int:
        """Return the upper edge of a line in the viewport; all above it is laid out."""
        geometry = self.blockBoundingGeometry(block).translated(self.contentOffset())
        layout = block.layout()
        line = layout.lineForTextPosition(place_beside(layout, offset))
        number = line.lineNumber() if line.isValid() else 0
        return round(geometry.top() + number * self.prose.line_px)

    def _is_caret_within(self, height_px: int) -> bool:
        """Return True if the caret's line is on a screen of that height."""
        cursor, line_px = self.textCursor(), round(self.prose.line_px)
        block = cursor.block()
        away = block.blockNumber() - self.firstVisibleBlock().blockNumber()
        if not 0 <= away <= height_px // line_px:
            return False
        top = self._line_top(block, cursor.positionInBlock())
        return 0 <= top < height_px - line_px // 2

    def x_of(self, position: int) -> int:
        """Return the distance of a position from the left edge of the column, in px."""
        unit = min(self._view.unit(position), self.document().characterCount() - 1)
        block = self.document().findBlock(unit)
        offset = place_beside(block.layout(), unit - block.position())
        line = block.layout().lineForTextPosition(offset)
        found: object = line.cursorToX(offset) if line.isValid() else 0.0
        x = found[0] if isinstance(found, tuple) else found  # the bindings give the position too
        return round(x) if isinstance(x, float) else 0

    def end_rect(self) -> QRect:
        """Return the last line of what is shown, the tail's if there is one."""
        block = self.document().lastBlock()
        return self.line_rect_of(block, max(0, block.length() - 1))

    def tail_rects(self) -> tuple[QRect, QRect]:
        """Return the first and the last line of the tail."""
        size = utf16_length(self._tail.text)
        begin = self._view.tail_begin
        first = begin + min(size, len(self._tail.text) - len(self._tail.text.lstrip(SEAM + "\n")))
        last = begin + max(0, size - 1)
        return self._unit_rect(min(first, last)), self._unit_rect(last)

    def in_view(self) -> tuple[int, int]:
        """The positions of the text between which everything lies that is on the screen."""
        first = last = self.firstVisibleBlock()
        for block, _ in self._blocks_in_view():
            last = block
        return self._view.position(first.position()), self._view.position(last.position() + last.length() - 1)

    @property
    def top(self) -> tuple[int, int]:
        """The position where the first paragraph on the screen begins, and its lines above the screen."""
        first = self.firstVisibleBlock()
        above = self.verticalScrollBar().value() - first.firstLineNumber()
        return self._view.position(first.position()), above

    def scroll_to_top(self, position: int, lines_above: int) -> None:
        """Scroll to where `top` was this: by the paragraph, for lines above it may not be counted yet."""
        block = self.document().findBlock(self._view.unit(position))
        self.verticalScrollBar().setValue(block.firstLineNumber() + lines_above)

    def lines(self) -> Lines:
        """Return the lines on the screen as they are now, to find many places in."""
        found = Lines(self._view, self.prose.line_px, self.prose.width_px)
        for block, top in self._blocks_in_view():
            found.add(block, top)
        found.elsewhere = self.line_rect
        return found

    def _blocks_in_view(self) -> Iterator[tuple[QTextBlock, float]]:
        """Yield the blocks on the screen, laid out, each with its upper edge in the viewport."""
        block, bottom = self.firstVisibleBlock(), self.viewport().height()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= bottom:
            height = self.blockBoundingRect(block).height()
            yield block, top
            top += height
            block = block.next()

    # The column.

    def set_typewriter(self, on: bool) -> None:
        """Keep the line that is written in the middle."""
        self._typewriter = on
        self.setCenterOnScroll(on)
        if on:
            self.centerCursor()

    def margins_for(self, width: int) -> tuple[int, int]:
        """Return the margins left and right of the column in a width, in px."""
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
        """The column is as wide as its measure, in the middle. The caret's line stays in view, and the end of
        what was read or offered to it: what comes below the text takes no line from who writes there. Before
        it had a size nothing was in view: the text comes with the caret's line.
        """
        before = event.oldSize()
        had_caret = not before.isValid() or self._is_caret_within(before.height())
        line_px = round(self.prose.line_px)
        had_end = before.isValid() and self.end_rect().bottom() <= before.height() + line_px
        self._fit_column()
        super().resizeEvent(event)
        if had_end and self.end_rect().bottom() > self.viewport().height():
            self.show_end()
        if had_caret:
            self.ensureCursorVisible()
        self.laid_out.emit()

    def _fit_column(self) -> None:
        room = self.width() - self.verticalScrollBar().sizeHint().width()
        left, right = self.margins_for(room)
        self.setViewportMargins(left, TOP_PX, right, self._below_px)
        self.prose.width_px = float(max(80, self.viewport().width() - 2))

    def fit_text(self) -> None:
        """Show the text in the size, width and spacing of now; who sees the caret still does."""
        had_caret = self._is_caret_within(self.viewport().height())
        super().fit_text()
        self._fit_column()  # a viewport of another width is resized, which lays all out anew
        for _ in self._blocks_in_view():
            pass  # laid out by that
        self.prose.documentSizeChanged.emit(self.prose.documentSize())  # as many lines may be higher
        if had_caret:
            self.ensureCursorVisible()
            below, bar = self.cursorRect().bottom() - self.viewport().height(), self.verticalScrollBar()
            if below > 0:  # Qt counts on lines that are no higher than their letters
                bar.setValue(bar.value() + math.ceil(below / self.prose.line_px))
            self.laid_out.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl ask for another size of the text."""
        steps = self._text_steps.count(event)
        if steps is None:
            super().wheelEvent(event)
        elif steps:
            self.size_asked.emit(steps)

    def on_update_request(self, rect: QRect, dy: int) -> None:
        """Something of the text is drawn anew, or it scrolls; a blinking caret moves nothing."""
        if dy or rect.width() > self.cursorWidth() + 4:
            self.laid_out.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, and over it what `decorate` has to say. Also while the keyboard is elsewhere the
        caret shows, at rest: letters that nothing takes there go on here.
        """
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        try:
            self.decorate(painter, event.rect())
            if not self.hasFocus() and not self.isReadOnly():
                painter.fillRect(self.cursorRect(), theme.colour("text.muted"))
        finally:
            painter.end()


def _nothing(_painter: QPainter, _seen: QRect) -> None:
    """Paint nothing over the text."""
