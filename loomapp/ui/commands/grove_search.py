"""Searching in a window: the file is read on a thread, and what is chosen is opened at its node."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.errors import LoomError
from loomapp.core.progress import Progress
from loomapp.core.text.query import SearchHit
from loomapp.session.background.background_task import BackgroundTask
from loomapp.store.queries.search import search
from loomapp.ui.commands import navigate, panes
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import Workbench

Found = tuple[str, list[SearchHit], bool]  # of which query, and whether there may be more


def search_grove(bench: Workbench) -> None:
    """Put the keyboard into the search of the grove, in the side bar."""
    bench.views.side_bar.show()
    bench.views.side_parts.bring_search()


class SearchDesk(QObject):
    """Commands of the grove search. Only the last query is answered."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._panel = bench.views.side_parts.search
        self._task: BackgroundTask | None = None
        self._panel.wanted.connect(self.on_wanted)
        self._panel.hit_chosen.connect(lambda hit: bench.frame.run_command(partial(open_hit, hit=hit)))
        self._panel.left.connect(partial(panes.focus_text, bench))
        bench.frame.keep_until_closed(self)

    def close(self) -> None:
        if self._task is not None:
            self._task.end()
            self._task = None

    def on_wanted(self, query: str) -> None:
        """Search for a query; earlier ones are dropped."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if not query:
            self._panel.show_nothing()
            return
        grove, pruned = self._bench.work.document.grove, self._bench.display.is_showing_pruned

        def work(progress: Progress) -> Found:
            return query, *search(grove, query, progress, pruned=pruned)

        self._panel.show_busy()
        self._task = BackgroundTask(work, self)
        self._task.done.connect(self.on_found)
        self._task.failed.connect(self.on_failed)
        self._task.start()

    def on_found(self, found: Found) -> None:
        query, hits, has_more = found
        self._panel.show_hits(query, hits, self._bench.work.document.agents.by_id(), has_more=has_more)
        self._bench.views.announcer.say(self._panel.said)

    def on_failed(self, error: LoomError) -> None:
        self._panel.show_fault(told(error.message))


def open_hit(bench: Workbench, *, hit: SearchHit) -> None:
    """Open a hit's tree, read its path, and bring its card into view."""
    open_node(bench, hit.tree_id, hit.node_id)


def open_node(bench: Workbench, tree_id: str, node_id: str) -> None:
    """Open a tree at a node; a large one is read meanwhile."""
    bench.frame.open_tree(tree_id, partial(_show, bench, node_id))


def _show(bench: Workbench, node_id: str) -> None:
    if node_id not in bench.work.document.tree.nodes:
        raise LoomError(tr("This was taken back since it was found. Search again."))
    bench.views.pages.show_graph()
    navigate.show(bench, node_id)
