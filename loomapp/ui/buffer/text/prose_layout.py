"""Layout of prose in blocks of which only those in view are set, and its lines by position."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QInputMethodEvent,
    QTextBlock,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextDocumentLayout

from loomapp.ui.buffer.text.view_text import ViewText
from loomapp.ui.look import theme
from loomapp.ui.strings import utf16_length

Formats = Callable[[QTextBlock], Sequence[QTextLayout.FormatRange]]
NEVER = -1  # as Qt says of a block that nobody has marked
STAMPS = 1 << 30


def no_formats(_block: QTextBlock) -> Sequence[QTextLayout.FormatRange]:
    """Return no formats: ink."""
    return ()


def nothing_below(_block: QTextBlock) -> bool:
    return False


class ProseLayout(QPlainTextDocumentLayout):
    """Lays a block out when it is first looked at, each line as high as the theme says.

    QPlainTextDocumentLayout itself knows neither: its lines are as high as the font, and its formats would
    have to be set apart from its layout, which then is made twice. Blocks carry the stamp of the colours they
    were laid out with as their user state.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.formats: Formats = no_formats
        self.is_below_view: Callable[[QTextBlock], bool] = nothing_below
        self.composed: Sequence[QTextLayout.FormatRange] = ()  # looks of what an input method composes
        self.width_px = 600.0
        self.fit_text()
        self._stamp = 0
        self._is_colouring = False

    def colour_anew(self) -> None:
        """Forget the colours of all blocks; those in view get their new ones."""
        self._stamp = (self._stamp + 1) % STAMPS
        self.update.emit()

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """Return a block's size; it is laid out and coloured if it is not yet."""
        if not block.isValid():
            return QRectF()
        layout = block.layout()
        if block.userState() != self._stamp or not layout.lineCount() or layout.lineAt(0).y() != self.rise_px:
            self._lay_out(block, layout)
        height = layout.lineCount() * self.line_px
        return QRectF(0, 0, self.width_px, height if block.isVisible() else 0)

    def documentChanged(self, begin: int, removed: int, added: int) -> None:
        """Lay the changed block out, or forget the layout of several."""
        if self._is_colouring:
            return
        document = self.document()
        block = document.findBlock(begin)
        if removed + added > block.length() or block != document.findBlock(begin + max(removed, added)):
            super().documentChanged(begin, removed, added)
            return
        lines = block.lineCount()
        self._lay_out(block, block.layout())
        if self.is_below_view(block):
            return  # for what is not on the screen Qt would draw all of it anew
        if block.lineCount() == lines:
            self.updateBlock.emit(block)
        else:
            self.update.emit()

    def fit_text(self) -> None:
        """Take the height of lines that the theme has for prose now. What parts them further stands above the
        letters: Qt scrolls until the lower edge of these is in view.
        """
        self.line_px = float(theme.line_height("prose"))
        self.rise_px = 4.0 + max(0, theme.prose_lead_px())  # from a line's upper edge to its letters

    def _looks(self, block: QTextBlock, layout: QTextLayout) -> list[QTextLayout.FormatRange]:
        """The looks of a block, and where an input method composes in it those of its words in between."""
        looks = list(self.formats(block))
        length = utf16_length(layout.preeditAreaText())
        if not length:
            return looks
        place = layout.preeditAreaPosition()
        parted = [part for look in looks for part in _around(look, place, length)]
        return parted + [format_range(place + one.start, one.length, one.format) for one in self.composed]

    def _lay_out(self, block: QTextBlock, layout: QTextLayout) -> None:
        document = self.document()
        self._is_colouring = True  # what setFormats tells of is no change of the text
        layout.setFormats(self._looks(block, layout))
        document.markContentsDirty(block.position(), block.length())
        self._is_colouring = False
        block.setUserState(self._stamp)
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if block.textDirection() == Qt.LayoutDirection.RightToLeft:
            option.setAlignment(Qt.AlignmentFlag.AlignRight)  # Qt does so for rich text alone
        layout.setTextOption(option)
        y, width_px, line_px = self.rise_px, self.width_px, self.line_px
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width_px)
            line.setPosition(QPointF(0, y))
            y += line_px
        layout.endLayout()
        if block.lineCount() != layout.lineCount():
            block.setLineCount(layout.lineCount())
            self.documentSizeChanged.emit(self.documentSize())


