"""Heights of messages: estimated until measured, with quick sums; and long ones, which are folded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loomapp.core.model.content import AttachedDocument, Mixed
from loomapp.ui.dialogue.script.entries import Entry, body_words


class RowHeights:
    """Row heights in px. An array that it is made of is its own from then on.

    One offset is the sum of what is above it; all of them, ten times as dear, are summed to seek a row.
    """

    def __init__(self, estimates: Sequence[float] | npt.NDArray[np.float64] = ()) -> None:
        self._heights: npt.NDArray[np.float64] = np.asarray(estimates, dtype=np.float64)
        self._tops: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> float:
        return float(self._heights[row])

    def measure(self, row: int, height: float) -> None:
        """Put a measured height in place of what was there."""
        if self._heights[row] != height:
            self._heights[row] = height
            self._tops = None

    def beginning(self, rows: int) -> npt.NDArray[np.float64]:
        return self._heights[:rows]

    def top(self, row: int) -> float:
        """Return the y at which a row begins; for the number of rows, that at which the last one ends."""
        return float(self._heights[:row].sum() if self._tops is None else self._tops[row])

    @property
    def total(self) -> float:
        return self.top(len(self))

    def row_at(self, y: float) -> int:
        """Return the row that covers a height, or the nearest one. There must be rows."""
        found = int(np.searchsorted(self._sums(), y, side="right")) - 1
        return min(max(found, 0), len(self) - 1)

    def _sums(self) -> npt.NDArray[np.float64]:
        if self._tops is None:
            self._tops = np.concatenate([[0.0], np.cumsum(self._heights)])
        return self._tops


FOLD_LINES = 40  # longer ones are folded
SHOWN_LINES = 24
PER_LINE = 72  # characters of a line as it is read, about
MARK = " …"  # in place of the rest of a line


class Folded(NamedTuple):
    """The beginning of a text, and how many lines the whole has: as written, or as read where few are.

    What is shown is the text's own up to `shown` characters; the mark of a line that goes on is not. Words
    that stand below what is folded are shown too: `below` ends the block above them, if it is one.
    """

    beginning: str
    lines: int
    shown: int
    below: str = ""
    words: str = ""

    @property
    def text(self) -> str:
        """Return all that is shown."""
        return self.beginning + self.below + self.words

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


BETWEEN = "\n\n"  # between the blocks of a message
FENCE = re.compile("`[^`]*`\n\n(`{3,})\n")  # where the text of a document begins, below its name


def folded_message(entry: Entry) -> Folded | None:
    """Return the part of a long message that is shown at first; None for one that is shown whole.

    Attachments are folded by themselves: a person's words, which stand below them, are always in sight.
    """
    attached, words = _attached_and_words(entry)
    if not words.strip():
        return folded(entry.text)
    above = folded(BETWEEN.join(attached))
    if above is not None:
        beginning = above.beginning if above.is_marked else above.beginning + MARK  # words follow it
        below = _end_of_block(attached, above.shown) + BETWEEN
        return Folded(beginning, lines_of(entry.text), above.shown, below, words)
    long = folded(words)
    if long is None:
        return None
    before = BETWEEN.join([*attached, ""])
    return Folded(before + long.beginning, lines_of(entry.text), len(before) + long.shown)


def _attached_and_words(entry: Entry) -> tuple[list[str], str]:
    """Return the blocks of a message down to its last document, and all that stands below."""
    content = None if entry.node is None else entry.node.content
    blocks = body_words(content) if isinstance(content, Mixed) else []
    last = max(
        (at for at, (block, _) in enumerate(blocks) if isinstance(block, AttachedDocument)), default=-1
    )
    texts = [text for _, text in blocks]
    return texts[: last + 1], BETWEEN.join(texts[last + 1 :]) if last >= 0 else ""


def _end_of_block(blocks: list[str], shown: int) -> str:
    """Return what ends the text of a document that is cut after so many characters of all blocks."""
    for block in blocks:
        if shown <= len(block):
            fence = FENCE.match(block)
            return "" if fence is None or shown < fence.end() - 1 else f"\n{fence[1]}"
        shown -= len(block) + len(BETWEEN)
    return ""
