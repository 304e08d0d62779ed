"""Summaries in a window: the chain of branches up to the current node, shown, written and kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.economy import stats, threads
from loomapp.core.economy.branch_summaries import ProposedSummary
from loomapp.core.economy.threads import Head
from loomapp.core.errors import AssemblyError
from loomapp.core.model.economy_settings import SUMMARIES
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers.plan import branch_plan
from loomapp.core.text.token_counts import by_chars_35
from loomapp.session.background.background_work import IdleTimer
from loomapp.session.requests.due_summary import economy_of
from loomapp.ui import figures
from loomapp.ui.commands import availability
from loomapp.ui.commands.inspector.context import choose_strategy
from loomapp.ui.commands.save import save
from loomapp.ui.commands.summaries import conversation
from loomapp.ui.inspector.summaries.head_row import HeadFacts
from loomapp.ui.inspector.summaries.panel import SummariesFacts
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.workbench import Workbench


def wire(bench: Workbench) -> None:
    panel, writings, document = (
        bench.views.inspector.summaries,
        bench.unfinished.writings,
        bench.work.document,
    )
    panel.set_source(lambda: facts_of(bench))
    panel.begun_text = lambda node_id: writings.text_of("summary", node_id)
    panel.summary_given.connect(
        lambda node_id, text: bench.frame.run_beside_text(lambda w: save.save_summary(w, node_id, text))
    )
    panel.typed.connect(writings.on_summary_typed)
    panel.summarise_asked.connect(
        lambda node_id: bench.frame.run_command(partial(summarise, node_id=node_id))
    )
    panel.send_asked.connect(lambda: bench.frame.run_command(partial(choose_strategy, name=SUMMARIES)))
    panel.closed.connect(lambda node_id: writings.close("summary", node_id))
    panel.opened.connect(lambda node_id: writings.open_again("summary", node_id))
    writings.summary_wanted.connect(lambda node_id: write_summary(bench, node_id))
    soon = IdleTimer(panel)
    soon.timeout.connect(panel.refresh)
    document.leaving.connect(panel.leave)
    document.tree_opened.connect(lambda _: soon.start())
    document.tree_changed.connect(lambda *_: soon.start())
    document.place.current_changed.connect(lambda *_: soon.start())


def write_summary(bench: Workbench, node_id: str) -> None:
    """Go to a head's summary and open its field."""
    document = bench.work.document
    if head_at(bench, node_id) is None:
        document.place.read_through(node_id, keeps_place=True)
    bench.frame.bring_inspector()
    panel = bench.views.inspector.summaries
    bench.views.inspector.show_summaries_tab()
    panel.refresh()
    panel.open(node_id)


def summarise(bench: Workbench, node_id: str) -> None:
    """Ask for the summary of a branch; it comes into the field of its head, and is kept when that is left.

    Raises: LoomError if the branch says nothing.
    """
    document, path = bench.work.document, _path(bench)
    head = head_at(bench, node_id)
    if path is None or head is None:
        return
    plan = branch_plan(document.tree, path, path.node_ids[head.place])
    conversation.propose(bench, plan, partial(_proposed, bench, document.tree.loom.id, node_id))


def _proposed(bench: Workbench, tree_id: str, node_id: str, came: ProposedSummary) -> None:
    """Show what came in the field of the head, if its tree is still the one that is read."""
    if bench.work.document.tree.loom.id == tree_id:
        bench.work.generator.summaries.proposed[tree_id, node_id] = came
        write_summary(bench, node_id)
        bench.views.inspector.summaries.propose(node_id, came.text)


def head_at(bench: Workbench, node_id: str) -> threads.Head | None:
    """The head on the way to the current node whose row is that of a node."""
    path = _path(bench)
    heads = () if path is None else threads.chain_of(bench.work.document.tree, path).heads
    return next((head for head in heads if node_id in (head.node_id, head.branch.node_id)), None)


def facts_of(bench: Workbench) -> SummariesFacts | None:
    """The facts of the way to the current node; None where there is none."""
    document, path = bench.work.document, _path(bench)
    if path is None:
        return None
    tree = document.tree
    bench.views.inspector.summaries.can_write = availability.can_write(bench)
    chain = threads.chain_of(tree, path)
    footer = threads.footer(chain, threads.savings_of(threads.branches_of(tree)))
    found = stats.statistics_of(tree, document.path)
    return SummariesFacts(
        tuple(_heads(chain)),
        "\n".join(_hints(chain)),
        chain.text,
        footer,
        tr("~{count} tokens").format(count=figures.number(chain.tokens)),
        stats.to_text(found),
        tr("all text of this path: ~{count} tokens").format(count=figures.number(found.path_tokens)),
        economy_of(document).assembler == SUMMARIES,
    )


def _path(bench: Workbench) -> Path | None:
    document = bench.work.document
    node_id = document.current_id
    try:
        return resolve(document.tree, node_id, document.place.choices_reading(node_id))
    except AssemblyError:
        return None


def _heads(chain: threads.Chain) -> Iterator[HeadFacts]:
    last = len(chain.heads) - 1
    for number, head in enumerate(chain.heads):
        is_active = number == last
        said = [] if not head.summary else [_tokens(by_chars_35(head.summary))]
        if head.branch.update_count and head.summary:
            said.append(_updates(head.branch.update_count))
        if is_active:
            said.append(tr("here"))
        title = head.title or tr("Untitled")
        yield HeadFacts(head.branch.node_id, title, " · ".join(said), head.branch.text or "", is_active)


def _tokens(count: int) -> str:
    return tr("~{count} tokens").format(count=figures.number(count))


def _updates(count: int) -> str:
    if count < 3:
        return tr("updated once") if count == 1 else tr("updated twice")
    return tr("updated {count} times").format(count=figures.number(count))


def _hints(chain: threads.Chain) -> Iterator[str]:
    if chain.is_capped:
        yield tr("Only the {count} heads nearest to here are sent.").format(count=threads.MOST_HEADS)
    if chain.depth_hint is not None:
        yield told(chain.depth_hint)


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
            self._bench.frame.run_command(partial(summarise, node_id=node_id))

    def on_closed(self) -> None:
        if self._head is not None:
            self._put_away.add(self._head.node_id)
