"""The search of the grove in the side bar: a field, what was found, or a word about why nothing is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QListView, QVBoxLayout, QWidget

from loomapp.core.model.agent import Agent
from loomapp.core.text.query import LONGEST_QUERY, SearchHit, terms
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.side_bar.grove_search.rows import HIT_ROLE, HitPainter, HitRows
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.keyboard import KeyboardReturn, is_letter
from loomapp.ui.widgets.labels import label

PAUSE_MS = 150  # after the last letter


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
            said = tr("The newest {count}; more words find less.")
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


class _Field(Line):
    down_pressed = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("searchField")
        self.setAccessibleName(tr("Search in the grove"))
        self.setPlaceholderText(tr("Search in the grove"))
        self.setMaxLength(LONGEST_QUERY)
        self.setClearButtonEnabled(True)

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
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.set_look(self, bare=True)
        self.clicked.connect(self.on_chosen)

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
