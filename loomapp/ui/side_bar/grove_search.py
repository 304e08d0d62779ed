"""Search in the grove, in the side bar: a field, and the texts that were found with their words marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.model.agent import Agent
from loomapp.core.text.query import LONGEST_QUERY, SearchHit, marks, terms
from loomapp.ui import figures
from loomapp.ui.graph.scene.card_faces import author_tint
from loomapp.ui.graph.scene.card_text import font, wrapped
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.rows import Index
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.keyboard import KeyboardReturn, is_letter
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import show_rows_only
from loomapp.ui.widgets.spoken import name_clear_button

HIT_ROLE = Qt.ItemDataRole.UserRole
ROLE_ROLE = Qt.ItemDataRole.UserRole + 1  # the colour role of the author
LINE_PX, LINES = 16, 2  # of what is said; one more says where
ROW_PX = (LINES + 1) * LINE_PX + 8
LEFT_PX = 14
SLACK_PX = 8  # words that stand out are a little wider
ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
PAUSE_MS = 150  # after the last letter


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
            return f"{hit.excerpt}, {self.place(hit)}"
        if role == ROLE_ROLE:
            return author_tint(hit.author_type, hit.agent_id, self._agents)
        return hit if role == HIT_ROLE else None

    def place(self, hit: SearchHit) -> str:
        """Return the tree, if it is not called by these words, who wrote it, and when."""
        agent = self._agents.get(hit.agent_id or "")
        name = agent.name if agent is not None else tr("You") if hit.author_type == "human" else tr("Model")
        when = figures.moment(hit.at) if hit.at else ""
        return " · ".join(filter(None, ("" if hit.tree_title == hit.excerpt else hit.tree_title, name, when)))


class HitPainter(QStyledItemDelegate):
    """Painter of an author bar, the words, and under them the place."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, rows = QRect(option.rect), index.model()
        assert isinstance(rows, HitRows), "it draws what was found"
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        is_lit = option.state & QStyle.StateFlag.State_MouseOver
        ground = "surface.selected" if is_chosen else "surface.hover" if is_lit else ""
        has_focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        theme.paint_row(painter, QRectF(row), ground, has_ring=has_focus)
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


def _paint_marked(painter: QPainter, line: QRect, words: str, wanted: tuple[str, ...]) -> None:
    """Paint a line in which the wanted words stand out by weight and colour."""
    at = 0
    for begin, end in (*marks(words, wanted), (len(words), len(words))):
        line = _paint_run(painter, line, words[at:begin], font("small"), "text.primary")
        line = _paint_run(painter, line, words[begin:end], font("small_strong"), "accent.base")
        at = end


def _paint_run(painter: QPainter, line: QRect, words: str, type_: QFont, role: str) -> QRect:
    painter.setFont(type_)
    painter.setPen(theme.colour(role))
    painter.drawText(line, ONE_LINE, words)
    return line.adjusted(round(QFontMetricsF(type_).horizontalAdvance(words)), 0, 0, 0)


class SearchPanel(QWidget):
    """Panel of the grove search; it says what is wanted and shows what it is given."""

    wanted = Signal(str)  # the query, a moment after it was typed; empty: nothing any more
    hit_chosen = Signal(object)  # Hit
    left = Signal()  # Esc, and the place that had the keyboard before is gone

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = _Field(self)
        self.results = _Results(self)
        self._rows = HitRows(self)
        self._came_from = KeyboardReturn()
        self.results.setModel(self._rows)
        self._said: QLabel = label("", "small", "muted", wrap=True)
        self._said.setObjectName("searchSaid")
        self._said.setContentsMargins(10, 2, 10, 2)
        self._said.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.on_paused)
        self.field.textChanged.connect(lambda _: self._pause.start())
        self.field.returnPressed.connect(self.on_return)
        self.field.down_pressed.connect(self.on_down)
        self.results.chosen.connect(self.hit_chosen)
        for part in (self.field, self.results):
            part.left.connect(self.on_left)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addWidget(self._said)
        column.addWidget(self.results, 1)
        self.show_nothing()

    @property
    def said(self) -> str:
        """Sentence in the place of results, or above them; empty if there is none."""
        return "" if self._said.isHidden() else self._said.text()

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that every hit has, in small letters."""
        return self._rows.wanted

    def begin(self) -> None:
        """Put the caret into the field, its words selected."""
        self._came_from.note(self)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def show_nothing(self) -> None:
        self._show((), {}, tr("Words to find in every tree of this grove."))

    def show_busy(self) -> None:
        """Show that a search is under way; earlier results stay until then."""
        if not self._rows.hits:
            self._show((), {}, tr("Searching…"))

    def show_hits(
        self, query: str, hits: Sequence[SearchHit], agents: Mapping[str, Agent], *, has_more: bool
    ) -> None:
        """Show hits for a query, the newest first, and their number."""
        said = tr("{count} found") if hits else tr("Nothing in this grove says that.")
        if has_more:
            said = tr("Only the newest {count} are listed: type more words.")
        self._show(hits, agents, said.format(count=figures.number(len(hits))), terms(query))

    def show_fault(self, words: str) -> None:
        self._show((), {}, words)

    def on_paused(self) -> None:
        self.wanted.emit(self.field.text().strip())

    def on_return(self) -> None:
        """Search now; if that was done already, go to the newest result."""
        if self._pause.isActive() or not self._rows.hits:
            self._pause.stop()
            self.on_paused()
        else:
            self.on_down()
            self.hit_chosen.emit(self._rows.hits[0])

    def on_left(self) -> None:
        """Give the keyboard back to where it was."""
        if not self._came_from.give_back():
            self.left.emit()

    def on_down(self) -> None:
        if self._rows.hits:
            self.results.setCurrentIndex(self._rows.index(0))
            self.results.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(
        self, hits: Sequence[SearchHit], agents: Mapping[str, Agent], said: str, wanted: tuple[str, ...] = ()
    ) -> None:
        self._rows.show(hits, agents, wanted)
        self.results.setVisible(bool(hits))
        self._said.setText(said)
        self._said.setVisible(bool(said))
        self._column.setStretch(1, 0 if hits else 1)
        self._column.activate()  # at once: who clicks a moment later means what is seen then


def _is_meant_for_leaving(event: QEvent) -> bool:
    """True, and told, for Esc before an action takes it: who searches leaves that, and stops and deselects
    nothing.
    """
    is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
    if is_escape and event.type() == QEvent.Type.ShortcutOverride:
        event.accept()
        return True
    return False


class _Field(Line):
    down_pressed = Signal()
    left = Signal()

    def event(self, event: QEvent) -> bool:
        return _is_meant_for_leaving(event) or super().event(event)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("searchField")
        self.setAccessibleName(tr("Search in the grove"))
        self.setPlaceholderText(tr("Search in the grove"))
        self.setMaxLength(LONGEST_QUERY)
        self.setClearButtonEnabled(True)
        name_clear_button(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.down_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class _Results(QListView):
    chosen = Signal(object)  # Hit
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("searchResults")
        self.setAccessibleName(tr("Search results"))
        self.setItemDelegate(HitPainter(self))
        self.setUniformItemSizes(True)
        show_rows_only(self)
        self.clicked.connect(self.on_chosen)

    def event(self, event: QEvent) -> bool:
        return _is_meant_for_leaving(event) or super().event(event)

    def on_chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.data(HIT_ROLE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the result with Enter, leave with Esc; letters are words."""
        if is_letter(event):
            event.ignore()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.on_chosen(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
