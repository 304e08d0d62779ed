"""The context preview: what would be sent now, as rows, as JSON, or why nothing can be."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QStackedWidget, QVBoxLayout, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.plain_text import as_text
from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.session.context.what_if import WhatIf
from loomapp.ui.inspector.context.context_list import ContextFinding, ContextList, copy
from loomapp.ui.inspector.context.error import ContextError
from loomapp.ui.inspector.context.raw_page import RawPage
from loomapp.ui.inspector.context.rows import ContextRows
from loomapp.ui.inspector.context.summary import ContextSummaryBox
from loomapp.ui.inspector.node.past_context import PastContext
from loomapp.ui.inspector.sides import (
    QWIDGETSIZE_MAX,
    Coming,
    ContextAnswers,
    ContextSides,
    Outcomes,
    TrialBar,
)
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip, Tone
from loomapp.ui.widgets.fields import FindBar
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Scrolled, fill
from loomapp.ui.widgets.words.context_words import next_step

if TYPE_CHECKING:
    from loomapp.ui.inspector.context.token_shares import TokenSharesPage

LEAST_PX = 308  # what is tried, in its narrowest arrangement
SIDE_FROM_PX = 640  # wide and low: the numbers stand beside the rows
SIDE_BELOW_PX, BRIEF_BELOW_PX = 360, 300
SIDE_WIDTH_PX = 232
STRATEGIES_FROM_PX = 720  # wide, and high enough for the numbers above the rows: the strategies stand beside


class ContextPreview(QWidget):
    node_clicked = Signal(str)  # node id
    remedy_asked = Signal(str, str)  # node id, and why it is left out, or what a warning about it says
    switch_asked = Signal(str, bool)  # node id, and whether it is to be sent: of what is tried
    exclude_asked = Signal(list)  # node ids
    error_remedy_asked = Signal(object)  # Remedy
    act_asked = Signal(str)  # something that helps elsewhere, see `acts_against`; or whatIf, sinceLast
    strategy_chosen = Signal(str)  # its name
    past_left = Signal()  # back to what would be sent now
    compare_asked = Signal()  # what was sent, beside what would be sent today

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextInspector")
        self.setAccessibleName(tr("Context: what will be sent"))
        self._assembled: Assembled | None = None
        self._error: LoomError | None = None
        self._tree: Tree | None = None
        self._agents: Mapping[str, Agent] = {}
        self._listed: weakref.ref[Tree] | None = None  # whose rows are shown
        self._stale = True
        self._past: PastContext | None = None
        self._past_strip = ErrorStrip(self, closable=True)
        self._past_strip.setObjectName("pastStrip")
        self._pages = QStackedWidget(self)
        self.rows = ContextList(self._pages)
        self._raw = RawPage(self._pages)
        self.ask_saved: Callable[[], Sequence[str]] = tuple  # a line for each summary of the path
        self._shares: TokenSharesPage | None = None  # made when it is first wanted
        self.trial_bar = TrialBar(self)
        self._trying: WhatIf | None = None
        self._agent_name, self._asked = "", 1
        self.find_bar = FindBar(self, name="findInContext", title=tr("Find in what is sent"))
        self._finding = ContextFinding(self.find_bar, self.rows)
        self._failure = ContextError(self)
        self._failure_area = Scrolled(self._failure, "contextErrorArea")
        self._nothing = label("", "ui", "muted", wrap=True)
        self._nothing.setObjectName("contextEmpty")
        self._nothing.setContentsMargins(12, 12, 12, 12)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        for page in (self._nothing, self.rows, self._raw, self._failure_area):
            self._pages.addWidget(page)
        self._summary = ContextSummaryBox(self)
        self.agent_choice = self._summary.agent_choice
        self._line = QFrame(self)
        theme.set_look(self._line, line=True)
        self._line_below = QFrame(self)  # between the rows and what is tried, where that stands below them
        theme.set_look(self._line_below, line=True)
        self._line_below.hide()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        head = QVBoxLayout()
        fill(head, self._past_strip, self.trial_bar, self.find_bar)
        self._grid.addLayout(head, 0, 0, 1, 3)
        self._desk: ContextAnswers | None = None
        self._sides = ContextSides(self)
        self.trial_panel = self._sides.trial_panel
        self._arranged: tuple[bool, bool] | None = None
        self._arrange(beside=False)
        self._connect()
        self.setFocusProxy(self.rows)

    def show_assembled(self, assembled: Assembled, tree: Tree, agents: Mapping[str, Agent]) -> None:
        self._assembled, self._error = assembled, None
        self._tree, self._agents = tree, agents
        if not self.is_trying:  # else what is tried has been assembled again too, and is shown
            self._refresh_if_seen()

    def show_error(self, error: LoomError, tree: Tree | None = None) -> None:
        """Show why nothing can be sent, and what to do."""
        self._assembled, self._error = None, error
        self._tree = tree or self._tree
        if not self.is_trying:
            self._refresh_if_seen()

    @property
    def past(self) -> PastContext | None:
        return self._past

    def show_past(self, past: PastContext | None) -> None:
        """Show what a node was sent, in place of what would be sent now; None goes back."""
        self._past = past
        self._refresh_if_seen()

    def show_row(self, node_id: str) -> None:
        """Show the rows, whatever stands in their place, and among them a node's."""
        for button in (self._summary.raw_button, self._summary.shares_button):
            button.setChecked(False)
        self.rows.show_node(node_id)

    def on_past_left(self) -> None:
        self.show_past(None)
        self.past_left.emit()

    def use(self, desk: ContextAnswers) -> None:
        """Show what the desk knows: where there is room what each strategy would send, and what helps."""
        self._desk = desk
        self._summary.show_acts()
        self._arrange_strategies()

    def show_trying(self, trying: WhatIf, agent_name: str, asked: int = 1) -> None:
        """Show what is tried while anything is, in place of what would be sent: to one of so many models."""
        self._trying, self._agent_name = trying if trying.is_on else None, agent_name
        self._asked = asked
        self._refresh_if_seen()

    @property
    def is_trying(self) -> bool:
        return self._trying is not None

    def _coming(self) -> Coming | None:
        """Return the contexts of the strategies, once the context rests; None if they are not seen."""
        if self._desk is None or self._tree is None or not self._sides.isVisible() or self.is_trying:
            return None
        return self._desk.by_strategy()

    def on_strategies_came(self, outcomes: Outcomes) -> None:
        if self._desk is None or self._tree is None:
            return
        strategy, can_choose = self._desk.strategy()
        shown = self._sides.strategies
        shown.show_all(outcomes, strategy, self._tree, self._agents, can_choose=can_choose)

    def _refresh_if_seen(self) -> None:
        self._stale = True
        if self.isVisible():
            self._refresh()
        if self._listed is not None and self._listed() is not self._tree:
            self.rows.show_rows(None)  # a large tree that is left is not held by rows that nobody sees
            self._listed = None

    def _refresh(self) -> None:
        self._stale = False
        tree = self._tree
        self._show_trial(tree)
        if self._past is not None and tree is not None:
            self._show_past(self._past, tree)
            return
        assembled, error = self._shown
        self._past_strip.hide()
        self._summary.set_brief(self._is_brief)
        self._summary.show_context(assembled, self._agents, is_tried=self.is_trying)
        self._summary.setVisible(assembled is not None)
        self._line.setVisible(assembled is not None)
        self._arrange(beside=self._is_low)
        self._arrange_strategies()
        if error is not None:
            self._show_failure(error, tree)
        elif assembled is None or tree is None:
            self._pages.setCurrentWidget(self._nothing)
        elif self._summary.shares_button.isChecked():
            self._show_shares(assembled, tree)
        elif self._summary.raw_button.isChecked():
            self._show_raw(assembled)
        else:
            self._show_rows(assembled, tree)

    @property
    def _shown(self) -> tuple[Assembled | None, LoomError | None]:
        """Return the coming context, or the one that is tried; or the error that forbids it."""
        outcome = None if self._trying is None else self._trying.shown
        return (self._assembled, self._error) if outcome is None else (outcome.assembled, outcome.error)

    def _show_rows(self, assembled: Assembled, tree: Tree) -> None:
        is_other = self._listed is None or self._listed() is not tree
        self.rows.show_rows(ContextRows(assembled, tree, self._agents), is_other_tree=is_other)
        self._listed = weakref.ref(tree)
        self._pages.setCurrentWidget(self.rows)
        self._finding.look_in(None)

    def _show_raw(self, assembled: Assembled) -> None:
        request = None if self._desk is None else self._desk.request_writer(assembled)
        said = tr("As the provider gets it, for one call; broken into lines for reading.")
        self._raw.show_texts(request, assembled, said)
        self._pages.setCurrentWidget(self._raw)
        self._finding.look_in(self._raw.view)

    @property
    def shares(self) -> TokenSharesPage:
        """Return the page of where the tokens go, made when it is first wanted."""
        if self._shares is None:
            from loomapp.ui.inspector.context.token_shares import TokenSharesPage  # late, as it is made

            self._shares = TokenSharesPage()
            self._shares.ask_saved = self.ask_saved
            self._shares_area = Scrolled(self._shares, "tokenSharesArea")
            self._pages.addWidget(self._shares_area)
        return self._shares

    def _show_shares(self, assembled: Assembled, tree: Tree) -> None:
        self.shares.show_context(assembled, tree, self._agents)
        self._pages.setCurrentWidget(self._shares_area)
        self._finding.look_in(None)

    def _show_failure(self, error: LoomError, tree: Tree | None) -> None:
        remedies = () if self._desk is None else self._desk.remedies(error)
        is_at_start = error.details.get("caret") == "start"
        if is_at_start or (error.code == "EMPTY_CONTEXT" and not remedies):  # no fault of anyone
            step = told(error.message) if is_at_start else next_step(error)
            self._nothing.setText(tr("Nothing to send yet.") + " " + step)
            self._pages.setCurrentWidget(self._nothing)
            return
        self._failure.show_error(error, tree, remedies, can_act=self._desk is not None)
        self._pages.setCurrentWidget(self._failure_area)

    def _show_trial(self, tree: Tree | None) -> None:
        is_shown = self._trying is not None and self._past is None
        self.rows.set_trying(is_shown)
        self.rows.set_remedies(self._past is None)
        self._sides.set_trying(is_shown)
        if not is_shown or tree is None or self._trying is None:
            self.trial_bar.hide()
            return
        self.trial_panel.show_trying(self._trying, tree, self._agents, self._agent_name, self._asked)
        self.trial_bar.show()

    def _show_past(self, past: PastContext, tree: Tree) -> None:
        """The rows as they were sent; where they can't be put together any more, the request itself."""
        replay = past.replay
        then = replay.then if replay is not None else None
        same = replay is not None and replay.is_identical
        can_compare = replay is not None and None not in (replay.then, replay.now)
        acts = [("compare", tr("Compare with today"))] if can_compare and not same else []
        tone: Tone = "success" if same else "warning"
        self._past_strip.offer(past.sentence(tree), acts, tone=tone, closable=True)
        self._summary.show_context(then, self._agents, was_sent=True)
        counted = past.evidence.usage.get("inputTokens")
        self._summary.show_counted(counted if isinstance(counted, int) else None)
        self._summary.setVisible(then is not None)
        self._line.setVisible(then is not None)
        self._arrange_strategies()
        if then is not None and self._summary.shares_button.isChecked():
            self._show_shares(then, tree)
        elif then is None or self._summary.raw_button.isChecked():
            body = past.evidence.request_body
            self._raw.show_texts(lambda: body, then, tr("Exactly as it was sent."))
            self._pages.setCurrentWidget(self._raw)
            self._finding.look_in(self._raw.view)
        else:
            self._show_rows(then, tree)

    def on_raw_toggled(self, is_on: bool) -> None:
        """Show the raw form, or the rows again; only one page stands in their place."""
        if is_on:
            self._summary.shares_button.setChecked(False)
        self._refresh_if_seen()

    def on_shares_toggled(self, is_on: bool) -> None:
        if is_on:
            self._summary.raw_button.setChecked(False)
        self._refresh_if_seen()

    def on_raw_turned(self) -> None:
        self._finding.look_in(self._raw.view)

    def on_copy_asked(self) -> None:
        """Copy all of what is shown, however much of it fits: the raw text, or the context for reading."""
        shown = self._sent
        if self._pages.currentWidget() is self._raw:
            copy(self._raw.text)
        elif shown is not None:
            copy(as_text(shown))

    def on_copy_message_asked(self, number: int) -> None:
        """Copy the message that a row is part of, as it is sent."""
        shown, rows = self._sent, self.rows.shown
        if shown is not None and rows is not None:
            copy(rows.message_text(number))

    @property
    def _sent(self) -> Assembled | None:
        replay = self._past.replay if self._past is not None else None
        if self._past is not None:
            return None if replay is None else replay.then
        return self._shown[0]

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was not drawn while hidden."""
        super().showEvent(event)
        if self._stale:
            self._refresh()

    def minimumSizeHint(self) -> QSize:
        """Return a narrow least size: parts side by side stand one below the other there."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), LEAST_PX), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the numbers above the rows, or beside them where it is wide and low."""
        super().resizeEvent(event)
        self._arrange(beside=self._is_low)
        self._summary.set_brief(self._is_brief)
        self._arrange_strategies()

    @property
    def _is_brief(self) -> bool:
        """Return True where the numbers in full would leave no room for the rows below them."""
        is_tight = self.is_trying and self.width() < STRATEGIES_FROM_PX
        return is_tight or (not self._is_low and self.height() < BRIEF_BELOW_PX)

    @property
    def _is_low(self) -> bool:
        """Return True if wide and low; what is tried has its own place beside the rows."""
        return self.width() >= SIDE_FROM_PX and self.height() < SIDE_BELOW_PX and not self.is_trying

    def _arrange_strategies(self) -> None:
        is_seen = (
            self._past is None and self._tree is not None and (self.is_trying or self._has_room_beside())
        )
        self._sides.setVisible(is_seen)
        if is_seen and self.isVisible():
            self._sides.look_soon(self._coming)
        else:
            self._sides.stop_looking()

    def _has_room_beside(self) -> bool:
        return (
            self._desk is not None
            and self.width() >= STRATEGIES_FROM_PX
            and self.height() >= SIDE_BELOW_PX
            and (self._error is None or self._error.code == "CONTEXT_TOO_LONG")
        )

    def _arrange(self, *, beside: bool) -> None:
        below = self.is_trying and self.width() < STRATEGIES_FROM_PX
        if (beside, below) == self._arranged:
            return
        self._arranged = beside, below
        grid = self._grid
        if beside:
            grid.addWidget(self._pages, 1, 0)
            grid.addWidget(self._line, 1, 1)
            grid.addWidget(self._summary, 1, 2, Qt.AlignmentFlag.AlignTop)
        else:
            grid.addWidget(self._summary, 1, 0, 1, 2)
            grid.addWidget(self._line, 2, 0, 1, 2)
            grid.addWidget(self._pages, 3, 0)
            grid.addWidget(self._sides, *((4, 0, 1, 2) if below else (3, 1, 1, 1)))
        self._line_below.setVisible(below)
        if below:
            grid.addWidget(self._line_below, 4, 0, 1, 2, Qt.AlignmentFlag.AlignTop)
        self._sides.set_below(below)
        for row in range(5):
            grid.setRowStretch(row, int(row == (1 if beside else 3) or (below and row == 4)))
        grid.setColumnStretch(0, 1)
        self._summary.setMaximumWidth(SIDE_WIDTH_PX if beside else QWIDGETSIZE_MAX)
        self._summary.setMinimumWidth(SIDE_WIDTH_PX if beside else 0)
        self._summary.set_narrow(SIDE_WIDTH_PX if beside else None)
        self.rows.set_low(beside)
        theme.set_look(self._line, line="upright" if beside else True)

    def _connect(self) -> None:
        self.rows.node_clicked.connect(self.node_clicked)
        self.rows.remedy_asked.connect(self.remedy_asked)
        self.rows.switch_asked.connect(self.switch_asked)
        self.rows.copy_message_asked.connect(self.on_copy_message_asked)
        self._raw.turned.connect(self.on_raw_turned)
        self._failure.exclude_asked.connect(self.exclude_asked)
        self._failure.remedy_asked.connect(self.error_remedy_asked)
        self._failure.act_asked.connect(self.act_asked)
        self._summary.act_asked.connect(self.act_asked)
        self._failure.node_clicked.connect(self.node_clicked)
        self._summary.raw_toggled.connect(self.on_raw_toggled)
        self._summary.shares_toggled.connect(self.on_shares_toggled)
        self._summary.copy_asked.connect(self.on_copy_asked)
        self._past_strip.act_clicked.connect(lambda _: self.compare_asked.emit())
        self._past_strip.closed.connect(self.on_past_left)
        self._sides.strategies.chosen.connect(self.strategy_chosen)
        self._sides.strategies_came.connect(self.on_strategies_came)
