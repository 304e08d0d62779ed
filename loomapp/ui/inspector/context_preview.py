"""The context preview: what would be sent now, as rows, as JSON, or why nothing can be."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QStackedWidget, QWidget

from loomapp.core.context.assembly import Assembled, to_json
from loomapp.core.errors import LoomError
from loomapp.core.tree import Agent, Tree
from loomapp.ui.inspector.context_error import ContextError
from loomapp.ui.inspector.context_list import ContextList, copy
from loomapp.ui.inspector.context_rows import ContextRows
from loomapp.ui.inspector.context_summary import ContextSummary
from loomapp.ui.inspector.past import Past
from loomapp.ui.inspector.plain_view import PlainView
from loomapp.ui.inspector.strategies import WIDTH_PX, Strategies
from loomapp.ui.inspector.words import next_step
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.error_strip import ErrorStrip, Tone
from loomapp.ui.widgets.form import label

# Line ends and spaces of another kind, what is not seen, and what turns the direction of the others round.
_UNSEEN = (0x85, 0xA0, 0xAD, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x2030), *range(0x2066, 0x206A), 0xFEFF)
UNSEEN = {code: f"\\u{code:04x}" for code in (*_UNSEEN, 0xFDD0, 0xFDD1, 0xFFFC)}
SIDE_FROM_PX = 640  # wide and low: the numbers stand beside the rows
SIDE_BELOW_PX = 360
SIDE_WIDTH_PX = 232
STRATEGIES_FROM_PX = 720  # wide, and high enough for the numbers above the rows: the strategies stand beside
STRATEGIES_AFTER_MS = 120  # once the context rests: three contexts are assembled for them
QWIDGETSIZE_MAX = (1 << 24) - 1

# What each strategy would send, which of them counts, and whether another can be chosen.
ByStrategy: TypeAlias = Callable[[], tuple[Mapping[str, Assembled | LoomError], str, bool]]


class ContextPreview(QWidget):
    """Shows an `Assembled`; draws only while it is seen."""

    node_clicked = Signal(str)  # node id
    include_asked = Signal(str)  # node id of an excluded node
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
        self._stale = True
        self._past: Past | None = None
        self._past_strip = ErrorStrip(self, closable=True)
        self._past_strip.setObjectName("pastStrip")
        self.rows = ContextList(self)
        self._raw = PlainView(tr("The context as JSON"))
        self._raw.setObjectName("rawContext")
        self._raw.setContentsMargins(12, 10, 12, 10)
        self._failure = ContextError(self)
        self._nothing = label(tr("Open a tree to see what would be sent."), "ui", "muted", wrap=True)
        self._nothing.setObjectName("contextEmpty")
        self._nothing.setContentsMargins(12, 12, 12, 12)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._pages = QStackedWidget(self)
        for page in (self._nothing, self.rows, self._raw, self._failure):
            self._pages.addWidget(page)
        self._summary = ContextSummary(self)
        self._line = QFrame(self)
        theme.set_look(self._line, line=True)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.addWidget(self._past_strip, 0, 0, 1, 3)
        self._by_strategy: ByStrategy | None = None
        self._strategies = Strategies(self)
        self._beside_rows = QScrollArea(self)  # a low inspector may cut it off, never be held open by it
        self._beside_rows.setWidget(self._strategies)
        self._beside_rows.setWidgetResizable(True)
        self._beside_rows.setFrameShape(QFrame.Shape.NoFrame)
        self._beside_rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._beside_rows.setFixedWidth(WIDTH_PX)
        self._beside_rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._beside_rows.viewport().setAutoFillBackground(False)
        self._strategies.setAutoFillBackground(False)
        self._beside_rows.hide()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(STRATEGIES_AFTER_MS)
        self._later.timeout.connect(self.on_rest)
        self._beside: bool | None = None
        self._arrange(beside=False)
        self._connect()
        self.setFocusProxy(self.rows)

    def show_assembled(self, assembled: Assembled, tree: Tree, agents: Mapping[str, Agent]) -> None:
        """Show what would be sent from this tree."""
        self._assembled, self._error = assembled, None
        self._tree, self._agents = tree, agents
        self._refresh_if_seen()

    def show_error(self, error: LoomError, tree: Tree | None = None) -> None:
        """Show why nothing can be sent, and what to do."""
        self._assembled, self._error = None, error
        self._tree = tree or self._tree
        self._refresh_if_seen()

    @property
    def past(self) -> Past | None:
        """What was sent in the past, while that is shown."""
        return self._past

    def show_past(self, past: Past | None) -> None:
        """Show what a node was sent, in place of what would be sent now; None goes back."""
        self._past = past
        self._refresh_if_seen()

    def on_past_left(self) -> None:
        """Back to what would be sent now."""
        self.show_past(None)
        self.past_left.emit()

    def compare_strategies(self, ask: ByStrategy) -> None:
        """Where there is room, show what each strategy would send; `ask` assembles them for the context that
        is shown, and says whether one can be chosen."""
        self._by_strategy = ask
        self._arrange_strategies()

    def on_rest(self) -> None:
        """The context stands: see what the others would send."""
        if self._by_strategy is None or self._tree is None or not self._beside_rows.isVisible():
            return
        outcomes, strategy, can_choose = self._by_strategy()
        self._strategies.show_all(outcomes, strategy, self._tree, self._agents, can_choose=can_choose)

    # Showing

    def _refresh_if_seen(self) -> None:
        self._stale = True
        if self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        self._stale = False
        assembled, tree = self._assembled, self._tree
        if self._past is not None and tree is not None:
            self._show_past(self._past, tree)
            return
        self._past_strip.hide()
        self._summary.show_report(assembled.report if assembled else None)
        self._summary.setVisible(assembled is not None)
        self._line.setVisible(assembled is not None)
        self._arrange_strategies()
        if self._error is not None and self._error.code == "EMPTY_CONTEXT":
            self._nothing.setText(
                tr("Nothing to send yet.") + " " + next_step(self._error)
            )  # no fault of anyone
            self._pages.setCurrentWidget(self._nothing)
        elif self._error is not None:
            self._failure.show_error(self._error, tree)
            self._pages.setCurrentWidget(self._failure)
        elif assembled is None or tree is None:
            self._pages.setCurrentWidget(self._nothing)
        elif self._summary.raw_button.isChecked():
            self._raw.show_text(as_text(assembled))
            self._pages.setCurrentWidget(self._raw)
        else:
            self.rows.show_rows(ContextRows(assembled, tree, self._agents))
            self._pages.setCurrentWidget(self.rows)

    def _show_past(self, past: Past, tree: Tree) -> None:
        """The rows as they were sent; where they can't be put together any more, the request itself."""
        replay = past.replay
        then = replay.then if replay is not None else None
        same = replay is not None and replay.is_identical
        can_compare = replay is not None and None not in (replay.then, replay.now)
        acts = [("compare", tr("Compare with today"))] if can_compare and not same else []
        tone: Tone = "success" if same else "warning"
        self._past_strip.offer(past.sentence(tree), acts, tone=tone, closable=True)
        self._summary.show_report(then.report if then is not None else None, was_sent=True)
        self._summary.setVisible(then is not None)
        self._line.setVisible(then is not None)
        self._arrange_strategies()
        if then is None or self._summary.raw_button.isChecked():
            self._raw.show_text(past.evidence.request_body)
            self._pages.setCurrentWidget(self._raw)
        else:
            self.rows.show_rows(ContextRows(then, tree, self._agents))
            self._pages.setCurrentWidget(self.rows)

    def on_raw_toggled(self) -> None:
        """Rows or JSON."""
        self._refresh_if_seen()

    def on_copy_asked(self) -> None:
        """All of it, however much is shown."""
        if self._past is not None:
            copy(self._past.evidence.request_body)
        elif self._assembled is not None:
            copy(as_text(self._assembled))

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was not drawn while hidden."""
        super().showEvent(event)
        if self._stale:
            self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Numbers above the rows, or beside them where it is wide and low."""
        super().resizeEvent(event)
        self._arrange(beside=self.width() >= SIDE_FROM_PX and self.height() < SIDE_BELOW_PX)
        self._arrange_strategies()

    def _arrange_strategies(self) -> None:
        is_seen = (
            self._by_strategy is not None
            and self._past is None
            and self.width() >= STRATEGIES_FROM_PX
            and self.height() >= SIDE_BELOW_PX
            and self._tree is not None
            and (self._error is None or self._error.code == "CONTEXT_TOO_LONG")
        )
        self._beside_rows.setVisible(is_seen)
        if is_seen and self.isVisible():
            self._later.start()

    def _arrange(self, *, beside: bool) -> None:
        if beside == self._beside:
            return
        self._beside = beside
        grid = self._grid
        if beside:
            grid.addWidget(self._pages, 1, 0)
            grid.addWidget(self._line, 1, 1)
            grid.addWidget(self._summary, 1, 2, Qt.AlignmentFlag.AlignTop)
        else:
            grid.addWidget(self._summary, 1, 0, 1, 2)
            grid.addWidget(self._line, 2, 0, 1, 2)
            grid.addWidget(self._pages, 3, 0)
            grid.addWidget(self._beside_rows, 3, 1)
        for row in range(4):
            grid.setRowStretch(row, int(row == (1 if beside else 3)))
        grid.setColumnStretch(0, 1)
        self._summary.setMaximumWidth(SIDE_WIDTH_PX if beside else QWIDGETSIZE_MAX)
        self._summary.setMinimumWidth(SIDE_WIDTH_PX if beside else 0)
        self._summary.set_narrow(SIDE_WIDTH_PX if beside else None)
        self.rows.set_low(beside)
        theme.set_look(self._line, line="upright" if beside else True)

    def _connect(self) -> None:
        self.rows.node_clicked.connect(self.node_clicked)
        self.rows.include_asked.connect(self.include_asked)
        self._failure.node_clicked.connect(self.node_clicked)
        self._summary.raw_toggled.connect(self.on_raw_toggled)
        self._summary.copy_asked.connect(self.on_copy_asked)
        self._past_strip.act_clicked.connect(lambda _: self.compare_asked.emit())
        self._past_strip.closed.connect(self.on_past_left)
        self._strategies.chosen.connect(self.strategy_chosen)


def as_text(assembled: Assembled) -> str:
    """The whole context as JSON for reading: what `loomapp assemble` prints.

    What a text widget would show as something else, or not at all, is spelt out: it is read back as it was.
    """
    return json.dumps(to_json(assembled), ensure_ascii=False, indent=2).translate(UNSEEN)
