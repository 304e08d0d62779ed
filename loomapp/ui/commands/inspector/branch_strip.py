"""The strip above the context bar while one writes under a head without a summary, and its next step."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.economy.threads import Head
from loomapp.ui.commands.inspector import summaries
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.workbench import Workbench


class BranchStrip(QObject):
    """Warns where the summaries of the branches are sent and the active one has none: what is written below
    its end will not know of it. Put away, it stays away for that head as long as the window lives.
    """

    def __init__(self, bench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench
        self._put_away: set[str] = set()
        self._head: Head | None = None
        self._strip: ErrorStrip | None = None
        for changed in (bench.work.preview.assembled, bench.work.preview.failed):
            changed.connect(lambda _: self.show())

    def show(self) -> None:
        """Show the strip, or none, for the coming context."""
        head = self._head = self._missing()
        if head is None:
            if self._strip is not None:
                self._strip.clear()
            return
        if self._strip is None:
            pane = self._bench.views.text_pane
            self._strip = ErrorStrip(pane, closable=True)
            self._strip.setObjectName("branchStrip")
            self._strip.action_clicked.connect(self.on_summarise)
            self._strip.closed.connect(self.on_closed)
            pane.add_above_bar(self._strip)
        words = tr("“{title}” has no summary yet: what you write below won’t know of it.")
        said = words.format(title=unsteered(" ".join(head.title.split())) or tr("Untitled"))
        if self._strip.text != said or self._strip.isHidden():
            self._strip.say(said, tr("Summarise"), tone="warning")

    def _missing(self) -> Head | None:
        """The active head of the coming context, if it has no summary and others may stand above it."""
        assembled, document = self._bench.work.preview.last, self._bench.work.document
        economy = None if assembled is None else assembled.economy
        chain = None if economy is None else economy.chain
        if chain is None or document.grove.read_only or not document.tree.branch_summaries:
            return None
        head = chain.heads[-1]
        return None if head.summary or head.node_id in self._put_away else head

    def on_summarise(self) -> None:
        if self._head is not None:
            node_id = self._head.branch.node_id
            self._bench.frame.run_command(partial(summaries.summarise, node_id=node_id))

    def on_closed(self) -> None:
        if self._head is not None:
            self._put_away.add(self._head.node_id)
