"""Outline as a tree: rows open and close, the open ones are remembered, and the current node is shown."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QStyleOptionViewItem, QTreeView, QWidget

from loomapp.core.context.outcomes import is_in_part
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.painter import OutlinePainter
from loomapp.ui.side_bar.outline.rows import EARLIER, Index, OutlineModel
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import is_word_key

INDENT_PX = 14
FOLDING = ("+", "-", "*")  # signs that open and close rows
MOST_OPEN = 500  # the last that were opened; each is found again by its own
SLICE_MS = 6.0  # of opening, at each turn of the event loop


class RowPlace(NamedTuple):
    """A row of the outline, by the key of the model, and where its top is in the view, in px."""

    key: str
    y: int


class OutlineView(QTreeView):
    """Outline: arrows walk and fold, Enter reads, the menu key opens the node's menu."""

    node_chosen = Signal(str)  # node id: selected, by pointer or by walking
    node_activated = Signal(str)  # node id: double-clicked, or Enter
    menu_asked = Signal(str, QPoint)  # node id, global position

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("outlineView")
        self.setAccessibleName(tr("Outline of the tree"))
        self.rows = OutlineModel(self)
        self._current: str | None = None
        self._painted_path: Container[str] = ()  # by which the rows look as they do
        self._soon = IdleTimer(self, is_heavy=self.rows.is_large)
        self._soon.timeout.connect(self._show_path)
        self._is_quiet = False  # rows come, go and are chosen by the program, not by a person
        self.setModel(self.rows)
        self.open_rows = OpenRows(self, self.rows)
        self.open_rows.opened_again.connect(self.on_opened_again)
        self._going_to: RowPlace | None = None  # where it is to be looked at, once it stands
        self._row_painter = OutlinePainter(self.rows, self)
        self.setItemDelegate(self._row_painter)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(INDENT_PX)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        theme.set_look(self, bare=True)  # the ring stands on the row, not around the list
        self.rows.ready.connect(self.on_ready)
        self.selectionModel().currentChanged.connect(self.on_row_changed)
        self.verticalScrollBar().actionTriggered.connect(self.on_scrolled)
        self.clicked.connect(self.on_clicked)
        self.doubleClicked.connect(self.on_activated)

    # Values to show

    def show_tree(self, tree: Tree, agents: Mapping[str, Agent], path: NodeSequence) -> None:
        """Show another tree, which stays the caller's, and its active path."""
        self.rows.agents = agents
        self._current = None
        self.rows.on_path = self._painted_path = path
        self._stay()
        self.rows.show_tree(tree)

    def patch(self, change: Change, agents: Mapping[str, Agent], path: NodeSequence, current_id: str) -> None:
        """The tree has just been moved by a change; rows come and go, the place that is looked at stays. It
        is brought into view once, and not while others show the change: to look where a row stands Qt counts
        all that are open.
        """
        if agents != self.rows.agents:
            self.rows.agents = agents
            self.viewport().update()
        if any(True for _ in change.changed(BranchSummary)):
            self.viewport().update()  # titles of branches
        self._current, self.rows.on_path = current_id, path
        with self._quietly():
            self._show_anew() if self.rows.is_nearly_another(change) else self.rows.follow(change)
        self._soon.start()

    def set_current(self, node_id: str) -> None:
        """Select the row of the node that is selected elsewhere."""
        if node_id != self._current:
            self._current = node_id
            self._stay()
            self._show_current()

    @property
    def place(self) -> RowPlace | None:
        """Place that is looked at: the first row in view, or soon to be, that is one of the tree's."""
        if self._going_to is not None:
            return self._going_to
        for index in self._in_view():
            key = self.rows.key(index)
            if key is not None and not key.startswith("\0"):
                return RowPlace(key, self.visualRect(index).top())
        return None

    def go_to_place(self, place: RowPlace | None) -> None:
        """Look there when the outline stands, its rows are open again and it is seen; not if somebody goes
        elsewhere meanwhile.
        """
        self._going_to = place
        self._go()

    def _stay(self) -> None:
        self._going_to = None

    def _go(self) -> None:
        if self._going_to is None or self.rows.outline is None:
            return
        if self.open_rows.is_opening or not self.isVisible():
            return
        place, self._going_to = self._going_to, None
        index = self.rows.near(place.key)
        if index.isValid():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(index).top() - place.y)

    def _show_path(self) -> None:
        path = self.rows.on_path
        before, self._painted_path = self._painted_path, path
        shown = self.rows.standing_at  # of versions another may be: see `Outline.standing_at`
        self._repaint(lambda key: (key in before) != (key in path) or shown(key, before) != shown(key, path))
        self._show_current()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """Show what becomes of nodes in the coming context."""
        before, self.rows.fates = self.rows.fates, fates
        self._repaint(lambda key: _fate(before, key) != _fate(fates, key))

    def set_written(self, written: Mapping[str, str]) -> None:
        """Mark what other programs wrote and nobody looked at: who wrote which node."""
        if written != self.rows.written:
            self.rows.written = dict(written)
            self.viewport().update()

    def set_show_pruned(self, shown: bool) -> None:
        if shown != self.rows.show_pruned:
            self.rows.show_pruned = shown
            self._show_anew()

    def _show_anew(self) -> None:
        """Find all rows again, a few at each turn, and open those that are open."""
        opened = self.open_rows.keys
        self.rows.show_again()
        self.open_rows.open_again(opened)

    # What happened

    def on_ready(self) -> None:
        self._show_current()
        self._go()

    def on_scrolled(self, _action: int) -> None:
        self._stay()

    def on_opened_again(self) -> None:
        """Scroll to the remembered place, for the rows are open as they were."""
        self._go()

    def showEvent(self, event: QShowEvent) -> None:
        """Scroll to the current row once the view has its size."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self._go)

    def on_row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        """Select the node of the row that the keyboard walked to; at the end show more."""
        key = self.rows.shown_key(index)
        if key is None or self._is_quiet:
            return
        if key.startswith("\0"):
            QTimer.singleShot(0, self, lambda: self._go_on(key))
        elif key != self._current:
            self._current = key
            self._stay()
            self.node_chosen.emit(key)

    def on_clicked(self, index: QModelIndex) -> None:
        """A click on what is current already selects it too: the graph may look elsewhere."""
        key = self.rows.shown_key(index)
        if key is not None and not key.startswith("\0"):
            self.node_chosen.emit(key)

    def on_activated(self, index: QModelIndex) -> None:
        key = self.rows.shown_key(index)
        if key is not None and not key.startswith("\0"):
            self.node_activated.emit(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter reads; the rest is walking and folding. Letters are no search here: looking at every row
        would take long, and Ctrl+P finds better. They are words.
        """
        if is_word_key(event) and event.text() not in FOLDING:
            event.ignore()
            return
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.on_activated(self.currentIndex())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of the row under the pointer, or with the key that of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        key = self.rows.shown_key(index)
        if key is not None and not key.startswith("\0"):
            at = self.viewport().mapToGlobal(self.visualRect(index).center()) if by_key else event.globalPos()
            self.menu_asked.emit(key, at)

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        """Paint one ground for the whole row: Qt would draw the part with the chevron apart from the rest."""
        if self.selectionModel().isSelected(index):
            self._row_painter.paint_selected(painter, QRectF(options.rect))
        super().drawRow(painter, options, index)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        before, self._is_quiet = self._is_quiet, True
        try:
            yield
        finally:
            self._is_quiet = before

    def _go_on(self, key: str) -> None:
        """Show what an `earlier` or `more` row stands for, and go there."""
        if self.rows.key(self.currentIndex()) != key:
            return
        with self._quietly():
            index = self.rows.extend(key)
        self.setCurrentIndex(index)
        hint = QAbstractItemView.ScrollHint
        self.scrollTo(index, hint.PositionAtBottom if key.startswith(EARLIER) else hint.PositionAtTop)

    def _show_current(self) -> None:
        if self._current is None or self.rows.outline is None:
            return
        with self._quietly():
            index = self.rows.reach(self._current)
            if index.isValid() and index != self.currentIndex():
                self.setCurrentIndex(index)
                self.scrollTo(index)

    def _repaint(self, differs: Callable[[str], bool]) -> None:
        """Repaint those rows in view that look different now: mostly they are few."""
        if not self.isVisible():
            return  # all are painted as they are by then
        for index in self._in_view():
            key = self.rows.key(index)
            if key is not None and differs(key):
                self.update(index)

    def _in_view(self) -> Iterator[QModelIndex]:
        """Return the rows that can be seen, from the top down."""
        height = self.viewport().height()
        index = self.indexAt(QPoint(0, 0))
        while index.isValid() and self.visualRect(index).top() < height:
            yield index
            index = self.indexBelow(index)


