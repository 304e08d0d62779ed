"""Lines around a tree's system context: the agent's own prompt, and the tree in two sentences."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from loomapp.core.model.agent import Agent
from loomapp.core.text.token_counts import estimate
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.chip import AgentMark
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.labels import label, set_tip
from loomapp.ui.widgets.words import amounts


def token_words(count: int) -> str:
    """`37 tokens`."""
    return amounts.tokens(count)


class SaysFirst(QFrame):
    """Line with the agent's own prompt, sent before the tree's system context; hidden without a prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("agentSaysFirst")
        self._mark = AgentMark()
        self._who = label("", "small", "muted")
        self._prompt = label("", "small", "secondary")
        self._tokens = label("", "small", "muted")
        self._words = ""
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self._who)
        row.addWidget(self._prompt, 1)
        row.addWidget(self._tokens)
        self.setFixedHeight(34)
        self._prompt.setMinimumWidth(1)

    def show_agent(self, agent: Agent | None) -> None:
        """Show the agent's name, prompt and its tokens."""
        prompt = (agent.configuration.system_prompt or "").strip() if agent else ""
        self.setVisible(bool(prompt))
        if agent is None or not prompt:
            return
        self._mark.show_agent(agent)
        self._who.setText(tr("{name} says first:").format(name=agent.name))
        self._words = "“{prompt}”".format(prompt=" ".join(prompt.split()))
        self._tokens.setText(token_words(estimate(prompt)))
        set_tip(self, prompt)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("surface.hover"))
        radius = theme.metric("radius.control")
        painter.drawRoundedRect(self.rect().adjusted(0, 0, 0, 8), radius, radius)
        painter.end()

    def _elide(self) -> None:
        self._row.activate()
        metrics = self._prompt.fontMetrics()
        self._prompt.setText(
            metrics.elidedText(self._words, Qt.TextElideMode.ElideRight, self._prompt.width())
        )


def room_words(agent: Agent | None, room: int) -> str:
    """Return that the agent's longest answer keeps more free than the `room` a tree asks for, if it does."""
    asked = None if agent is None else agent.configuration.max_tokens
    if asked is None or asked <= room:
        return ""
    return tr("this agent: {count}").format(count=figures.number(asked))


class DescriptionLine(Line):
    """Field for what a tree is about, in words no model is sent; line breaks are shown as spaces."""

    typing_ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("treeDescription")
        self.setAccessibleName(tr("Description"))
        self.setPlaceholderText(tr("A note for yourself about this tree; never sent to a model"))
        self.setFont(theme.font("ui"))

    def show_text(self, text: str) -> None:
        if text != self.text():
            self.setText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.typing_ended.emit()


class SummaryLine(QWidget):
    """The summary of a tree, and the button that asks a model for one."""

    asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = label("", "ui", "secondary", wrap=True)
        self._said.setObjectName("treeSummary")
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._ask = push_button("sumUpTree", tr("Sum up"), self, kind="link")
        set_tip(self._ask, tr("Asks a model to describe this tree in two sentences (one call)"))
        self._is_asked = False
        self._ask.clicked.connect(self.on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 0)
        row.addWidget(self._said, 1)
        row.addWidget(self._ask, 0, Qt.AlignmentFlag.AlignTop)

    def on_clicked(self) -> None:
        """Ask once, till something came of it. A button that is switched off would lose the keyboard."""
        if not self._is_asked:
            self._is_asked = True
            self._ask.setText(tr("Summing up…"))
            self.asked.emit()

    def show_summary(self, summary: str | None) -> None:
        self._said.setText(summary or tr("No summary of this tree yet."))

    def set_can_ask(self, can_ask: bool) -> None:
        """Let it be asked for where something can be written."""
        self._ask.setEnabled(can_ask)

    def take_up(self) -> None:
        """Let it be asked for again."""
        self._is_asked = False
        self._ask.setText(tr("Sum up"))
