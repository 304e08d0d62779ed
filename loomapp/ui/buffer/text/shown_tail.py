"""Text shown after the end of a text that is no part of it: answers that stream, and ghosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from PySide6.QtGui import QTextCharFormat

from loomapp.core.dataclass import dataclass
from loomapp.ui.buffer.text.view_text import Splice, ViewText, change_between
from loomapp.ui.strings import utf16_length


@dataclass(frozen=True, slots=True)
class TailRun:
    """Stretch of the tail that looks the same."""

    text: str
    format: QTextCharFormat


class ShownTail:
    """Tail as it stands in the document: its text there, and its places in units from the end of the text."""

    def __init__(self, runs: Sequence[TailRun] = ()) -> None:
        text = "".join(run.text for run in runs)
        view = ViewText()
        self.text = view.start_over(text)
        self.units = utf16_length(self.text)
        self._view, self._runs = view, tuple(runs)
        self._ends = tuple(map(view.unit, accumulate(len(run.text) for run in runs)))

    def unit(self, position: int) -> int:
        """Return the number of units that the first `position` characters take."""
        return self._view.unit(position)

    def position(self, unit: int) -> int:
        """Return the number of characters that so many units from its beginning are."""
        return self._view.position(unit)

    def change_to(self, other: ShownTail) -> Splice:
        """The one change of the document that makes it another, in units from the end of the text."""
        changed = change_between(self.text, other.text)
        begin = utf16_length(self.text[: changed.begin])
        size = utf16_length(self.text[changed.begin : changed.end])
        return Splice(begin, begin + size, changed.text)

    def looks(self) -> Iterator[tuple[int, int, QTextCharFormat]]:
        """Yield begin, end and format of each run."""
        begin = 0
        for run, end in zip(self._runs, self._ends, strict=True):
            yield begin, end, run.format
            begin = end
