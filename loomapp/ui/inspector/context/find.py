"""Finding words in the inspector: in the rows of a context, or in its raw form."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

from loomapp.ui.inspector.context.context_list import ContextList
from loomapp.ui.inspector.context.rows import ContextRows
from loomapp.ui.widgets.find_bar import FindBar
from loomapp.ui.widgets.plain_view import PlainView

SLICE_MS = 8.0


class ContextFinding(QObject):
    """Counts the rows that hold the words, some milliseconds at a time, and goes from one to the next."""

    def __init__(self, bar: FindBar, rows: ContextList) -> None:
        super().__init__(bar)
        self._bar, self._rows = bar, rows
        self._raw: PlainView | None = None
        self._numbers: list[int] = []  # of the rows that hold them, ascending; or where in the raw text
        self._at: int | None = None
        self._pattern: re.Pattern[str] | None = None
        self._is_done = True
        self._work: Iterator[None] = iter(())
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.on_idle)
        bar.words_changed.connect(self.on_words_changed)
        bar.step_asked.connect(self.on_step)
        bar.closed.connect(self.on_closed)

    def look_in(self, raw: PlainView | None) -> None:
        """Look in a raw text, or, without one, in the rows; also to be called when they are others."""
        self._raw = raw
        if self._bar.isVisible():
            self._seek(keeps_place=True)

    def on_words_changed(self, words: str) -> None:
        self._pattern = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self._seek()

    def on_closed(self) -> None:
        self._timer.stop()
        self._pattern = None
        self._rows.show_sought(None)
        (self._raw or self._rows).setFocus()

    def on_step(self, step: int) -> None:
        """Go to the next or previous match; after the last comes the first."""
        if self._numbers:
            count = len(self._numbers)
            self._at = (0 if step > 0 else count - 1) if self._at is None else (self._at + step) % count
            self._go()

    def on_idle(self) -> None:
        """Read on for a moment."""
        end = time.perf_counter() + SLICE_MS / 1000
        for _ in self._work:
            if time.perf_counter() > end:
                break
        else:
            self._timer.stop()
            self._is_done = True
        if self._at is None and self._numbers:
            self._at = 0
            self._go()
        self._tell()

    def _seek(self, *, keeps_place: bool = False) -> None:
        before = self._at
        self._numbers, self._at = [], before if keeps_place else None
        self._is_done = self._pattern is None
        self._rows.show_sought(None if self._raw is not None else self._pattern)
        shown = self._rows.shown
        if self._pattern is None:
            self._timer.stop()
        elif self._raw is not None:
            self._work = self._read_text(self._raw.text(), self._pattern)
            self._timer.start()
        elif shown is not None:
            self._work = self._read_rows(shown, self._pattern)
            self._timer.start()
        self._tell()

    def _read_rows(self, rows: ContextRows, pattern: re.Pattern[str]) -> Iterator[None]:
        for number in range(len(rows)):
            row = rows[number]
            if pattern.search(row.text) or pattern.search(row.name_of_node):
                self._numbers.append(number)
            yield

    def _read_text(self, text: str, pattern: re.Pattern[str]) -> Iterator[None]:
        for found in pattern.finditer(text):
            self._numbers.append(found.start())
            yield

    def _go(self) -> None:
        if self._at is None or self._at >= len(self._numbers):
            return
        if self._raw is None:
            self._rows.go_to(self._numbers[self._at])
        else:
            self._raw.select(self._numbers[self._at], len(self._bar.field.text()))
        self._tell()

    def _tell(self) -> None:
        at = self._at if self._at is not None and self._at < len(self._numbers) else None
        self._bar.show_count(at, len(self._numbers), done=self._is_done)
