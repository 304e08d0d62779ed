"""Finding words in the messages of a path, also in those that were never on the screen."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.ui.dialogue.script.script import Script
from loomapp.ui.dialogue.text.code_colours import qt_length
from loomapp.ui.dialogue.text.span import Span

SLICE_MS = 8.0


class Hit(NamedTuple):
    """Match: its row, and its number among the matches there."""

    row: int
    place: int


class FindResult(QObject):
    """Counts the matches in a script, some milliseconds at a time. Upper and lower case are the same."""

    counted = Signal()  # there is more to say: see `total`, `is_done`

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.on_idle)
        self._pattern: re.Pattern[str] | None = None
        self._rows: list[int] = []  # those with matches, ascending
        self._counts: list[int] = []
        self._ends: Sequence[int] = ()  # of the matches of each such row, among all
        self._work: Iterator[None] = iter(())
        self.is_done = True

    def seek(self, words: str, script: Script | None) -> None:
        """Begin anew; nothing is found for no words."""
        self._pattern = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self._rows, self._counts, self._ends = [], [], ()
        self.is_done = self._pattern is None or script is None
        if script is None or self._pattern is None:
            self._timer.stop()
            self.counted.emit()
            return
        self._work = self._read(script, self._pattern)
        self._timer.start()

    def on_idle(self) -> None:
        end = time.perf_counter() + SLICE_MS / 1000
        for _ in self._work:
            if time.perf_counter() > end:
                break
        else:
            self._timer.stop()
            self.is_done = True
        self._ends = tuple(accumulate(self._counts))
        self.counted.emit()

    def _read(self, script: Script, pattern: re.Pattern[str]) -> Iterator[None]:
        for row in range(len(script)):
            count = sum(1 for _ in pattern.finditer(script.text(row)))
            if count:
                self._rows.append(row)
                self._counts.append(count)
            yield

    @property
    def total(self) -> int:
        return self._ends[-1] if self._ends else 0

    def hit(self, number: int) -> Hit:
        """Return the match of this number, from 0."""
        place = bisect_right(self._ends, number)
        return Hit(self._rows[place], number - (self._ends[place] - self._counts[place]))

    def number_from(self, row: int) -> int:
        """Return the number of the first match in a row or below it; 0 if there is none."""
        place = next((i for i, found in enumerate(self._rows) if found >= row), 0)
        return self._ends[place] - self._counts[place]

    def spans(self, text: str) -> list[Span]:
        """Return the matches in a text as it is read, in Qt's positions."""
        if self._pattern is None:
            return []
        found = [match.span() for match in self._pattern.finditer(text)]
        if not found or text.isascii():
            return [Span(*span) for span in found]
        return [Span(qt_length(text[:first]), qt_length(text[:last])) for first, last in found]
