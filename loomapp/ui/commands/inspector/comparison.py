"""Comparing in a window: the selected messages side by side, their differing words found on a thread."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.errors import InvalidInput, LoomError
from loomapp.core.model.entities import Node
from loomapp.core.paths import navigation
from loomapp.core.settings.setting import Settings
from loomapp.core.text import diff
from loomapp.core.text.diff import Compared
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui import figures
from loomapp.ui.commands import navigate
from loomapp.ui.commands.graph.branches import chosen
from loomapp.ui.graph.scene.card_faces import author_name, words
from loomapp.ui.inspector.comparison import ComparePage, Side
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import AtEnd, Workbench

MOST = 8  # more columns than that say nothing side by side


def can_compare(bench: Workbench) -> bool:
    """True if two messages or more are selected."""
    return len(bench.views.graph.chosen.found(bench.work.document.tree)) > 1


def compare_chosen(bench: Workbench) -> None:
    """The selected messages side by side in the graph's place, as they were written. Raises: InvalidInput if
    what was selected is there no more.
    """
    node_ids = list(chosen(bench))
    if len(node_ids) < 2:
        raise InvalidInput(tr("Of what was selected less than two messages are left."))
    desk_of(bench).show_nodes(node_ids)


def desk_of(bench: Workbench) -> CompareDesk:
    """Return the window's desk for comparing, made when it is wanted first."""
    return bench.parts.one(CompareDesk, partial(CompareDesk, bench))


class CompareDesk(QObject):
    """Commands of the comparison page. It compares texts of nodes, which never change."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._page = ComparePage(bench.views.pages)
        self._task: BackgroundTask | None = None
        self._other = ""  # name of the action that compares something else of the same messages
        bench.views.pages.addWidget(self._page)
        self._page.close_asked.connect(self.on_close_asked)
        self._page.node_asked.connect(self.on_node_asked)
        self._page.other_asked.connect(self.on_other_asked)
        bench.work.document.tree_opened.connect(self.on_tree_opened)
        bench.work.preferences.changed.connect(self.on_settings_changed)
        bench.frame.keep_until_closed(AtEnd(self.on_left))

    def on_settings_changed(self, _: Settings) -> None:
        self._page.fit_text()

    def show_nodes(self, node_ids: list[str]) -> None:
        tree = self._bench.work.document.tree
        meant = set(node_ids)
        nodes = [node for node_id, node in tree.nodes.items() if node_id in meant]
        sides = [self._side(node) for node in nodes[:MOST]]
        self._page.show_sides(sides, left_out=len(nodes) - len(sides))
        ancestor = navigation.common_ancestor(tree, [node.id for node in nodes[:MOST]])
        self._show_ancestor(ancestor)
        if all(node.author_type == "model" for node in nodes):
            self._offer("compareSent", tr("What they were sent"))
        else:
            self._offer("", "")
        self._bring_forward(sides)

    def show_texts(self, sides: list[Side], *, of_chosen: bool = False) -> None:
        """Compare texts that are no nodes, such as what two of them were sent; `of_chosen`: of those that
        are selected, whose own words are a click away. Raises: InvalidInput for less than two.
        """
        if len(sides) < 2:
            raise InvalidInput(tr("There are no two contexts to compare."))
        self._page.show_sides(sides)
        self._page.hide_ancestor()
        if of_chosen:
            self._offer("compare", tr("What they say"))
        else:
            self._offer("", "")
        self._bring_forward(sides)

    def _offer(self, action: str, words: str) -> None:
        self._other = action
        self._page.offer_other(words)

    def _bring_forward(self, sides: list[Side]) -> None:
        self._bench.views.pages.show_instead(self._page)
        self._page.setFocus()
        self._compare(tuple(side.text for side in sides))

    def _side(self, node: Node) -> Side:
        agents = self._bench.work.document.agents.by_id()
        return Side(
            node.id,
            node.local_id,
            agents.get(node.author_agent_id or ""),
            author_name(node, agents),
            figures.moment(node.created_at) if node.created_at else "",
            words(node.content, node.text),
        )

    def _show_ancestor(self, node_id: str | None) -> None:
        tree = self._bench.work.document.tree
        if node_id is None:
            self._page.show_ancestor("", "")
            return
        node = tree.nodes[node_id]
        said = tr("the start of the tree") if tree.is_empty_root(node_id) else node.text[:300]
        self._page.show_ancestor(node_id, said)

    def _compare(self, texts: tuple[str, ...]) -> None:
        self.on_left()
        self._task = BackgroundTask(lambda _: diff.compare(texts), self)
        self._task.done.connect(self.on_compared)
        self._task.failed.connect(self.on_failed)
        self._task.start()

    def on_compared(self, compared: tuple[Compared, ...]) -> None:
        self._page.show_compared(compared)
        self._bench.views.announcer.say(self._page.said)

    def on_failed(self, error: LoomError) -> None:
        self._page.show_fault(told(error.message))

    def on_close_asked(self) -> None:
        self._bench.views.pages.show_graph()
        self._bench.views.graph.setFocus()

    def on_node_asked(self, node_id: str) -> None:
        """Go to one of the messages, or to what they have in common."""
        self._bench.views.pages.show_graph()
        if node_id in self._bench.work.document.tree.nodes:
            self._bench.frame.run_command(lambda bench: navigate.show(bench, node_id))
        self._bench.views.graph.setFocus()

    def on_other_asked(self) -> None:
        """Compare the requests of the same messages, or their texts again."""
        self._bench.actions.by_name[self._other].trigger()

    def on_tree_opened(self) -> None:
        """Leave: messages of a tree that is not shown any more are not compared."""
        if self._bench.views.pages.currentWidget() is self._page:
            self._bench.views.pages.show_graph()

    def on_left(self) -> None:
        if self._task is not None:
            self._task.end()
            self._task = None
