"""The lines on the screen, measured once for all that stands in them or beside them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QRect
from PySide6.QtGui import QTextBlock, QTextLayout

from loomapp.ui.buffer.text.view_text import ViewText, utf16_length


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
