"""The side bar in a window: it shows the document, and what is chosen in it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.ui.commands import navigate, node_actions
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.save import save
from loomapp.ui.trees.tree_list import TreeList

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

NEW = {"dialogue": node_actions.new_dialogue, "buffer": node_actions.new_buffer}


class SideViews:
    """Keeps outline, bookmarks and tags in step with the document, and does what the list of trees asks."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        bar = window.side_parts
        self._outline, self._bookmarks = bar.outline, bar.bookmarks
        document, run = window.document, window.run_command
        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)
        document.current_changed.connect(self._outline.set_current)
        self._outline.node_chosen.connect(self.on_chosen)
        self._outline.node_activated.connect(lambda i: run(lambda w: w.document.read(i)))
        self._outline.menu_asked.connect(window.on_menu_asked)
        self._bookmarks.node_chosen.connect(lambda i: run(lambda w: navigate.show(w, i)))
        self._bookmarks.menu_asked.connect(window.on_menu_asked)
        bar.tags.menu_asked.connect(lambda name, at: tagging.open_menu(window, name, at))
        self._wire_trees(window.tree_list)

    def _wire_trees(self, trees: TreeList) -> None:
        run = self._window.run_command
        trees.tree_chosen.connect(lambda i: run(lambda w: w.opening.open(i)))
        trees.settings_asked.connect(lambda i: run(lambda w: w.show_settings_of(i)))
        trees.new_asked.connect(lambda mode: run(NEW[mode]))
        trees.rename_asked.connect(lambda i, title: run(lambda w: save.rename(w, i, title)))
        trees.archive_asked.connect(lambda i: run(lambda w: w.document.archive(i)))
        trees.restore_asked.connect(lambda i: run(lambda w: w.document.unarchive(i)))

    def on_tree_opened(self, tree: Tree) -> None:
        """Another tree."""
        self._outline.show_tree(tree, self._window.document.agents(), self._window.document.path)
        self._outline.open_rows.open_again(self._window.memory.opened_in(tree.loom.id))
        self._outline.set_current(self._window.document.current_id)
        self._outline.go_to_place(self._window.memory.outline_in(tree.loom.id))
        self._show_marks()
        self._show_tags()

    def on_tree_changed(self, change: Change) -> None:
        """Patch from the change."""
        document = self._window.document
        self._outline.patch(change, document.agents(), document.path, document.current_id)
        self._show_marks()
        if tagging.may_change_counts(change):
            self._show_tags()

    def on_chosen(self, node_id: str) -> None:
        """Select it everywhere."""
        graph_commands.mean(self._window, node_id)
        self._window.graph.ensure_visible(node_id)

    def _show_tags(self) -> None:
        counts = tagging.counts(self._window)
        self._window.side_parts.tags.show_tags(counts)
        self._window.side_parts.set_tagged(bool(counts))

    def _show_marks(self) -> None:
        bar, document = self._window.side_parts, self._window.document
        bar.set_begun(document.size.nodes > 0)
        marked = tuple(document.bookmarks.nodes())
        if marked != self._bookmarks.nodes:
            self._bookmarks.show_bookmarks(marked)
            bar.set_marked(bool(marked))
