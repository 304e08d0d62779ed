"""Search of a tree's texts in slices: a little at each turn of the event loop, so that typing never waits."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.text.query import MatchQuality, phrase, standing, terms

SLICE_S = 0.006
AT_ONCE = 64  # nodes between two looks at the clock
MOST_HITS = 100  # of one standing
LONGEST_AT_ONCE = 200_000  # characters of one text

Found = tuple[Node, MatchQuality, int]  # how well the node holds the words, and where in its text


class NodeSearch(QObject):
    """Finds the nodes that hold all words of a query, the newest first, in any case.

    All are looked at, since the best may be the oldest; only of those that hold it equally well there are
    enough at some time.
    """

    found = Signal(list)  # list[Found]
    ended = Signal(bool)  # whether there are more than were found

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._left: Iterator[Node] = iter(())
        self._words = terms("")
        self._as_typed = phrase("")
        self._counts = dict.fromkeys(MatchQuality, 0)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.on_turn)

    def start(self, tree: Tree, query: str) -> None:
        """Search anew; what was under way is forgotten."""
        self._words, self._as_typed = terms(query), phrase(query)
        self._left = reversed(list(tree.nodes.values()))  # as it is now, whatever is written meanwhile
        self._counts = dict.fromkeys(MatchQuality, 0)
        self._timer.start() if self._words else self.stop()

    def stop(self) -> None:
        self._timer.stop()
        self._left = iter(())

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    def on_turn(self) -> None:
        until = time.monotonic() + SLICE_S
        hits: list[Found] = []
        is_over = False
        while not is_over and time.monotonic() < until:
            is_over = self._look_on(hits) or self._counts[MatchQuality.BEGINS] > MOST_HITS
        if hits:
            self.found.emit(hits)
        if is_over:
            self.stop()
            self.ended.emit(any(count > MOST_HITS for count in self._counts.values()))

    def _look_on(self, hits: list[Found]) -> bool:
        """Look at a few nodes; return True if there are no more."""
        size = 0
        for _ in range(AT_ONCE):
            node = next(self._left, None)
            if node is None:
                return True
            self._look_at(node, hits)
            size += len(node.text)
            if size > LONGEST_AT_ONCE:
                break
        return False

    def _look_at(self, node: Node, hits: list[Found]) -> None:
        how = standing(node.text, self._words, self._as_typed)
        if how is not None:
            self._counts[how[0]] += 1
            if self._counts[how[0]] <= MOST_HITS:
                hits.append((node, *how))
