"""Summaries in a window: the chain of branches up to the current node, shown, written and kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QWidget

from loomapp.core.economy import branch_summaries, stats
from loomapp.core.economy.branch_summaries import (
    Branch,
    Head,
    ProposedSummary,
    head_row,
    read_branch,
    title_of,
)
from loomapp.core.errors import AssemblyError
from loomapp.core.model.content import well_formed
from loomapp.core.model.economy_settings import SUMMARIES
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers.plan import branch_plan
from loomapp.core.text.token_counts import by_chars_35
from loomapp.session.background.background_work import IdleTimer
from loomapp.session.recovery import BegunText
from loomapp.session.requests.open_summaries import economy_of
from loomapp.store.identity import now
from loomapp.ui import figures
from loomapp.ui.commands import availability
from loomapp.ui.commands.graph import branches
from loomapp.ui.commands.inspector.context import choose_strategy
from loomapp.ui.commands.save import save
from loomapp.ui.commands.summaries import conversation
from loomapp.ui.graph.view import GraphView
from loomapp.ui.inspector.summaries.head_row import HeadFacts
from loomapp.ui.inspector.summaries.panel import SummariesFacts
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.fields import LeftWords, Line
from loomapp.ui.widgets.keyboard import KeyboardReturn
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
    Where the person is elsewhere by then, it waits.

    Raises: LoomError if the branch says nothing.
    """
    document, path = bench.work.document, _path(bench)
    head = head_at(bench, node_id)
    if path is None or head is None:
        return
    plan = branch_plan(document.tree, path, path.node_ids[head.place])
    conversation.propose(bench, plan, partial(_proposed, bench, document.tree.loom.id, node_id))


def _proposed(bench: Workbench, tree_id: str, node_id: str, came: ProposedSummary) -> None:
    """Show what came in the field of the head, below what is written there. Who went to another branch or
    tree meanwhile, writes, or has a field for it, is not disturbed: it waits as a summary does that was begun
    and put away.
    """
    panel, writings = bench.views.inspector.summaries, bench.unfinished.writings
    bench.work.generator.summaries.proposed[tree_id, node_id] = came
    text = "\n\n".join(filter(None, (writings.text_of("summary", node_id), well_formed(came.text))))
    is_here = bench.work.document.tree.loom.id == tree_id and head_at(bench, node_id) is not None
    is_elsewhere = writings.are_under_way() or _has_field_elsewhere(bench)
    if is_here and (panel.edited_id == node_id or not is_elsewhere):
        write_summary(bench, node_id)
        panel.propose(node_id, text)
    else:
        writings.keep(BegunText("summary", tree_id, node_id, text, now(), is_closed=True))


def _has_field_elsewhere(bench: Workbench) -> bool:
    """True while the keyboard is in a field that is neither for a message nor among the summaries: what is
    typed next would go on in the summary.
    """
    field, panel = QApplication.focusWidget(), bench.views.inspector.summaries
    if not isinstance(field, QLineEdit | QPlainTextEdit | QAbstractSpinBox) or field.isReadOnly():
        return False
    return field is not bench.views.composer.field and not panel.isAncestorOf(field)


def head_at(bench: Workbench, node_id: str) -> branch_summaries.Head | None:
    """The head on the way to the current node whose row is that of a node."""
    path = _path(bench)
    heads = () if path is None else branch_summaries.chain_of(bench.work.document.tree, path).heads
    return next((head for head in heads if node_id in (head.node_id, head.branch.node_id)), None)


def facts_of(bench: Workbench) -> SummariesFacts | None:
    """The facts of the way to the current node; None where there is none."""
    document, path = bench.work.document, _path(bench)
    if path is None:
        return None
    tree = document.tree
    bench.views.inspector.summaries.can_write = availability.can_write(bench)
    chain = branch_summaries.chain_of(tree, path)
    footer = branch_summaries.footer(chain, branch_summaries.savings_of(branch_summaries.branches_of(tree)))
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
        is_tracked=found.reduction is not None,
        saved=_saved_words(found),
    )


def _saved_words(found: stats.Statistics) -> str:
    """Say what the summaries saved; empty where none was updated yet."""
    if found.reduction is None:
        return ""
    more = tr("About {raw} tokens were written into summaries; the text sent from here has {tokens}.")
    less = tr(
        "About {raw} tokens were written into summaries; the text sent from here has {tokens}, "
        "{percent} % less."
    )
    raw, tokens = map(figures.number, (found.savings.raw_tokens, found.chain.tokens))
    return (less if found.reduction > 0 else more).format(raw=raw, tokens=tokens, percent=found.reduction)


