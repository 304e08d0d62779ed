"""Side bar in a window: it shows the document, what is chosen in it is done, and the grove is searched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject

from loomapp.core.errors import LoomError
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress
from loomapp.core.text.query import SearchHit
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.commands import navigate, node_actions, panes
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.documents import DocumentDesk
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.save import save
from loomapp.ui.side_bar.outline.row_words import RowPlace, branch_title
from loomapp.ui.strings import told, tr
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.widgets.keyboard import FocusOrigin
from loomapp.ui.widgets.page import Page
from loomapp.ui.workbench import Workbench

NEW = {"dialogue": node_actions.new_dialogue, "buffer": node_actions.new_buffer}
Found = tuple[str, list[SearchHit], bool]  # of which query, and whether there may be more


class OutlineMemory(Protocol):
    """Memory of the place in a tree's outline when the tree was last left."""

    def opened_in(self, tree_id: str) -> Sequence[str]: ...

    def outline_in(self, tree_id: str) -> RowPlace | None: ...


class SideViews:
    """Keeps outline, bookmarks and tags in step with the document, and does what the list of trees asks."""

    def __init__(self, bench: Workbench, memory: OutlineMemory) -> None:
        self._bench, self._memory = bench, memory
        bar = bench.views.side_parts
        self._outline, self._bookmarks = bar.outline, bar.bookmarks
        document, run = bench.work.document, bench.frame.run_command
        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)
        document.place.current_changed.connect(self.on_current_changed)
        self._outline.node_chosen.connect(self.on_chosen)
        self._outline.node_wanted.connect(lambda i, at: run(lambda w: navigate.show_within(w, i, at)))
        self._outline.node_hovered.connect(bench.views.graph.set_hovered)
        self._outline.node_activated.connect(lambda i: run(lambda w: w.work.document.place.read(i)))
        self._outline.menu_asked.connect(partial(node_actions.open_menu, bench))
        self._bookmarks.row_chosen.connect(lambda i: run(lambda w: navigate.show(w, i)))
        self._bookmarks.menu_asked.connect(partial(node_actions.open_menu, bench))
        bar.tags.menu_asked.connect(lambda name, at: tagging.open_menu(bench, name, at))
        self._wire_trees(bench.views.tree_list)
        DocumentDesk(bench)
        self._came_from = FocusOrigin(bench.views.tree_list)

    def _wire_trees(self, trees: TreeList) -> None:
        run = self._bench.frame.run_command
        trees.tree_chosen.connect(self.on_tree_chosen)
        trees.settings_asked.connect(lambda i: run(lambda w: show_settings_of(w, i)))
        trees.new_asked.connect(lambda mode: run(NEW[mode]))
        trees.rename_asked.connect(lambda i, title: run(lambda w: save.rename(w, i, title)))
        trees.archive_asked.connect(lambda i: run(lambda w: w.work.document.trees.archive(i)))
        trees.restore_asked.connect(lambda i: run(lambda w: w.work.document.trees.unarchive(i)))

    def on_tree_chosen(self, tree_id: str) -> None:
        """Open a tree; a page in the graph's place gives way. Who writes in the settings of one goes on in
        those of the other.
        """
        views = self._bench.views
        page = views.pages.currentWidget()
        if isinstance(page, Page) and page is not views.settings_page:
            page.close_asked.emit()
        goes_on = self._came_from.is_in(views.settings_page)

        def then() -> None:
            if goes_on and views.pages.is_showing_settings:
                views.settings_page.setFocus()

        self._bench.frame.run_command(lambda w: w.frame.open_tree(tree_id, then))

    def on_tree_opened(self, tree: Tree) -> None:
        document = self._bench.work.document
        opened = self._memory.opened_in(tree.loom.id)
        agents = document.agents.by_id()
        self._outline.show_tree(tree, agents, document.path, document.current_id, opened)
        self._outline.go_to_place(self._memory.outline_in(tree.loom.id))
        self._show_marks()
        self._show_tags()

    def on_tree_changed(self, change: Change) -> None:
        document = self._bench.work.document
        self._outline.patch(change, document.agents.by_id(), document.path, document.current_id)
        self._show_marks()
        if tagging.may_change_counts(change):
            self._show_tags()

    def on_current_changed(self, node_id: str) -> None:
        self._outline.set_current(node_id, self._bench.work.document.path)

    def on_chosen(self, node_id: str) -> None:
        graph_commands.mean(self._bench, node_id)
        self._bench.views.graph.ensure_visible(node_id)

    def _show_tags(self) -> None:
        counts = tagging.counts(self._bench)
        self._bench.views.side_parts.tags.show_tags(counts)
        self._bench.views.side_parts.set_tagged(bool(counts))

    def _show_marks(self) -> None:
        bar, document = self._bench.views.side_parts, self._bench.work.document
        bar.set_begun(document.size.nodes > 0)
        marked, tree = tuple(document.bookmarks.nodes()), document.tree
        named = {node.id: branch_title(tree, node) for node in marked if node.id in tree.branch_summaries}
        if not self._bookmarks.shows(marked, named):
            self._bookmarks.show_bookmarks(marked, named)
            bar.set_marked(bool(marked))


def show_settings_of(bench: Workbench, tree_id: str) -> None:
    bench.frame.open_tree(tree_id, partial(node_actions.toggle_tree_settings, bench))


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
            mark_terms(self._bench, ())
            return
        grove, pruned = self._bench.work.document.grove, self._bench.display.is_showing_pruned

        def work(progress: Progress) -> Found:
            from loomapp.store.queries.search import search  # late: by then a person has looked for words

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
    wanted = bench.views.side_parts.search.terms

    def show() -> None:
        _show(bench, hit.node_id)
        mark_terms(bench, wanted, hit.node_id)

    bench.frame.open_tree(hit.tree_id, show)


def mark_terms(bench: Workbench, wanted: tuple[str, ...], node_id: str = "") -> None:
    """Mark words of the grove search where they are read, and on every card that has them all."""
    bench.text.mark_terms(wanted, node_id)
    bench.views.graph.mark_words(*wanted)


def bring_words_into_view(bench: Workbench, wanted: tuple[str, ...], node_id: str) -> None:
    """Unfold a message that was found by words, and bring the first of them into view, unmarked."""
    bench.text.mark_terms(wanted, node_id)
    bench.text.mark_terms(())


def open_node(bench: Workbench, tree_id: str, node_id: str, wanted: tuple[str, ...]) -> None:
    """Open a tree at a node that was found by words; a large one is read meanwhile."""

    def show() -> None:
        _show(bench, node_id)
        bring_words_into_view(bench, wanted, node_id)

    bench.frame.open_tree(tree_id, show)


def _show(bench: Workbench, node_id: str) -> None:
    if node_id not in bench.work.document.tree.nodes:
        raise LoomError(tr("This was taken back since it was found. Search again."))
    bench.views.pages.show_graph()
    navigate.show(bench, node_id)
