"""Find in path: the bar, what is found in all messages, and the messages in which it is shown."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal

from loomapp.core.text.query import any_of
from loomapp.session.background.background_work import IdleWork
from loomapp.ui.dialogue.message.body import Span
from loomapp.ui.dialogue.script.script import Script
from loomapp.ui.strings import utf16_length
from loomapp.ui.widgets.fields import FindBar

if TYPE_CHECKING:
    from loomapp.ui.dialogue.reader import ReaderColumn


class Hit(NamedTuple):
    """Match: its row, and its number among the matches there."""

    row: int
    place: int


class FindResult(QObject):
    """Counts the matches in a script, some milliseconds at a time. Upper and lower case are the same."""

    counted = Signal()  # there is more to say: see `total`, `is_done`

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work = IdleWork(self)
        self._work.advanced.connect(self.on_advanced)
        self._pattern: re.Pattern[str] | None = None
        self._rows: list[int] = []  # those with matches, ascending
        self._counts: list[int] = []
        self._ends: Sequence[int] = ()  # of the matches of each such row, among all

    @property
    def is_done(self) -> bool:
        """False while there is more to be looked through."""
        return not self._work.isActive()

    def seek(self, words: str, script: Script | None) -> None:
        """Begin anew; nothing is found for no words."""
        self._pattern = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self._rows, self._counts, self._ends = [], [], ()
        if script is None or self._pattern is None:
            self._work.stop()
            self.counted.emit()
            return
        self._work.begin(self._read(script, self._pattern))

    def on_advanced(self) -> None:
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
        return _spans(self._pattern, text)


def _spans(pattern: re.Pattern[str] | None, text: str) -> list[Span]:
    found = [] if pattern is None else [match.span() for match in pattern.finditer(text)]
    if not found or text.isascii():
        return [Span(*span) for span in found]
    return [Span(utf16_length(text[:first]), utf16_length(text[:last])) for first, last in found]


class DialogueSearch(QObject):
    """The search of one column. A match is looked at; its message is opened if it is folded."""

    def __init__(self, column: ReaderColumn) -> None:
        super().__init__(column)
        self._column = column
        self.bar = FindBar(column)
        self._finding = FindResult(self)
        self._number: int | None = None
        self._from_row = 0
        self._keys: tuple[str, ...] = ()
        self._terms = any_of(())  # that were looked for elsewhere: marked while the bar is away
        self.bar.words_changed.connect(self.on_words_changed)
        self.bar.step_asked.connect(self.on_step)
        self.bar.closed.connect(self.on_closed)
        self._finding.counted.connect(self.on_counted)

    def mark_terms(self, wanted: tuple[str, ...], key: str = "") -> None:
        """Mark words by which a message was found elsewhere, until the bar is opened, and bring the first of
        them in that message into view; without words, none.
        """
        self._terms = any_of(wanted)
        script = self._column.script
        row = script.row_of(key) if wanted and script is not None else None
        message = None if row is None else self._column.open_row(row)
        self.show()
        if message is not None and message.body.found and not message.body.isHidden():
            self._column.bring_line_into_view(message, message.body.line_rect(message.body.found[0].begin))

    def begin(self) -> None:
        self._terms = None
        self._from_row = self._column.first_row
        self._column.reserve_top(self.bar.sizeHint().height())
        self.bar.place(self._column.width())
        self.bar.enter()

    @property
    def number(self) -> int | None:
        """Number of the match that is looked at, from 0."""
        return self._number

    @property
    def total(self) -> int:
        return self._finding.total

    def on_words_changed(self, words: str) -> None:
        """Look for other words, from where one began."""
        script = self._column.script
        self._number = None
        self._keys = script.keys if script is not None else ()
        self._finding.seek(words, script)
        self.show()

    def show_script(self) -> None:
        """Count the matches anew, for the path is another one."""
        script = self._column.script
        if not self.bar.isHidden() and script is not None and script.keys != self._keys:
            self._keys = script.keys
            self._finding.seek(self.bar.field.text(), script)

    def on_counted(self) -> None:
        """Show how many matches there are by now; the first is shown when all is read."""
        if self._finding.is_done and self._number is None and self._finding.total:
            self._go_to(self._finding.number_from(self._from_row))
        if self._number is not None and self._number >= self._finding.total and self._finding.is_done:
            self._number = None
        self._say()
        self.show()

    def on_step(self, by: int) -> None:
        """Go to the next or previous match; after the last comes the first."""
        total = self._finding.total
        if total:
            self._go_to(0 if self._number is None else (self._number + by) % total)
            self._say()

    def on_closed(self) -> None:
        self._finding.seek("", None)
        self._number = None
        self._column.reserve_top(0)
        self.show()
        self._column.setFocus(Qt.FocusReason.OtherFocusReason)

    def _say(self) -> None:
        self.bar.show_count(self._number, self._finding.total, done=self._finding.is_done)

    def _go_to(self, number: int) -> None:
        self._number = number
        hit = self._finding.hit(number)
        message = self._column.open_row(hit.row)
        if message is None:
            return
        spans = self._finding.spans(message.body.document().toRawText())
        if spans and not message.body.isHidden():
            # Markdown may hide some of what was written: then the nearest that can be seen.
            span = spans[min(hit.place, len(spans) - 1)]
            self._column.bring_line_into_view(message, message.body.line_rect(span.begin))
        self.show()

    def show(self) -> None:
        script = self._column.script
        hit = None if self._number is None or self._number >= self.total else self._finding.hit(self._number)
        looks = not self.bar.isHidden()
        for message in self._column.shown_messages():
            text = message.body.document().toRawText() if looks or self._terms else ""
            spans = tuple(self._finding.spans(text) if looks else _spans(self._terms, text))
            row = script.row_of(self._column.row_key_of(message)) if script is not None else None
            now = min(hit.place, len(spans) - 1) if hit is not None and spans and row == hit.row else None
            message.body.show_found(spans, now)