def format_range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    """Return a format for so many units."""
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, max(0, length), look
    return made


def looks_of(event: QInputMethodEvent) -> list[QTextLayout.FormatRange]:
    """Return the formats that an input method gives its words; underlined if it names none."""
    wanted = [a for a in event.attributes() if a.type == QInputMethodEvent.AttributeType.TextFormat]
    formats = ((a, a.value) for a in wanted)
    looks = [
        format_range(a.start, a.length, look.toCharFormat())
        for a, look in formats
        if isinstance(look, QTextFormat)
    ]
    if looks:
        return looks
    underlined = QTextCharFormat()
    underlined.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    return [format_range(0, utf16_length(event.preeditString()), underlined)]


def place_beside(layout: QTextLayout, offset: int) -> int:
    """Return the layout's offset of a unit of a block: preedit text before it is laid out too."""
    is_after = offset > layout.preeditAreaPosition() >= 0
    return offset + (utf16_length(layout.preeditAreaText()) if is_after else 0)


def _around(look: QTextLayout.FormatRange, place: int, length: int) -> Iterator[QTextLayout.FormatRange]:
    before = min(look.length, max(0, place - look.start))
    if before:
        yield format_range(look.start, before, look.format)
    if before < look.length:
        yield format_range(look.start + before + length, look.length - before, look.format)


class _Laid(NamedTuple):
    """Block as it is laid out: where its lines begin, and where they stand."""

    layout: QTextLayout
    starts: list[int]
    rects: list[QRect]
    composed_at: int  # -1 for nowhere
    composed: int


class Lines:
    """Pixel positions of places in a text. Building costs as much as is in view, each look-up next to
    nothing. Valid until the text, its layout or the part in view changes.
    """

    def __init__(self, view: ViewText, line_px: float, width_px: float) -> None:
        self._view, self._line_px = view, line_px
        self._size = round(width_px), round(line_px)
        self._begins: list[int] = []  # of the blocks, in units
        self._blocks: list[_Laid] = []
        self._end = 0
        self.elsewhere: Callable[[int], QRect] = _nowhere  # the line of a place that is not in view

    def add(self, block: QTextBlock, top: float) -> None:
        """Add the next block in view, which is laid out, with its upper edge."""
        layout = block.layout()
        numbers = range(layout.lineCount())
        starts = [layout.lineAt(number).textStart() for number in numbers]
        rects = [QRect(0, round(top + number * self._line_px), *self._size) for number in numbers]
        at, composed = layout.preeditAreaPosition(), utf16_length(layout.preeditAreaText())
        self._begins.append(block.position())
        self._blocks.append(_Laid(layout, starts, rects, at if composed else -1, composed))
        self._end = block.position() + block.length()

    def rect(self, position: int) -> QRect:
        """The line of a position in the viewport; many share one, which nobody changes."""
        laid, number, _ = self._find(position)
        return self.elsewhere(position) if laid is None else laid.rects[number]

    def x_of(self, position: int) -> int:
        """Return the distance of a position from the left edge of the column, in px; 0 if out of view."""
        laid, number, offset = self._find(position)
        if laid is None:
            return 0
        found: object = laid.layout.lineAt(number).cursorToX(offset)
        x = found[0] if isinstance(found, tuple) else found  # the bindings give the position too
        return round(x) if isinstance(x, float) else 0

    def _find(self, position: int) -> tuple[_Laid | None, int, int]:
        """The block of a position, the number of its line there, and where it is laid out."""
        unit = self._view.unit(position)
        index = bisect_right(self._begins, unit) - 1
        if index < 0 or unit >= self._end or not self._blocks[index].rects:
            return None, 0, 0
        laid, offset = self._blocks[index], unit - self._begins[index]
        if offset > laid.composed_at >= 0:
            offset += laid.composed
        return laid, max(0, bisect_right(laid.starts, offset) - 1), offset


def _nowhere(_position: int) -> QRect:
    return QRect()