def _path(bench: Workbench) -> Path | None:
    document = bench.work.document
    node_id = document.current_id
    try:
        return resolve(document.tree, node_id, document.place.choices_reading(node_id))
    except AssemblyError:
        return None


def _heads(chain: branch_summaries.Chain) -> Iterator[HeadFacts]:
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


def _hints(chain: branch_summaries.Chain) -> Iterator[str]:
    if chain.is_capped:
        yield tr("Only the {count} branches nearest to here are sent.").format(
            count=branch_summaries.MOST_HEADS
        )
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


HEIGHT_PX = 26
LEAST_PX = 164


class BranchNameLine(Line):
    """Line edit on the upper edge of a card, as wide as the card; it goes along with the canvas."""

    named = Signal(str, str)  # node id, title; blank: the first words of the node

    def __init__(self, graph: GraphView) -> None:
        super().__init__(graph.viewport())
        self.setObjectName("branchTitle")
        self.setAccessibleName(tr("Name of this branch"))
        self.setFont(theme.font("ui_strong"))
        self._graph = graph
        self._left, self._node_id, self._saved = LeftWords(), "", ""
        self._came_from = KeyboardReturn()
        self.hide()
        self.returnPressed.connect(self.on_entered)
        graph.look_changed.connect(self._place)

    @property
    def node_id(self) -> str:
        """The node whose branch is being named; empty while the line is away."""
        return self._node_id

    def open(self, node_id: str, title: str, first_words: str) -> None:
        """Begin to name the branch at a node; its first words stand where no name does."""
        self.leave()
        self._node_id, self._saved = node_id, title
        self.setPlaceholderText(first_words)
        self._left.fill(self, node_id, title)
        self._place()
        self.show()
        self.raise_()
        self._came_from.note(self)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Keep what was typed, if anything was, and go away."""
        node_id, words = self._node_id, self.text()
        self._close()
        if node_id and words.strip() != self._saved:
            self.named.emit(node_id, words)

    def on_entered(self) -> None:
        """Keep the name, also one that is the first words of the node."""
        node_id, words = self._node_id, self.text()
        self._close()
        self._give_back()
        if node_id:
            self.named.emit(node_id, words)

    def on_escaped(self) -> None:
        """Go away without a name; what was typed waits for the next time."""
        self._left.leave(self, self._node_id)
        self._close()
        self._give_back()

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking Esc."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Cancel)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.on_escaped()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keep what was typed, but while a menu or another window is over it."""
        super().focusOutEvent(event)
        passing = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.reason() not in passing:
            self.leave()

    def _give_back(self) -> None:
        """Let whoever was writing go on there: a letter would do something in the graph."""
        if not self._came_from.give_back():
            self._graph.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close(self) -> None:
        self._node_id = ""
        self.hide()

    def _place(self) -> None:
        if not self._node_id:
            return
        card, room = self._graph.node_rect(self._node_id), _room(self._graph)
        width = min(max(LEAST_PX, card.width()), room.width())
        left = card.left() if card.isValid() else room.center().x() - width // 2
        top = card.top() - HEIGHT_PX + 1 if card.isValid() else room.top()
        left = max(room.left(), min(left, room.right() - width))
        top = max(room.top(), min(top, room.bottom() - HEIGHT_PX))
        self.setGeometry(left, top, width, HEIGHT_PX)


def _room(graph: GraphView) -> QRect:
    viewport: QWidget = graph.viewport()
    return viewport.rect().adjusted(4, 4, -4, -4)


NO_NAME = "The branch of the first node is named as its tree; of others only messages can be named."


def can_name(bench: Workbench) -> bool:
    """The current node is a message and not the first one, whose branch is named as the tree."""
    document = bench.work.document
    return availability.can_mark(bench) and bench.meant_id != document.tree.root_id


def ask_name(bench: Workbench) -> None:
    """Name the branch at the current node, in a line on its card."""
    document, node_id = bench.work.document, bench.meant_id
    branches.bring(bench)
    bench.views.graph.ensure_visible(node_id)
    row = head_row(document.tree, node_id)
    title = "" if row is None else read_branch(row).title or ""
    first_words = title_of(Branch(node_id), document.tree.nodes[node_id].text)
    bench.parts.one(BranchNameLine, partial(_made_line, bench)).open(node_id, title, first_words)


def _made_line(bench: Workbench) -> BranchNameLine:
    line, run = BranchNameLine(bench.views.graph), bench.frame.run_beside_text
    line.named.connect(lambda node_id, title: run(lambda w: save.name_branch(w, node_id, title)))
    bench.work.document.leaving.connect(line.leave)
    return line