def _fate(fates: Mapping[str, str], key: str) -> tuple[str | None, bool]:
    """Return all that a row shows of what becomes of its node."""
    return fates.get(key), is_in_part(fates, key)


class OpenRows(QObject):
    """Knows which rows of a view are open. Qt forgets that when another tree is shown."""

    changed = Signal()
    opened_again = Signal()  # all that were to be

    def __init__(self, view: QTreeView, rows: OutlineModel) -> None:
        super().__init__(view)
        self._view, self._rows = view, rows
        self._opened: dict[str, None] = {}  # keys, the one that was opened last comes last
        self._coming: deque[str] = deque()  # to be opened once the outline stands
        self._unfetched: deque[str] = deque()  # of these, whose branches are to be looked at before that
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_next)
        view.expanded.connect(self.on_expanded)
        view.collapsed.connect(self.on_collapsed)
        rows.modelAboutToBeReset.connect(self.on_tree_goes)
        rows.ready.connect(self.on_ready)

    @property
    def keys(self) -> tuple[str, ...]:
        """The rows that are open, and those that are still to be; above them others may be closed."""
        shown = ((key, self._rows.index_of_shown(key)) for key in self._opened)
        opened = [key for key, index in shown if index.isValid() and self._view.isExpanded(index)]
        return (*self._coming, *opened)[-MOST_OPEN:]

    @property
    def is_opening(self) -> bool:
        return bool(self._coming)

    def open_again(self, keys: Iterable[str]) -> None:
        """Open these when the outline stands; those that are not there any more are passed over."""
        self._coming = deque(keys)
        self.on_ready()

    # What happened

    def on_tree_goes(self) -> None:
        """Forget the rows of the tree that goes."""
        self._opened.clear()
        self._coming.clear()
        self._unfetched.clear()
        self._next.stop()

    def on_ready(self) -> None:
        if self._coming and self._rows.outline is not None:
            self._unfetched = deque(self._coming)
            self._next.start()

    def on_next(self) -> None:
        """A few more. First all get their branches: of each row that is open by then Qt would look where it
        goes, which makes it fifty times as long.
        """
        end = time.perf_counter() + SLICE_MS / 1e3
        while self._coming:
            if self._unfetched:
                self._fetch(self._unfetched.popleft())
            else:
                self._open(self._coming.popleft())
            if time.perf_counter() > end:
                break
        if self._coming:
            self._next.start()
        else:
            if self._view.currentIndex().isValid():
                self._view.scrollTo(self._view.currentIndex())  # it stays in view
            self.opened_again.emit()

    def _fetch(self, key: str) -> None:
        index = self._rows.near(key)
        if self._rows.canFetchMore(index):
            self._rows.fetchMore(index)

    def _open(self, key: str) -> None:
        index = self._rows.near(key)
        if index.isValid():
            self._view.expand(index)

    def on_expanded(self, index: QModelIndex) -> None:
        key = self._rows.key(index)
        if key is not None:
            self._opened.pop(key, None)
            self._opened[key] = None
            self.changed.emit()

    def on_collapsed(self, index: QModelIndex) -> None:
        self._opened.pop(self._rows.key(index) or "", None)
        self.changed.emit()
