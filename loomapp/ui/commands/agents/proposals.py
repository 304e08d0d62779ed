"""Proposals of agents in a window: shown as rows and as cards, and decided by a click."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from loomapp.core.model.change import Change
from loomapp.runs.events import Proposal
from loomapp.session.requests.proposals import KEY
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.composer.proposal_panel import ProposalPanel, ProposalRow


class ProposalDesk(QObject):
    """Joins the proposals that wait to the panel above the composer, and to the graph."""

    def __init__(self, bench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench
        self._panel: ProposalPanel | None = None
        self._stopped = ""  # what is said of a run that was stopped
        self._soon = QTimer(self)  # a batch of them is shown at once
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.on_changed)
        proposals = bench.work.generator.proposals
        proposals.changed.connect(self._soon.start)
        proposals.failed.connect(bench.frame.show_error)
        bench.work.generator.answers.run_stopped.connect(self.on_run_stopped)
        bench.work.document.tree_opened.connect(lambda _: self.on_changed())
        bench.work.document.tree_opened.connect(lambda _: self._forget_stopped())
        bench.work.document.tree_changed.connect(self.on_tree_changed)
        bench.views.graph.draft_asked.connect(self.on_card_asked)
        self.on_changed()

    def on_changed(self) -> None:
        """Show what waits in the tree that is read."""
        document, proposals = self._bench.work.document, self._bench.work.generator.proposals
        waiting = proposals.in_tree(document.tree.loom.id)
        if self._panel is not None or waiting:
            self._shown_panel().show_proposals([self._row(one) for one in waiting])
        cards = self._bench.work.generator.cards(document.tree.loom.id)
        self._bench.views.graph.set_drafts(cards)

    def on_run_stopped(self, name: str, steps: int, action: str) -> None:
        """Tell after which step a run was stopped, and offer to take back what it did."""
        said = tr("{name} was stopped after step {step}. What it did stays.").format(name=name, step=steps)
        self._stopped = said
        reach, total = self._bench.work.document.history.reach_of(action)
        if not reach:  # it ran in another tree
            self._bench.views.text_pane.errors.say(said, tone="warning")
            return
        words = tr("Undo this step") if steps == 1 else tr("Undo these {n} steps").format(n=steps)
        if reach < total:
            words = tr("Undo what it did since others wrote")
        self._bench.frame.offer(said, words, partial(self._undo_run, action))

    def on_tree_changed(self, change: Change) -> None:
        """Offer no longer to take a stopped run back: something else was done, or it is taken back."""
        if change.undoable or change.label.startswith(("Undo ", "Redo ")):
            self._forget_stopped()

    def _forget_stopped(self) -> None:
        if self._stopped:
            self._bench.views.text_pane.errors.drop(self._stopped)
            self._stopped = ""

    def _undo_run(self, action: str) -> None:
        bench = self._bench
        bench.views.pages.flush()
        bench.work.document.history.check_newest(action)
        bench.text.undo_change()

    def on_card_asked(self, key: str, act: str) -> None:
        """Decide about the proposal of a card."""
        if key.startswith(KEY):
            self._decide(act, key.removeprefix(KEY))

    def _row(self, one: Proposal) -> ProposalRow:
        from loomapp.ui.composer.proposal_panel import ProposalRow  # late, as the panel is

        document = self._bench.work.document
        node = document.tree.nodes.get(one.about)
        text = one.words or ("" if node is None else node.text)
        agent = document.agents.by_id().get(one.agent_id)
        about = "" if node is None else node.local_id
        return ProposalRow(one.id, agent, one.name, about, one.about, text, one.line)

    def _shown_panel(self) -> ProposalPanel:
        if self._panel is None:
            from loomapp.ui.composer.proposal_panel import ProposalPanel  # late, as it is made

            bench = self._bench
            self._panel = panel = ProposalPanel(bench.views.text_pane)
            bench.views.text_pane.add_below_text(panel)
            panel.accept_asked.connect(partial(self._decide, "accept"))
            panel.refuse_asked.connect(partial(self._decide, "refuse"))
            panel.accept_all_asked.connect(self.on_accept_all)
            panel.refuse_all_asked.connect(self.on_refuse_all)
            panel.node_clicked.connect(self.on_node_clicked)
        return self._panel

    def on_accept_all(self) -> None:
        work = self._bench.work
        tree_id = work.document.tree.loom.id
        self._bench.frame.run_beside_text(lambda _: work.generator.proposals.accept_all(tree_id))

    def on_refuse_all(self) -> None:
        work = self._bench.work
        tree_id = work.document.tree.loom.id
        self._bench.frame.run_beside_text(lambda _: work.generator.proposals.refuse_all(tree_id))

    def _decide(self, act: str, proposal_id: str) -> None:
        proposals = self._bench.work.generator.proposals
        decide = proposals.accept if act == "accept" else proposals.refuse
        self._bench.frame.run_beside_text(lambda _: decide(proposal_id))

    def on_node_clicked(self, node_id: str) -> None:
        if node_id in self._bench.work.document.tree.nodes:
            graph_commands.mean(self._bench, node_id)
            self._bench.views.graph.ensure_visible(node_id)
