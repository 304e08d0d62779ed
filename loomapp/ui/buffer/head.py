"""The buffer in figures: how many words it has, and who wrote how much of it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolTip, QWidget

from loomapp.core.model.agent import Agent
from loomapp.ui import figures
from loomapp.ui.buffer.word_count import Sum
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.agent_mark import SIZE_PX, paint_mark
from loomapp.ui.widgets.labels import plain_tip

HEIGHT_PX = 36
MOST_SHARES = 4


class Shares(QWidget):
    """Authors of the text: a mark and a percentage for each of those who wrote the most."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bufferShares")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT_PX)
        self._shares: tuple[tuple[Agent | None, str, str], ...] = ()

    def show_sum(self, counted: Sum, agents: Mapping[str, Agent]) -> None:
        if len(counted.authors) < 2:
            self._shares = ()
        else:
            self._shares = tuple(
                (agents.get(agent_id or ""), _name(agents.get(agent_id or ""), kind), _percent(share))
                for kind, agent_id, share in counted.authors[:MOST_SHARES]
            )
        self.setAccessibleName(self.tr("Written by: {0}").format(self.words) if self._shares else "")
        self.updateGeometry()
        self.update()

    @property
    def words(self) -> str:
        """`You 58 %, Claude 24 %`."""
        return ", ".join(f"{name} {percent}" for _, name, percent in self._shares)

    def sizeHint(self) -> QSize:
        return QSize(sum(self._width(percent) for _, _, percent in self._shares), HEIGHT_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, HEIGHT_PX)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.words), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme.numbers("small"))
        x = 0.0
        for agent, _, percent in self._shares:
            width = self._width(percent)
            if x + width > self.width() + 1:
                break
            paint_mark(painter, QRectF(x, (HEIGHT_PX - SIZE_PX) / 2, SIZE_PX, SIZE_PX), agent)
            painter.setPen(theme.colour("text.secondary"))
            rect = QRectF(x + SIZE_PX + 6, 0, width, HEIGHT_PX)
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, percent)
            x += width
        painter.end()

    @staticmethod
    def _width(percent: str) -> int:
        return round(QFontMetricsF(theme.numbers("small")).horizontalAdvance(percent)) + SIZE_PX + 20


class BufferHead(QWidget):
    """Head of the text with its word count and its authors' shares."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bufferHead")
        self._words = QLabel(self)
        self._words.setObjectName("bufferWords")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setFont(theme.numbers("small"))
        theme.set_look(self._words, tone="muted")
        self.shares = Shares(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self._words)
        row.addWidget(self.shares)

    @property
    def words(self) -> str:
        return self._words.text()

    def show_words(self, words: int, selected: int | None = None) -> None:
        """Show the number of words in the whole text, and in what is selected."""
        if selected is not None:
            said = self.tr("{0} of {1} words").format(figures.number(selected), figures.number(words))
        else:
            said = self.tr("1 word") if words == 1 else self.tr("{0} words").format(figures.number(words))
        self._words.setText(said)


def _name(agent: Agent | None, kind: str) -> str:
    if agent is not None:
        return agent.name
    return tr("You") if kind == "human" else tr("Model")


def _percent(share: float) -> str:
    return f"{max(1, round(100 * share))} %"
