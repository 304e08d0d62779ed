"""The mark of an agent: a letter on its tint, or a figure for a person."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from loomapp.core.model.agent import Agent
from loomapp.ui.look import theme

SIZE_PX = 16
FILL = 0.26
FIGURE_FILL = 0.14


def paint_mark(painter: QPainter, rect: QRectF, agent: Agent | None) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if agent is None or agent.type == "human":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.translucent("text.primary", FIGURE_FILL))  # seen on every surface
        painter.drawEllipse(rect)
        inset = rect.width() * 0.2
        theme.paint(painter, "user", "text.secondary", rect.adjusted(inset, inset, -inset, -inset))
    else:
        role = theme.agent_role(agent)
        painter.setBrush(theme.translucent(role, FILL))
        painter.setPen(QPen(theme.colour(role), 1))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        font = theme.font("caption")
        font.setPixelSize(round(rect.height() * 0.625))
        font.setWeight(font.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(theme.colour("text.primary"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, letter(agent))
    painter.restore()


def letter(agent: Agent) -> str:
    """Return the first letter or digit of an agent's name."""
    return next((character.upper() for character in agent.name if character.isalnum()), "·")


class AgentMark(QWidget):
    """An agent's mark as a widget; it says nothing to a screen reader, the name beside it does."""

    def __init__(self, parent: QWidget | None = None, *, size_px: int = SIZE_PX) -> None:
        super().__init__(parent)
        self._agent: Agent | None = None
        self.setFixedSize(QSize(size_px, size_px))

    def show_agent(self, agent: Agent | None) -> None:
        self._agent = agent
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_mark(painter, QRectF(self.rect()), self._agent)
        painter.end()
