"""Search of a tree's texts in slices: a little at each turn of the event loop, so that typing never waits."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.rows import Node
from loomapp.core.tree import Tree

SLICE_S = 0.006
AT_ONCE = 64  # nodes between two looks at the clock
MOST_HITS = 100
LONGEST_AT_ONCE = 200_000  # characters of one text


class NodeSearch(QObject):
    """Finds the nodes that hold all words of a query, in order of creation, in any case."""

    found = Signal(list)  # list[tuple[Node, int]]: nodes, and where in their text the first word stands
    ended = Signal(bool)  # whether there may be more than were found

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._left: Iterator[Node] = iter(())
        self._words: list[str] = []
        self._hits = 0
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.on_turn)

    def start(self, tree: Tree, query: str) -> None:
        """Search anew; what was under way is forgotten."""
        self._words = query.casefold().split()
        self._left = iter(list(tree.nodes.values()))  # as it is now, whatever is written meanwhile
        self._hits = 0
        self._timer.start() if self._words else self.stop()

    def stop(self) -> None:
        """Look no further."""
        self._timer.stop()
        self._left = iter(())

    @property
    def is_running(self) -> bool:
        """True until all was looked at."""
        return self._timer.isActive()

    def on_turn(self) -> None:
        """Look for a few milliseconds."""
        until = time.monotonic() + SLICE_S
        hits: list[tuple[Node, int]] = []
        is_over = False
        while not is_over and self._hits < MOST_HITS and time.monotonic() < until:
            is_over = self._look_on(hits)
        if hits:
            self.found.emit(hits)
        if is_over or self._hits >= MOST_HITS:
            self.stop()
            self.ended.emit(not is_over)

    def _look_on(self, hits: list[tuple[Node, int]]) -> bool:
        """Look at a few nodes; True if there are no more."""
        size = 0
        for _ in range(AT_ONCE):
            node = next(self._left, None)
            if node is None:
                return True
            text = node.text.casefold()
            if all(word in text for word in self._words):
                hits.append((node, text.find(self._words[0])))
                self._hits += 1
            size += len(text)
            if self._hits >= MOST_HITS or size > LONGEST_AT_ONCE:
                break
        return False
