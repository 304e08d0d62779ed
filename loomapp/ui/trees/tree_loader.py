"""A tree on its way: read, looked through and arranged beside the window, then handed over as a whole."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.model.agent import Agent
from loomapp.core.model.caches import empty
from loomapp.core.progress import Progress
from loomapp.session.background.background_work import BackgroundTask, put_away
from loomapp.session.open_tree import OpenedTree, looked_through
from loomapp.store.grove.trees_in_memory import TreeReading
from loomapp.store.rows.tree_rows import no_collections
from loomapp.ui.graph.scene.background_layout import Ahead

SLICE_S = 0.008  # of measuring at each turn of the event loop

Work: TypeAlias = Callable[[Progress], object]


class TreeArrival(NamedTuple):
    """Result of loading a tree."""

    opened: OpenedTree
    ahead: Ahead


class Coming(QObject):
    """One tree, begun by `start`: a thread reads and numbers, this one measures in slices, a thread lays out.

    What comes of it is nobody's until `arrived`.
    """

    progressed = Signal(int, int)  # how much is done, of how much
    arrived = Signal(object)  # TreeArrival
    failed = Signal(object)  # LoomError

    def __init__(self, reading: TreeReading, agents: Iterable[Agent], ahead: Ahead, parent: QObject) -> None:
        super().__init__(parent)
        self._keeper = parent  # it is there longer
        self._ahead = ahead
        self._opened: OpenedTree | None = None
        self._steps: Iterator[None] = iter(())
        work = partial(_read, reading, tuple(agents), ahead)
        self._task = self._run(work, discard=partial(_let_go, ahead))
        self._task.progressed.connect(self.progressed)
        self._task.done.connect(self.on_read)
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self.on_turn)

    def start(self) -> None:
        self._task.start()

    def stop(self) -> None:
        """Stop loading; what is there already is let go of."""
        self._task.cancel()
        self._leave()

    def end(self) -> None:
        """End the loading and wait a moment; for when the program ends."""
        self._task.end()
        self._leave()

    def _leave(self) -> None:
        if self._slices.isActive():  # or a thread is at it, and forgets it at its end
            self._slices.stop()
            self._ahead.scene.forget()
        self._steps = iter(())
        opened, self._opened = self._opened, None
        if opened is not None:
            put_away(opened.tree, opened.parts(), self._keeper)

    def on_read(self, opened: OpenedTree) -> None:
        self._opened = opened
        self._steps = self._ahead.measuring()
        self._slices.start()

    def on_turn(self) -> None:
        until = time.perf_counter() + SLICE_S
        while time.perf_counter() < until:
            if next(self._steps, self) is self:
                self._slices.stop()
                self._arrange()
                return

    def on_arranged(self, _: object) -> None:
        opened, self._opened = self._opened, None
        assert opened is not None, "it was read before it was arranged"
        self.arrived.emit(TreeArrival(opened, self._ahead))

    def _arrange(self) -> None:
        self._task.deleteLater()
        self._task = self._run(partial(_arranged, self._ahead), discard=_forget)
        self._task.done.connect(self.on_arranged)
        self._task.start()

    def _run(self, work: Work, discard: Callable[[object], None] | None = None) -> BackgroundTask:
        task = BackgroundTask(work, self, discard=discard)
        task.failed.connect(self.failed)
        return task


def _read(reading: TreeReading, agents: tuple[Agent, ...], ahead: Ahead, progress: Progress) -> OpenedTree:
    with no_collections():
        read = reading.read(progress)
        opened = looked_through(read)
        ahead.enrol(opened.tree, agents, opened.path_ids)
        gc.freeze()  # the first look for garbage in it would hold up every thread, and find none
        return opened


def _let_go(ahead: Ahead, opened: object) -> None:
    assert isinstance(opened, OpenedTree), "that is what was read"
    ahead.scene.forget()
    empty(opened.parts())


def _arranged(ahead: Ahead, _progress: Progress) -> Ahead:
    ahead.arrange()
    return ahead


def _forget(ahead: object) -> None:
    assert isinstance(ahead, Ahead), "that is what was arranged"
    ahead.scene.forget()
