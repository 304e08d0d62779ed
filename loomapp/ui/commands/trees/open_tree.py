"""Opening trees: small ones at once; large ones meanwhile, and the one before stays until they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from PySide6.QtCore import QObject, QTimer

from loomapp.core.errors import LoomError
from loomapp.session.grove_lists import first_tree_id
from loomapp.session.window_state import TreeState, read_left
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.trees_in_memory import TreeReading
from loomapp.ui.commands.graph.branches import kept_direction
from loomapp.ui.graph.scene.background_layout import Ahead
from loomapp.ui.strings import tr
from loomapp.ui.trees.tree_loader import Coming, TreeArrival
from loomapp.ui.workbench import Workbench

FEW_NODES = 600  # read and shown in a moment
SHOW_MS = 600  # what takes longer says so


Folds: TypeAlias = Callable[[str], Mapping[str, list[str]] | None]
Then: TypeAlias = Callable[[], None]
Within: TypeAlias = Callable[[], AbstractContextManager[object]]


def nothing() -> None:
    """Do nothing."""


class TreeOpening(QObject):
    """Opens one tree at a time: who asks for another does not want the one that is on its way."""

    def __init__(self, bench: Workbench, folds_of: Folds) -> None:
        super().__init__(bench.views.window)
        self._bench, self._folds_of = bench, folds_of
        self._coming: Coming | None = None
        self._then: Then = nothing
        self._within: Within = nullcontext
        self._tree_id = self._title = ""
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SHOW_MS)
        self._soon.timeout.connect(self.show_progress)
        bench.work.document.tree_opened.connect(self.on_tree_opened)
        bench.views.banner.opening.cancel_clicked.connect(self.stop)

    @property
    def is_under_way(self) -> bool:
        return self._coming is not None

    def open(self, tree_id: str, then: Then = nothing, *, within: Within = nullcontext) -> None:
        """Show a tree of the grove, and then do something in it; at once if it is shown already, or small.
        Both happen `within` a context.

        Raises: GroveError if a small one cannot be read; of a large one that is told later.
        """
        document = self._bench.work.document
        if tree_id == self._tree_id:
            self._then, self._within = then, within
            return
        self.stop()
        row = next((row for row in document.trees.rows() if row.id == tree_id), None)
        reading = document.grove.reading(tree_id)
        is_shown = document.has_tree and tree_id == document.tree.loom.id
        if is_shown or row is None or reading is None or row.node_count <= FEW_NODES:
            with within():
                if not is_shown:
                    document.open_tree(tree_id)
                then()
            return
        self._tree_id, self._then, self._within, self._title = tree_id, then, within, row.title
        self._begin(reading)

    def _begin(self, reading: TreeReading) -> None:
        document, tree_id = self._bench.work.document, self._tree_id
        bench = self._bench
        ahead = Ahead(
            bench.views.graph.direction,
            show_pruned=bench.display.is_showing_pruned,
            folds=self._folds_of(tree_id),
        )
        coming = self._coming = Coming(reading, document.agents.by_id().values(), ahead, self)
        coming.progressed.connect(bench.views.banner.opening.show_progress)
        coming.arrived.connect(self.on_arrived)
        coming.failed.connect(self.on_failed)
        coming.start()
        self._soon.start()

    def show_progress(self) -> None:
        self._bench.views.banner.begin_opening(tr("Opening {title}…").format(title=self._title))

    def stop(self) -> None:
        if self._coming is not None:
            self._coming.stop()
        self._put_away()

    def close(self) -> None:
        if self._coming is not None:
            self._coming.end()
        self._put_away()

    def on_arrived(self, arrival: TreeArrival) -> None:
        then, within = self._then, self._within
        self._put_away()
        self._bench.frame.run_command(lambda bench: _show(bench, arrival, then, within))

    def on_failed(self, error: LoomError) -> None:
        """Say that the tree cannot be read; the one that is shown stays."""
        self._put_away()
        self._bench.frame.show_error(error)

    def on_tree_opened(self, _: object) -> None:
        self.stop()

    def _put_away(self) -> None:
        coming, self._coming = self._coming, None
        self._tree_id, self._then, self._within = "", nothing, nullcontext
        self._soon.stop()
        self._bench.views.banner.end_opening()
        if coming is not None:
            coming.deleteLater()


def _show(bench: Workbench, arrival: TreeArrival, then: Then, within: Within) -> None:
    with within():
        bench.views.graph.expect(arrival.ahead)
        bench.work.document.show(arrival.opened)
        then()


def first_tree(grove: Grove, parent: QObject) -> Coming | None:
    """The first tree of a grove that has no window yet, on its way; None if it is small or to be made."""
    tree_id = first_tree_id(grove)
    row = next((row for row in grove.trees() if row.id == tree_id), None)
    reading = None if row is None else grove.reading(row.id)
    if row is None or reading is None or row.node_count <= FEW_NODES:
        return None
    left = read_left(grove.path)
    folds = left.trees.get(row.id, TreeState()).folds
    ahead = Ahead(kept_direction(), show_pruned=left.shows_pruned, folds=folds)
    return Coming(reading, grove.agents(), ahead, parent)
