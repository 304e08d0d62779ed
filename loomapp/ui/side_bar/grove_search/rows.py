"""Rows of the search: what a node says around the words, and below it where that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractListModel, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from loomapp.core.model.agent import Agent
from loomapp.core.text.query import SearchHit, marks
from loomapp.ui import figures
from loomapp.ui.graph.scene.card_faces import author_tint
from loomapp.ui.graph.scene.card_text import font, wrapped
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.rows import Index
from loomapp.ui.strings import tr

HIT_ROLE = Qt.ItemDataRole.UserRole
ROLE_ROLE = Qt.ItemDataRole.UserRole + 1  # the colour role of the author
LINE_PX, LINES = 16, 2  # of what is said; one more says where
ROW_PX = (LINES + 1) * LINE_PX + 8
LEFT_PX = 14
SLACK_PX = 8  # words that stand out are a little wider
ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class HitRows(QAbstractListModel):
    """Hits of a search, in the order in which they come."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.hits: tuple[SearchHit, ...] = ()
        self.wanted: tuple[str, ...] = ()
        self._agents: Mapping[str, Agent] = {}

    def show(
        self, hits: Sequence[SearchHit], agents: Mapping[str, Agent], wanted: tuple[str, ...] = ()
    ) -> None:
        self.beginResetModel()
        self.hits, self._agents, self.wanted = tuple(hits), agents, wanted
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the words to see, a whole sentence to hear."""
        hit = self.hits[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return hit.excerpt
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr("{words}, in {place}").format(words=hit.excerpt, place=self.place(hit))
        if role == ROLE_ROLE:
            return author_tint(hit.author_type, hit.agent_id, self._agents)
        return hit if role == HIT_ROLE else None

    def place(self, hit: SearchHit) -> str:
        """Return the tree, who wrote it, and when."""
        agent = self._agents.get(hit.agent_id or "")
        name = agent.name if agent is not None else tr("You") if hit.author_type == "human" else tr("Model")
        when = figures.moment(hit.at) if hit.at else ""
        return " · ".join(filter(None, (hit.tree_title, name, when)))


class HitPainter(QStyledItemDelegate):
    """Painter of an author bar, the words, and under them the place."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, rows = QRect(option.rect), index.model()
        assert isinstance(rows, HitRows), "it draws what was found"
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, QRectF(row), option.state)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(str(index.data(ROLE_ROLE))))
        painter.drawRoundedRect(QRectF(row.left() + 6, row.top() + 6, 3, ROW_PX - 12), 1.5, 1.5)
        left, width, top = row.left() + LEFT_PX, row.width() - LEFT_PX - 6, row.top() + 4
        for words in wrapped(str(index.data()), width - SLACK_PX, LINES, "small"):
            _paint_marked(painter, QRect(left, top, width, LINE_PX), words, rows.wanted)
            top += LINE_PX
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text.muted"))
        place = QFontMetrics(painter.font()).elidedText(
            self._place(index), Qt.TextElideMode.ElideRight, width
        )
        painter.drawText(QRect(left, row.bottom() - LINE_PX - 3, width, LINE_PX), ONE_LINE, place)
        painter.restore()

    def _place(self, index: Index) -> str:
        rows = index.model()
        assert isinstance(rows, HitRows), "it draws what was found"
        return rows.place(rows.hits[index.row()])

    def _paint_ground(self, painter: QPainter, row: QRectF, state: QStyle.StateFlag) -> None:
        radius = theme.metric("radius.control")
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface.selected" if chosen else "surface.hover"))
            painter.drawRoundedRect(row, radius, radius)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent.focus"), theme.metric("control.focus_width")))
            painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), radius, radius)


def _paint_marked(painter: QPainter, line: QRect, words: str, wanted: tuple[str, ...]) -> None:
    """Paint a line in which the wanted words stand out by weight and colour."""
    at = 0
    for begin, end in (*marks(words, wanted), (len(words), len(words))):
        line = _paint_run(painter, line, words[at:begin], font("small"), "text.primary")
        line = _paint_run(painter, line, words[begin:end], font("small_strong"), "accent.base")
        at = end


def _paint_run(painter: QPainter, line: QRect, words: str, type_: QFont, role: str) -> QRect:
    """Paint words at the left of a line; return what is left of it."""
    painter.setFont(type_)
    painter.setPen(theme.colour(role))
    painter.drawText(line, ONE_LINE, words)
    return line.adjusted(round(QFontMetricsF(type_).horizontalAdvance(words)), 0, 0, 0)
