"""Counting the words of a buffer when writing rests, in slices, and showing how many there are."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.head import Sum, WordCount, words_in
from loomapp.ui.workbench import Workbench

AFTER_MS = 400


class WordCounting(QObject):
    """Word counter of the text at a desk."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._desk = desk
        self._words, self._sum = WordCount(), Sum()
        self._counting: Iterator[Sum | None] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.on_due)

    def start_over(self) -> None:
        self._words = WordCount()

    def soon(self) -> None:
        self._counting = None
        self._soon.start(AFTER_MS)

    def on_due(self) -> None:
        """Count a slice; the next one when the event loop comes round."""
        if not self._desk.is_on:
            return
        if self._counting is None:
            self._counting = self._words.count(self._desk.buffer_text)
        done = next(self._counting)
        if done is None:
            self._soon.start(0)
            return
        self._sum, self._counting = done, None
        self._desk.head.shares.show_sum(done, self._bench.work.document.agents.by_id())
        self.show()

    def show(self) -> None:
        begin, end = self._desk.view.editor.selection
        selected = words_in(self._desk.view.editor.text[begin:end]) if begin < end else None
        self._desk.head.show_words(self._sum.words, selected)
        self._bench.views.status.show_words(self._sum.words if self._desk.is_on else None)
