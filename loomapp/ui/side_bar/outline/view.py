"""Outline as a map of the tree: rows fold and unfold, dots choose an alternative."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QTreeView, QWidget

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.outline.lines import OutlineRow
from loomapp.core.paths.path import NodeSequence
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.side_bar.outline.painter import OutlinePainter
from loomapp.ui.side_bar.outline.row_words import EARLIER, RowPlace, by_parent, shown_outcome
from loomapp.ui.side_bar.outline.rows import Index, OutlineModel
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import is_word_key
from loomapp.ui.widgets.layouts import show_rows_only

MOST_NEW = 50  # messages by other programs that stand out of their runs


class OutlineView(QTreeView):
    """Outline: arrows walk and fold, Enter reads, the menu key opens the node's menu."""

    node_chosen = Signal(str)  # node id: selected by walking
    node_wanted = Signal(str, int)  # node id: clicked, to be gone to; a place within it, 0 for all of it
    node_activated = Signal(str)  # node id: double-clicked, or Enter
    node_hovered = Signal(str)  # node id under the pointer, empty for none
    menu_asked = Signal(str, QPoint)  # node id, global position
    folds_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("outlineView")
        self.setAccessibleName(tr("Outline of the tree"))
        self.rows = OutlineModel(self)
        self._current: str | None = None
        self._soon = IdleTimer(self, is_heavy=self.rows.is_large)
        self._soon.timeout.connect(self._show_current)
        self._is_quiet = False  # rows come, go and are chosen by the program, not by a person
        self._revealed = ""  # a node for which all that hides it was unfolded
        self._is_fold_click = False  # the button that is down was pressed on a sign that folds
        self._held: RowPlace | None = None  # a row that keeps its place on the screen when others come
        self._hovered = ""
        self._going_to: RowPlace | None = None  # where it is to be looked at, once it stands
        self.setModel(self.rows)
        self.row_painter = OutlinePainter(self.rows, self)
        self.setItemDelegate(self.row_painter)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setItemsExpandable(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        show_rows_only(self)
        self.rows.ready.connect(self.on_ready)
        self.rows.rowsAboutToBeRemoved.connect(self.on_rows_moving)
        self.rows.rowsAboutToBeInserted.connect(self.on_rows_moving)
        self.selectionModel().currentChanged.connect(self.on_row_changed)
        self.verticalScrollBar().actionTriggered.connect(lambda _: self._stay())
        self.clicked.connect(self.on_clicked)
        self.doubleClicked.connect(self.on_activated)

    # Values to show

    def show_tree(
        self,
        tree: Tree,
        agents: Mapping[str, Agent],
        path: NodeSequence,
        current_id: str,
        opened: Iterable[str] = (),
    ) -> None:
        """Show another tree, which stays the caller's, and its active path; rows that were open are so."""
        self.rows.agents = agents
        self._current = current_id
        self._stay()
        with self._quietly():
            self.rows.show_tree(tree, path, current_id, opened)

    def patch(self, change: Change, agents: Mapping[str, Agent], path: NodeSequence, current_id: str) -> None:
        """Follow a change of the tree; the place that is looked at stays, and comes into view once, later."""
        if agents != self.rows.agents:
            self.rows.agents = agents
        self._current, self._revealed = current_id, ""
        with self._quietly():
            self.rows.follow(change, path, current_id)
        self._soon.start()

    def set_current(self, node_id: str, path: NodeSequence) -> None:
        """Select the row of the node that is selected elsewhere."""
        if node_id == self._current and path is self.rows.on_path:
            return
        self._current, self._revealed = node_id, ""
        self._stay()
        with self._quietly():
            self.rows.go_to(path, node_id)
        self._show_current()

    @property
    def opened(self) -> tuple[str, ...]:
        return self.rows.opened

    @property
    def place(self) -> RowPlace | None:
        """Place that is looked at: the first row in view, or soon to be, that is one of the tree's."""
        if self._going_to is not None:
            return self._going_to
        for index in self._in_view():
            row = self.rows.row(index)
            if row is not None and row.kind != "more":
                return RowPlace(row.key, self.visualRect(index).top())
        return None

    def go_to_place(self, place: RowPlace | None) -> None:
        """Look there when the outline stands and is seen; not if somebody goes elsewhere meanwhile."""
        self._going_to = place
        self._go()

    def _stay(self) -> None:
        self._going_to = None

    def _go(self) -> None:
        if self._going_to is None or self.rows.outline is None or not self.isVisible():
            return
        place, self._going_to = self._going_to, None
        self._put_at(place)

    def _put_at(self, place: RowPlace) -> None:
        index = self.rows.near(place.key)
        if index.isValid():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(index).top() - place.y)

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """Show what becomes of nodes in the coming context."""
        before, self.rows.fates = self.rows.fates, fates
        self._repaint(lambda node_id: shown_outcome(before, node_id) != shown_outcome(fates, node_id))

    def set_drafts(self, drafts: Iterable[LiveDraft]) -> None:
        """Show below which messages answers are on their way, or failed."""
        before, self.rows.drafts = self.rows.drafts, by_parent(drafts)
        if before.keys() != self.rows.drafts.keys():
            self._find_anew()
        self.viewport().update()

    def set_written(self, written: Mapping[str, str]) -> None:
        """Mark what other programs wrote and nobody looked at: who wrote which node."""
        if written != self.rows.written:
            self.rows.mark_written(written, MOST_NEW)
            self._find_anew()

    def set_show_pruned(self, shown: bool) -> None:
        if shown != self.rows.show_pruned:
            self.rows.show_pruned = shown
            self._find_anew()

    def set_defaults(self, defaults: AppContextSettings) -> None:
        """Fold what summaries stand for where trees use them unless they say otherwise."""
        self.rows.defaults = defaults
        self._find_anew()

    def unfold_all(self) -> None:
        self._fold_by(self.rows.unfold_all)

    def fold_all(self) -> None:
        self._fold_by(self.rows.fold_all)

    def list_only(self, wanted: str) -> None:
        """List all rows, or only some."""
        self.rows.listed = wanted
        self._find_anew()

    def _find_anew(self) -> None:
        with self._quietly():
            self.rows.show_again()

    def go_to_current(self) -> None:
        """Scroll back to the current row, and unfold what hides it."""
        self._stay()
        self._show_current()
        self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)

    # What happened

    def on_ready(self) -> None:
        """Show the rows: all that a change or another path makes of them is painted here, once."""
        self.viewport().update()
        if self._held is not None:
            self._put_at(self._held)
            self._held = None
        self._show_current()
        self._go()

    def on_rows_moving(self) -> None:
        """Note where the current row stands, or the first in view: it stays there on the screen."""
        if self._held is None and self.isVisible():
            row, rect = self.rows.row(self.currentIndex()), self.visualRect(self.currentIndex())
            is_seen = row is not None and rect.intersects(self.viewport().rect())
            self._held = RowPlace(row.key, rect.top()) if is_seen and row is not None else self.place

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current row in view where the list becomes lower."""
        super().resizeEvent(event)
        row = self.visualRect(self.currentIndex())
        if 0 <= row.top() < event.oldSize().height() and row.bottom() > self.viewport().height():
            self.scrollTo(self.currentIndex())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._go)

    def on_row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        """Select the node of the row that the keyboard walked to; at the end show more."""
        row = self.rows.row(index)
        if row is None or self._is_quiet or self.rows.is_moving:
            return
        if row.kind == "more":
            QTimer.singleShot(0, self, lambda: self._go_on(row.key))
        elif row.is_node and row.node_id != self._current:
            self._current = row.node_id
            self._stay()
            self.node_chosen.emit(row.node_id)

    def on_clicked(self, index: QModelIndex) -> None:
        """Go to what was clicked; a folded run, and what stands above the list, unfolds."""
        row = self.rows.row(index)
        if row is None or self._is_fold_click:
            return
        if row.kind in ("run", "above"):
            self._toggle(row)
        elif row.kind != "more":
            self.node_wanted.emit(row.node_id, row.at)

    def on_activated(self, index: QModelIndex) -> None:
        row = self.rows.row(index)
        if row is not None and row.is_node and not self._is_fold_click:
            self.node_activated.emit(row.node_id)
        elif row is not None and row.at:
            self.on_clicked(index)
        elif row is not None and row.kind in ("run", "above", "heading"):
            self._toggle(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on an arrow or a count folds, on a dot chooses that alternative; elsewhere it selects."""
        index = self.indexAt(event.position().toPoint())
        row = self.rows.row(index)
        self._is_fold_click = False
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            parts = self.row_painter.parts(self.visualRect(index), row)
            at = event.position().toPoint()
            if row.fold and (parts.arrow.contains(at) or parts.count.contains(at)):
                self._is_fold_click = True
                self._toggle(row, deep=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                return
            if (dot := parts.dot_at(at)) is not None:
                self._is_fold_click = True
                self.node_wanted.emit(dot, 0)
                return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._is_fold_click:
            super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)
        if not self._is_fold_click:
            super().mouseDoubleClickEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which node is under the pointer."""
        super().mouseMoveEvent(event)
        self._hover(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._tell_hovered("")

    def _hover(self, at: QPoint) -> None:
        index = self.indexAt(at)
        row = self.rows.row(index)
        dot = None if row is None else self.row_painter.parts(self.visualRect(index), row).dot_at(at)
        self._tell_hovered(dot or (row.node_id if row is not None and row.is_node else ""))

    def _tell_hovered(self, node_id: str) -> None:
        before, self._hovered = self._hovered, node_id
        if node_id != before:
            self.node_hovered.emit(node_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Read with Enter, fold or leave with left, unfold or enter with right; letters are words."""
        if is_word_key(event):
            event.ignore()
            return
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        row = self.rows.row(self.currentIndex())
        if plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.on_activated(self.currentIndex())
        elif plain and event.key() == Qt.Key.Key_Left and row is not None:
            self._fold_or_leave(row)
        elif plain and event.key() == Qt.Key.Key_Right and row is not None:
            self._unfold_or_enter(row)
        else:
            super().keyPressEvent(event)

    def _fold_or_leave(self, row: OutlineRow) -> None:
        if row.fold == "open":
            self._toggle(row)
        elif row.rails:
            self.setCurrentIndex(self.rows.fork_of(row))

    def _unfold_or_enter(self, row: OutlineRow) -> None:
        if row.fold == "folded" or row.kind == "above":
            self._toggle(row)
        elif (below := self.indexBelow(self.currentIndex())).isValid():
            self.setCurrentIndex(below)

    def _toggle(self, row: OutlineRow, *, deep: bool = False) -> None:
        is_all = deep and row.is_node and row.fold == "folded"
        self._fold_by(lambda: self.rows.unfold_all(row.node_id) if is_all else self.rows.toggle(row))

    def _fold_by(self, act: Callable[[], None]) -> None:
        with self._quietly():
            act()
        self.folds_changed.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of the row under the pointer, or with the key that of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        row = self.rows.row(index)
        if row is not None and row.is_node:
            at = self.viewport().mapToGlobal(self.visualRect(index).center()) if by_key else event.globalPos()
            self.menu_asked.emit(row.node_id, at)

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        if self.selectionModel().isSelected(index):
            self.row_painter.paint_selected(painter, QRectF(options.rect))
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
        row = self.rows.row(self.currentIndex())
        if row is None or row.key != key:
            return
        with self._quietly():
            index = self.rows.extend(key)
        self._held = None
        self.setCurrentIndex(index)
        hint = QAbstractItemView.ScrollHint
        self.scrollTo(index, hint.PositionAtBottom if key == EARLIER else hint.PositionAtTop)

    def _show_current(self) -> None:
        if self._current is None or self.rows.outline is None or self.rows.is_growing:
            return
        with self._quietly():
            index = self.rows.reach(self._current)
            is_hidden = not index.isValid() and self._revealed != self._current
            if is_hidden and self.rows.can_reveal(self._current):
                self._revealed = self._current
                self.rows.reveal()
                index = self.rows.reach(self._current)
            if index.isValid() and index != self.currentIndex():
                self.setCurrentIndex(index)
                self.scrollTo(index)

    def _repaint(self, differs: Callable[[str], bool]) -> None:
        """Repaint those rows in view that look different now: mostly they are few."""
        if not self.isVisible():
            return  # all are painted as they are by then
        for index in self._in_view():
            row = self.rows.row(index)
            if row is not None and differs(row.node_id):
                self.update(index)

    def _in_view(self) -> Iterator[QModelIndex]:
        """Return the rows that can be seen, from the top down."""
        height = self.viewport().height()
        index = self.indexAt(QPoint(0, 0))
        while index.isValid() and self.visualRect(index).top() < height:
            yield index
            index = self.indexBelow(index)
