"""Later finds of the palette: texts of the open tree, a little at each turn, and of the other trees."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import LoomError
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress
from loomapp.core.text.query import MatchQuality, excerpt, phrase, standing, terms
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.palette.entries import PaletteEntry, marked, place_of_text
from loomapp.ui.strings import told

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
        self._tree: Tree | None = None
        self._left: Iterator[Node] = iter(())
        self._words = terms("")
        self._as_typed = phrase("")
        self._counts = dict.fromkeys(MatchQuality, 0)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.on_turn)

    def start(self, tree: Tree, query: str) -> None:
        self._words, self._as_typed = terms(query), phrase(query)
        self._tree = tree
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
        if how is not None and not self._is_in_newer(node):
            self._counts[how[0]] += 1
            if self._counts[how[0]] <= MOST_HITS:
                hits.append((node, *how))

    def _is_in_newer(self, node: Node) -> bool:
        """Return True if a newer version of a text holds the words too: one row for both is enough."""
        assert self._tree is not None, "it is looked through"
        queue = list(self._tree.edits_of(node.id))
        for node_id in queue:
            edit = self._tree.nodes[node_id]
            holds_it = standing(edit.text, self._words, self._as_typed) is not None
            if holds_it and not edit.metadata.pruned:
                return True
            queue += self._tree.edits_of(node_id)
        return False


PAUSE_MS = 60  # after the last letter, until other trees are read
PATIENCE_MS = 400  # then what was found so far is shown, and the rest as it comes

# On a thread: what other trees hold for a query, and whether there is more.
Look: TypeAlias = Callable[[str, Progress], tuple[list[PaletteEntry], bool]]
AuthorOf: TypeAlias = Callable[[Node], str]


class PaletteSearch(QObject):
    """Both searches of the palette as one. What comes in a moment is told together, best first."""

    found = Signal(list)  # list[Entry], the best first
    ended = Signal(bool)  # whether there are more than were found
    failed = Signal(str)  # after that: why other trees could not be read

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._query = ""
        self._look: Look | None = None
        self._author_of: AuthorOf | None = None
        self._task: BackgroundTask | None = None
        self._held: list[PaletteEntry] = []
        self._has_more, self._fault = False, ""
        self._here = NodeSearch(self)
        self._here.found.connect(self.on_found_here)
        self._here.ended.connect(self.on_ended)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.on_paused)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self.tell)

    @property
    def is_running(self) -> bool:
        """Return True until all was looked at."""
        is_reading = self._task is not None and self._task.is_under_way
        return self._here.is_running or self._pause.isActive() or is_reading

    def start(self, tree: Tree, look: Look | None, query: str, author_of: AuthorOf | None = None) -> None:
        """Search anew, in a tree and with `look` in all others; what was under way is forgotten."""
        self.stop()
        self._author_of = author_of
        if query.strip():
            self._query, self._look = query, look
            self._has_more, self._fault = False, ""
            self._here.start(tree, query)
            self._patience.start()
            if look is not None:
                self._pause.start()

    def stop(self) -> None:
        self._here.stop()
        self._pause.stop()
        self._patience.stop()
        self._held.clear()
        if self._task is not None:
            self._task.cancel()
            self._task.deleteLater()
            self._task = None

    def end(self) -> None:
        """Look no further, and leave the grove's file at once."""
        if self._task is not None:
            self._task.end()
        self.stop()

    def on_paused(self) -> None:
        """Read the other trees once typing pauses."""
        if self._look is not None:
            task = self._task = BackgroundTask(partial(self._look, self._query), self)
            task.done.connect(self.on_found_elsewhere)
            task.failed.connect(self.on_failed)
            task.start()

    def on_found_here(self, hits: Sequence[tuple[Node, MatchQuality, int]]) -> None:
        """Hold back entries for texts of the open tree."""
        self._hold([marked(_entry(*hit, self._author_of), self._query) for hit in hits])

    def on_found_elsewhere(self, found: tuple[list[PaletteEntry], bool]) -> None:
        """Hold back entries for all that the other trees have."""
        self._hold(found[0])
        self.on_ended(found[1])

    def on_failed(self, error: LoomError) -> None:
        """Tell that the other trees cannot be read; this one is searched all the same."""
        self._fault = told(error.message)
        self.on_ended(False)

    def on_ended(self, has_more: bool) -> None:
        self._has_more = self._has_more or has_more
        if not self.is_running:
            self.tell()
            self._patience.stop()
            self.ended.emit(self._has_more)
            if self._fault:
                self.failed.emit(self._fault)

    def tell(self) -> None:
        held, self._held = sorted(self._held, key=lambda entry: entry.place), []
        if held:
            self.found.emit(held)

    def _hold(self, entries: list[PaletteEntry]) -> None:
        self._held += entries
        if not self._patience.isActive():
            self.tell()


def _entry(node: Node, how: MatchQuality, at: int, author_of: AuthorOf | None) -> PaletteEntry:
    words = excerpt(node.text, at)
    where = node.local_id if author_of is None else f"{author_of(node)} · {node.local_id}"
    return PaletteEntry("node", node.id, words, where, "file-text", place=place_of_text(how))
