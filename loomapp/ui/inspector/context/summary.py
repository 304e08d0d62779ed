"""The numbers of a context: how much is sent of how much, whose, the budget bar, and the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.report import Report
from loomapp.core.model.agent import Agent
from loomapp.core.text.token_counts import CHARS_4
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.budget_bar import LARGE_PX, Budget, BudgetBar
from loomapp.ui.widgets.buttons import icon_button, push_button
from loomapp.ui.widgets.form import ChoiceField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Flow, fill, horizontal, vertical
from loomapp.ui.widgets.words.context_words import estimator_words


class AgentChoice(QWidget):
    """A line with the names of the agents that are asked; not there while there is nothing to choose."""

    chosen = Signal(str)  # agent id

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = ChoiceField(())
        self._names.setObjectName("contextAgent")
        self._names.setAccessibleName(tr("Agent whose context is shown"))
        self._names.activated.connect(lambda at: self.chosen.emit(self._names.itemData(at)))
        row = horizontal(self, spacing=6)
        row.addWidget(label(tr("Sent to"), "small", "muted"))
        row.addWidget(self._names, 1)
        self._is_coming = True
        self._listed: list[tuple[str, str]] = []
        self.hide()

    def show_agents(self, agents: Sequence[Agent], agent_id: str) -> None:
        """Show who is asked, and whose context is shown."""
        listed = [(agent.id, unsteered(agent.name)) for agent in agents]
        if listed != self._listed:  # else it may just be open
            self._listed = listed
            self._names.clear()
            for key, name in listed:
                self._names.addItem(name, key)
        self._names.setCurrentIndex(self._names.findData(agent_id))
        self._refresh()

    def set_coming(self, is_coming: bool) -> None:
        """Say whether a coming context is shown, or one of the past or one that is tried."""
        self._is_coming = is_coming
        self._refresh()

    def _refresh(self) -> None:
        self.setVisible(self._is_coming and self._names.count() > 1)


MOST_TINTS = 3
MOST_SHARES = 60  # messages that are drawn apart in the bar
PARTS = (
    ("system", "state.bar_system"),
    ("kept", "state.bar_kept"),
    ("free", "state.bar_track"),
    ("reserve", "state.bar_reserve"),
)


def part_words(name: str) -> str:
    return {
        "system": tr("System"),
        "kept": tr("Messages"),
        "free": tr("Free"),
        "reserve": tr("Kept for the answer"),
    }[name]


class ContextSummaryBox(QWidget):
    """Total, bar and legend; and the tools for the raw form."""

    raw_toggled = Signal(bool)
    shares_toggled = Signal(bool)
    copy_asked = Signal()
    act_asked = Signal(str)  # whatIf, sinceLast

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._total = label("", "title", name="contextTotal")
        self._total.setFont(theme.numbers("title"))
        self._of = label("", "ui", "secondary")
        self._bar = BudgetBar(height_px=LARGE_PX)
        self._legend = {name: _Legend(name, role) for name, role in PARTS}
        self._legend["reserve"].setToolTip(
            tr("“Room for the answer” of this tree, or the agent’s longest answer if that is larger")
        )
        self._estimator = label("", "caption", "muted", wrap=True, name="contextMeasured")
        self.raw_button = self._tool(
            "rawContextButton", "braces", tr("Raw: the request and the report as JSON")
        )
        self.raw_button.setCheckable(True)
        self.shares_button = self._tool("tokenSharesButton", "layers", tr("Where do my tokens go?"))
        self.shares_button.setCheckable(True)
        self.copy_button = self._tool("copyContextButton", "copy", tr("Copy everything"))
        self.since_button = self._tool(
            "sinceLastButton", "diff", tr("What is different since the last request")
        )
        self.what_if = push_button("whatIfButton", tr("What if…"), self)
        self.what_if.setToolTip(tr("Try sending something else; your tree is not changed"))
        self.since_button.clicked.connect(lambda: self.act_asked.emit("sinceLast"))
        self.what_if.clicked.connect(lambda: self.act_asked.emit("whatIf"))
        self.agent_choice = AgentChoice(self)
        self._has_acts = self._is_brief = False
        self.raw_button.toggled.connect(self.raw_toggled)
        self.shares_button.toggled.connect(self.shares_toggled)
        self.copy_button.clicked.connect(self.copy_asked)
        self._window_words = ""
        self._shown: tuple[Assembled | None, Mapping[str, Agent]] = (None, {})
        self._narrow_px: int | None = None
        self._lay_out()

    def show_context(
        self,
        context: Assembled | None,
        agents: Mapping[str, Agent],
        *,
        was_sent: bool = False,
        is_tried: bool = False,
    ) -> None:
        """Show the numbers of a context, of the past if it `was_sent`; without one only the tools, off."""
        report = None if context is None else context.report
        budget = budget_of(report)
        self._total.setText("–" if report is None else figures.number(report.after_tokens))
        rest = tr("of {count} tokens will be sent")
        if was_sent or is_tried:
            rest = tr("of {count} tokens were sent") if was_sent else tr("of {count} tokens would be sent")
        if report is not None and report.over_limit:
            rest = tr("tokens, and there is room for {count}")
        self._of.setText("" if report is None else rest.format(count=figures.number(report.available)))
        over = report is not None and report.over_limit
        theme.set_look(self._total, tone="error" if over else "primary")
        self._shown = context, agents
        self.agent_choice.set_coming(not was_sent and not is_tried)
        self._bar.show_budget(budget, over=over)
        self._show_shares()
        self._bar.setAccessibleName(tr("Shares of the model's context window"))
        for name, legend in self._legend.items():
            legend.show_tokens(getattr(budget, name))
        window = tr("Context window: {count} tokens.").format(count=figures.number(budget.window))
        self._window_words = f"{window} {estimator_words(CHARS_4 if report is None else report.estimator)}"
        if context is not None and context.images:
            self._window_words += " " + tr("Images are not counted: a provider counts each by its size.")
        self._estimator.setText(self._window_words)
        for act in (self.since_button, self.what_if):
            act.setVisible(self._has_acts and report is not None and not was_sent)
        self.what_if.setVisible(self._has_acts and report is not None and not was_sent and not is_tried)
        for widget in (self._bar, self.shares_button, self.raw_button, self.copy_button):
            widget.setVisible(report is not None)
        self._show_details()
        self._keep_lines_apart()

    def _show_details(self) -> None:
        for detail in (self._estimator, *self._legend.values()):
            detail.setVisible(self._shown[0] is not None and not self._is_brief)

    def _show_shares(self) -> None:
        context, agents = self._shown
        shares = () if context is None else shares_of(context, agents)
        self._bar.show_shares(shares)
        self._legend["kept"].show_tints([tint for tint, _ in shares])

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_shown"):
            self._show_shares()

    def show_counted(self, tokens: int | None) -> None:
        """Show the number of tokens that was counted for what was sent."""
        if tokens is not None:
            said = tr("Measured by the provider: {count} tokens.").format(count=figures.number(tokens))
            self._estimator.setText(f"{self._window_words} {said}")
            self._keep_lines_apart()

    def show_acts(self) -> None:
        """Show the acts: trying something else, and looking at what was sent last."""
        self._has_acts = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_lines_apart()

    def event(self, event: QEvent) -> bool:
        """Arrange the lines for other words or another font."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._keep_lines_apart()
        return handled

    def _keep_lines_apart(self) -> None:
        """Never lower than its lines are: a layout short of room would lay them over each other."""
        width_px = self.width() if self._narrow_px is None else self._narrow_px
        self._arrange_head(width_px)
        self.setMinimumHeight(max(0, self.heightForWidth(width_px)))

    def set_brief(self, is_brief: bool) -> None:
        """Show only the total and the bar, where the rows or what is tried need the room."""
        if is_brief != self._is_brief:
            self._is_brief = is_brief
            self._show_details()
            self._lay_out_anew()

    def set_narrow(self, width_px: int | None) -> None:
        """Put every part in a line of its own, in a column of this width; None: side by side."""
        for legend in self._legend.values():
            legend.setMinimumWidth(0 if width_px is None else width_px - 24)
        self._narrow_px = width_px
        self._lay_out_anew()

    def _lay_out_anew(self) -> None:
        """Measure every line again: a line keeps the height that it had with other widgets in it."""
        self._sums.invalidate()
        self._legends.invalidate()
        self._keep_lines_apart()

    def _arrange_head(self, width_px: int) -> None:
        """Put the tools beside the total, or where they would be cut there, below it."""
        directions = QHBoxLayout.Direction
        column = self.layout()
        assert column is not None, "it has one"
        room = width_px - column.contentsMargins().left() - column.contentsMargins().right()
        needs = self._sums.minimumSize().width() + self._head.spacing() + self._tools.minimumSize().width()
        fits = self._narrow_px is None and needs <= room
        direction = directions.LeftToRight if fits else directions.TopToBottom
        if direction != self._head.direction():
            self._head.setDirection(direction)

    def _lay_out(self) -> None:
        tools = self._tools = QHBoxLayout()
        tools.setSpacing(0)
        tools.addWidget(self.what_if)
        tools.addSpacing(6)
        fill(tools, self.since_button, self.shares_button, self.raw_button, self.copy_button)
        sums = self._sums = Flow(gap_px=8)
        fill(sums, self._total, self._of)
        head = self._head = QHBoxLayout()
        head.addLayout(sums, 1)
        head.addLayout(tools)
        head.setAlignment(tools, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        legend = self._legends = Flow(gap_px=16)
        for part in self._legend.values():
            legend.addWidget(part)
        column = vertical(self, (12, 10, 12, 8), spacing=8)
        fill(column, self.agent_choice, head, self._bar, legend, self._estimator)

    def _tool(self, name: str, icon: str, words: str) -> QToolButton:
        return icon_button(name, theme.icon(icon), words, self)


class _Legend(QWidget):
    """Legend entry: a swatch, its meaning, and its tokens."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._swatch = _Swatch(role, hatched=name == "reserve")
        self._tokens = label("", "small", "primary")
        self._tokens.setFont(theme.numbers("small"))
        row = horizontal(self, spacing=6)
        row.addWidget(self._swatch)
        row.addWidget(label(part_words(name), "small", "muted"))
        row.addStretch(1)
        row.addWidget(self._tokens)

    def show_tints(self, tints: Sequence[QColor]) -> None:
        self._swatch.show_tints([QColor(name) for name in dict.fromkeys(tint.name() for tint in tints)])

    def show_tokens(self, tokens: int) -> None:
        self._tokens.setText(figures.number(tokens))


class _Swatch(QWidget):
    """A small square in the colour of a part; the room for the answer is hatched here too."""

    def __init__(self, role: str, *, hatched: bool) -> None:
        super().__init__()
        self._role, self._hatched = role, hatched
        self._tints: list[QColor] = []
        self.setFixedSize(10, 10)

    def show_tints(self, tints: list[QColor]) -> None:
        self._tints = tints[:MOST_TINTS]
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "border.strong", self._role)
        painter.drawRoundedRect(QRectF(0.5, 0.5, 9, 9), 2, 2)
        for number, tint in enumerate(self._tints):
            width = 8 / len(self._tints)
            painter.fillRect(QRectF(1 + number * width, 1, width, 8), tint)
        if self._hatched:
            painter.drawLine(1, 8, 8, 1)
        painter.end()


def shares_of(context: Assembled, agents: Mapping[str, Agent]) -> tuple[tuple[QColor, int], ...]:
    """Return the kept messages, each by its author's tint and its tokens. Nothing where they would be too
    many to be seen.
    """
    fitted = context.fitted
    passages = fitted.passages
    parts = [*fitted.head, *fitted.tail]
    if len(parts) > MOST_SHARES:
        return ()
    nodes = {node.id: node for node in context.placed.path.nodes[-MOST_SHARES * 4 :]}
    found = []
    for part in parts:
        node = nodes.get(passages.node_ids[part] or "")
        tint = theme.agent_colour(agents.get(node.author_agent_id or "") if node else None)
        is_front = part == fitted.tail.start
        found.append((tint, fitted.front_tokens if is_front else passages.tokens[part]))
    return tuple(found)


def budget_of(report: Report | None) -> Budget:
    """Return the parts of a model's window that a report tells."""
    if report is None:
        return Budget()
    kept = max(0, report.after_tokens - report.system_tokens)
    reserve = max(0, report.window - report.available)
    return Budget(report.window, report.system_tokens, kept, reserve)
