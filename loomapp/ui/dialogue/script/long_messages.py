"""Long messages are folded: what of them is shown at first, and how long they are."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

FOLD_LINES = 40  # longer ones are folded
SHOWN_LINES = 24
PER_LINE = 72  # characters of a line as it is read, about
MARK = " …"  # in place of the rest of a line


class Folded(NamedTuple):
    """The beginning of a text, and how many lines the whole has: as written, or as read where few are.

    What is shown is the text's own up to `shown` characters; the mark of a line that goes on is not.
    """

    beginning: str
    lines: int
    shown: int

    @property
    def is_marked(self) -> bool:
        """Return True if the beginning ends within a line."""
        return self.shown < len(self.beginning)


def folded(text: str) -> Folded | None:
    """Return the part of a long text that is shown at first; None for one that is shown whole."""
    if len(text) <= FOLD_LINES * PER_LINE and text.count("\n") < FOLD_LINES:
        return None
    return _folded(text)


@lru_cache(maxsize=64)
def _folded(text: str) -> Folded | None:
    read, end = 0, None
    begin = 0
    while begin <= len(text) and read <= FOLD_LINES:
        stop = text.find("\n", begin)
        stop = len(text) if stop < 0 else stop
        room = SHOWN_LINES - read
        read += max(1, -(-(stop - begin) // PER_LINE))
        if end is None and read >= SHOWN_LINES:
            end = min(stop, begin + room * PER_LINE)
        begin = stop + 1
    if read <= FOLD_LINES or end is None:
        return None
    is_cut = text[end : end + 1] not in ("", "\n")
    beginning = text[:end].rstrip()
    return Folded(beginning + (MARK if is_cut else ""), lines_of(text), len(beginning))


def lines_of(text: str) -> int:
    """Return the number of lines of a text: as written, or as its characters fill if those are more."""
    return max(text.count("\n") + 1, -(-len(text) // PER_LINE))
