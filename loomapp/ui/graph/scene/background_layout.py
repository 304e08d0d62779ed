"""Layouts made on another thread: of a tree before it is shown, and of a large one when nobody touches it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.layout.incremental import Growth
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import node_sequence
from loomapp.ui.graph.scene.card_nodes import measured
from loomapp.ui.graph.scene.card_places import Places, Tidying
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.scene_state import FoldState
from loomapp.ui.graph.scene.spatial_index import Direction


class Ahead:
    """Made on the GUI thread, then `enrol`, `measuring` and `arrange` in turn; `measuring` again on the GUI
    thread, the others on any. Nothing else has it before it is handed over, to be shown or thrown away.
    """

    def __init__(
        self, direction: Direction = "right", *, show_pruned: bool = False, folds: FoldState | None = None
    ) -> None:
        self.folds = folds
        self.scene = Scene()
        self.scene.places.set_direction(direction)
        self.scene.set_show_pruned(show_pruned)
        self.scene.look_at_types()
        self._measures = measured()

    def enrol(self, tree: Tree, agents: Iterable[Agent], path_ids: Iterable[str]) -> None:
        """Number the cards of a tree that nobody else has yet."""
        self.scene.show(tree, agents)
        self.scene.set_path(node_sequence(path_ids))
        if self.folds is not None:
            self.scene.set_fold_state(self.folds)
        self.scene.places.enrol()

    def measuring(self) -> Iterator[None]:
        """Measure the cards, a few between two steps."""
        return self.scene.places.measuring()

    def arrange(self) -> None:
        self.scene.places.arrange()
        self.scene.tint()

    def fits(self, tree: Tree, there: Scene) -> bool:
        """Tell whether it can be shown in a place as that is now: types and settings may have changed."""
        places, wanted = self.scene.places, there.places
        alike = places.show_pruned == wanted.show_pruned and places.direction == wanted.direction
        return self.scene.tree is tree and alike and self._measures == measured()


IDLE_MS = 200  # after the last change
LOOK_MS = 10  # between looks whether the thread is done
SLICE_S = 0.008  # of measuring at each turn of the event loop


class Tidier(QObject):
    """Asks `places` for what is to be done, and hands over positions that still fit."""

    tidied = Signal(object)  # Growth: the full layout of what is shown

    def __init__(self, places: Places, parent: QObject) -> None:
        super().__init__(parent)
        self._places = places
        self._done: SimpleQueue[tuple[Tidying, Growth]] = SimpleQueue()
        self._thread: Thread | None = None
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._idle.timeout.connect(self.on_idle)
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.on_look)
        self._tidying: Tidying | None = None  # the one that made the layout
        self._steps: Iterator[None] = iter(())  # of measuring what the layout shows for the first time
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self.on_slice)

    def wake(self) -> None:
        """Tidy up once no more has come for a moment: something is untidy."""
        self._idle.start()

    def hurry(self) -> None:
        """Tidy up as soon as may be: someone waits for it."""
        self._idle.start(0)

    def rest(self) -> None:
        """Stop tidying; what is under way is forgotten."""
        self._idle.stop()
        self._look.stop()
        self._slices.stop()
        self._thread = None

    @property
    def is_busy(self) -> bool:
        return self._idle.isActive() or self._slices.isActive() or self._thread is not None

    def on_idle(self) -> None:
        """Begin, unless a thread is at it: then again when it is done."""
        self._slices.stop()
        if self._thread is not None or not self._places.untidy:
            return
        tidying = self._places.tidying()
        self._thread = Thread(target=_tidy, args=(tidying, self._done), name="tidying", daemon=True)
        self._thread.start()
        self._look.start()

    def on_look(self) -> None:
        """Take what is done; if the tree has changed meanwhile, begin again."""
        try:
            tidying, growth = self._done.get_nowait()
        except Empty:
            return
        self._thread = None
        self._look.stop()
        if not self._places.is_current(tidying):
            self.wake()
        elif steps := self._places.measuring_for(growth):
            self._steps, self._tidying = steps, tidying
            self._slices.start()
        else:
            self.tidied.emit(growth)

    def on_slice(self) -> None:
        """Measure some more; when all is measured, or the tree has changed, it is laid out again."""
        if self._tidying is None or not self._places.is_current(self._tidying):
            self._slices.stop()
            self.wake()
            return
        until = time.perf_counter() + SLICE_S
        while time.perf_counter() < until:
            if next(self._steps, self) is self:
                self.on_idle()
                return


def _tidy(tidying: Tidying, done: SimpleQueue[tuple[Tidying, Growth]]) -> None:
    done.put((tidying, tidying.done()))
