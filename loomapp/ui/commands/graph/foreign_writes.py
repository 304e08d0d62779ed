"""Writes of other programs in the status bar, with a menu of what they wrote: go there, or take it back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from loomapp.core.model.tree import Tree
from loomapp.session.lifetime.foreign_writes import ForeignWrites
from loomapp.ui import figures
from loomapp.ui.commands import navigate
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.workbench import Workbench

MOST_LISTED = 12
LONGEST_LINE = 60  # characters of a node in the menu
COMMAND_LINE = "command line"  # as the change log names it


class ForeignWritesNotice(QObject):
    """Says who wrote how much until it was looked at; its menu names the nodes."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self.writes = ForeignWrites(bench.work.document, self)
        self.menu = QMenu(bench.views.status)
        self.menu.setObjectName("mcpWritesMenu")
        self.writes.changed.connect(self.show)
        bench.views.status.writes.clicked.connect(self.open)

    def show(self) -> None:
        """Show how many nodes wait to be looked at."""
        self._bench.views.status.show_writes(self.words)

    @property
    def words(self) -> str:
        """Return who wrote how many nodes; nothing if all were looked at."""
        count = len(self.writes.node_ids)
        if not count:
            return ""
        names = (tr("The command line") if one == COMMAND_LINE else one for one in self.writes.writers)
        said = tr("{who} wrote 1 node") if count == 1 else tr("{who} wrote {n} nodes")
        return said.format(who=", ".join(map(unsteered, names)), n=figures.number(count))

    def open(self) -> None:
        """Open the menu over the words."""
        self._fill()
        button = self._bench.views.status.writes
        above = button.mapToGlobal(QPoint(0, 0)) - QPoint(0, self.menu.sizeHint().height())
        self.menu.popup(above)

    def _fill(self) -> None:
        tree, run, node_ids = self._bench.work.document.tree, self._bench.frame.run_command, self._node_ids()
        self.menu.clear()
        for node_id in node_ids[:MOST_LISTED]:
            act = self.menu.addAction(_line(tree, node_id))
            act.triggered.connect(partial(self._go_to, node_id))
        if len(node_ids) > MOST_LISTED:
            more = tr("and {n} more").format(n=figures.number(len(node_ids) - MOST_LISTED))
            self.menu.addAction(more).setEnabled(False)
        self.menu.addSeparator()
        if node_ids:
            self.menu.addAction(tr("Go to the first")).triggered.connect(partial(self._go_to, node_ids[0]))
        self.menu.addAction(tr("Mark as read")).triggered.connect(lambda: run(self._mark_as_read))
        steps = self.writes.newest_steps
        if steps and not self._bench.work.document.grove.read_only:
            words = tr("Undo it") if steps == 1 else tr("Undo all {n}").format(n=figures.number(steps))
            self.menu.addAction(words).triggered.connect(lambda: run(self._undo))

    def _node_ids(self) -> tuple[str, ...]:
        nodes = self._bench.work.document.tree.nodes
        return tuple(node_id for node_id in self.writes.node_ids if node_id in nodes)

    def _go_to(self, node_id: str) -> None:
        """Read a node, or what a note is on."""
        tree = self._bench.work.document.tree
        noted = next((edge.sources[0].node_id for edge in tree.annotation_edges_into(node_id)), None)
        self.writes.look_at(node_id)
        self._bench.frame.run_command(lambda bench: navigate.show(bench, noted or node_id))

    def _mark_as_read(self, bench: Workbench) -> None:
        for node_id in self.writes.node_ids:
            bench.views.graph.on_read(node_id)
        self.writes.forget()

    def _undo(self, bench: Workbench) -> None:
        """Take back what they did last, one step after the other, as undo would."""
        history, guard = bench.work.document.history, bench.work.generator.answers.guard_undo
        for _ in range(self.writes.newest_steps):
            history.undo(guard)


def _line(tree: Tree, node_id: str) -> str:
    node = tree.nodes[node_id]
    text = " ".join(unsteered(node.text).split())
    short = text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"
    return f"{node.local_id}  {short}".rstrip().replace("&", "&&")
