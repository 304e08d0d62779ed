"""Rows of the outline that are open: which they are, and opening them again a few at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QObject, Signal
from PySide6.QtWidgets import QTreeView

from loomapp.session.background.idle_timer import IdleTimer
from loomapp.ui.side_bar.outline.rows import OutlineModel

MOST_OPEN = 500  # the last that were opened; each is found again by its own
SLICE_MS = 6.0  # of opening, at each turn of the event loop


class OpenRows(QObject):
    """Knows which rows of a view are open. Qt forgets that when another tree is shown."""

    changed = Signal()
    opened_again = Signal()  # all that were to be

    def __init__(self, view: QTreeView, rows: OutlineModel) -> None:
        super().__init__(view)
        self._view, self._rows = view, rows
        self._opened: dict[str, None] = {}  # keys, the one that was opened last comes last
        self._coming: deque[str] = deque()  # to be opened once the outline stands
        self._unfetched: deque[str] = deque()  # of these, whose branches are to be looked at before that
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_next)
        view.expanded.connect(self.on_expanded)
        view.collapsed.connect(self.on_collapsed)
        rows.modelAboutToBeReset.connect(self.on_tree_goes)
        rows.ready.connect(self.on_ready)

    @property
    def keys(self) -> tuple[str, ...]:
        """The rows that are open, and those that are still to be; above them others may be closed."""
        shown = ((key, self._rows.index_of_shown(key)) for key in self._opened)
        opened = [key for key, index in shown if index.isValid() and self._view.isExpanded(index)]
        return (*self._coming, *opened)[-MOST_OPEN:]

    @property
    def is_opening(self) -> bool:
        return bool(self._coming)

    def open_again(self, keys: Iterable[str]) -> None:
        """Open these when the outline stands; those that are not there any more are passed over."""
        self._coming = deque(keys)
        self.on_ready()

    # What happened

    def on_tree_goes(self) -> None:
        """Forget the rows of the tree that goes."""
        self._opened.clear()
        self._coming.clear()
        self._unfetched.clear()
        self._next.stop()

    def on_ready(self) -> None:
        if self._coming and self._rows.outline is not None:
            self._unfetched = deque(self._coming)
            self._next.start()

    def on_next(self) -> None:
        """A few more. First all get their branches: of each row that is open by then Qt would look where it
        goes, which makes it fifty times as long.
        """
        end = time.perf_counter() + SLICE_MS / 1e3
        while self._coming:
            if self._unfetched:
                self._fetch(self._unfetched.popleft())
            else:
                self._open(self._coming.popleft())
            if time.perf_counter() > end:
                break
        if self._coming:
            self._next.start()
        else:
            if self._view.currentIndex().isValid():
                self._view.scrollTo(self._view.currentIndex())  # it stays in view
            self.opened_again.emit()

    def _fetch(self, key: str) -> None:
        index = self._rows.near(key)
        if self._rows.canFetchMore(index):
            self._rows.fetchMore(index)

    def _open(self, key: str) -> None:
        index = self._rows.near(key)
        if index.isValid():
            self._view.expand(index)

    def on_expanded(self, index: QModelIndex) -> None:
        key = self._rows.key(index)
        if key is not None:
            self._opened.pop(key, None)
            self._opened[key] = None
            self.changed.emit()

    def on_collapsed(self, index: QModelIndex) -> None:
        self._opened.pop(self._rows.key(index) or "", None)
        self.changed.emit()
