"""Selection in a path: from a position in one row to a position in another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from loomapp.ui.dialogue.script.script import Script
from loomapp.ui.dialogue.text.span import Span

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
