"""The list of a tree's steps: click or Enter asks to go there or to read its text, F2 to name the point."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QWidget

from loomapp.core.edits.undo import BEGINNING
from loomapp.core.times import Milliseconds
from loomapp.ui.inspector.history.painter import ROW_PX, HistoryPainter
from loomapp.ui.inspector.history.table import HistoryTable, PageReader
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import is_for_writing


class HistoryList(QListView):
    """Steps of the history, newest first; only those in view are read and drawn."""

    go_asked = Signal(int)  # sequence number of a step, or BEGINNING
    naming_asked = Signal(int)  # likewise
    text_asked = Signal(int)  # sequence number of a step: what it wrote is to be read
    bring_back_asked = Signal(int)  # likewise: what it wrote is to come back

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("historyList")
        self.setAccessibleName(tr("History of this tree, newest first"))
        self.can_name = True
        self.table = HistoryTable(self)
        self._painter = HistoryPainter(self, self.table)
        self._pressed_at = QModelIndex()
        self.setModel(self.table)
        self.setItemDelegate(self._painter)
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self.on_menu_asked)
        self.setViewportMargins(0, 4, 0, 4)
        theme.set_look(self, bare=True)  # the ring stands on the row, not around the list

    def show_steps(self, read: PageReader, began_at: Milliseconds) -> None:
        """Show the steps anew; the cursor stays on its step, and what was scrolled to stays in view.

        Raises: GroveError if they cannot be read.
        """
        bar, index = self.verticalScrollBar(), self.currentIndex()
        cursor = self.table.step(index).sequence if index.isValid() else None
        scrolled = bar.value()
        top = self.indexAt(QPoint(0, 0))
        top_step = self.table.step(top).sequence if scrolled and top.isValid() else None
        self.table.show(read, began_at)
        self.doItemsLayout()
        if cursor is not None and (row := self.table.number_of(cursor)) is not None:
            self.setCurrentIndex(self.table.index(row))
        if top_step is not None and (row := self.table.number_of(top_step)) is not None:
            bar.setValue(row * ROW_PX + scrolled % ROW_PX)

    def row_rect(self, sequence: int) -> QRect:
        """Return the rectangle of a step's row in the viewport; empty if it was not read yet."""
        row = self.table.number_of(sequence)
        return QRect() if row is None else self.visualRect(self.table.index(row))

    # Mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        can_go = index.isValid() and (self._can_go(index) or self._is_abandoned(index))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if can_go else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the ring away: it is for the keyboard."""
        self._show_ring(False)
        self._pressed_at = self.indexAt(event.position().toPoint())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click, pressed and let go on one row, asks to go there, or to read what cannot be redone."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid() and index == self._pressed_at:
            self._go(index)

    def on_menu_asked(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if not index.isValid():
            return
        menu = self.menu_of(index)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.viewport().mapToGlobal(at))

    def menu_of(self, index: QModelIndex) -> QMenu:
        sequence = self.table.step(index).sequence
        menu = QMenu(self)
        menu.setObjectName("historyMenu")
        go = menu.addAction(tr("Go to this point"), lambda: self.go_asked.emit(sequence))
        go.setEnabled(self._can_go(index))
        key = QKeySequence(Qt.Key.Key_F2)
        name = menu.addAction(tr("Name this point…"), key, lambda: self.naming_asked.emit(sequence))
        name.setEnabled(self.can_name)
        text = menu.addAction(tr("Show its text"), lambda: self.text_asked.emit(sequence))
        text.setEnabled(sequence != BEGINNING)
        bring = menu.addAction(tr("Bring back"), lambda: self.bring_back_asked.emit(sequence))
        bring.setEnabled(self.can_name and self._is_abandoned(index))
        return menu

    # Keys

    def event(self, event: QEvent) -> bool:
        """Name a point with F2 here, whatever it does elsewhere in the window."""
        if event.type() == QEvent.Type.ShortcutOverride and _is_naming_key(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes to the step or shows its text, F2 names it. A letter searches for who came by keys;
        after a click it is a word.
        """
        if is_for_writing(event, is_ringed=self._painter.ring):
            event.ignore()
            return
        self._show_ring(True)
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid() and not event.modifiers():
            self._go(index)
        elif _is_naming_key(event) and index.isValid() and self.can_name:
            self.naming_asked.emit(self.table.step(index).sequence)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring to who comes by key, from the present point on."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            if not self.currentIndex().isValid() and self.table.steps:
                self.setCurrentIndex(self.table.index(self.table.number_of(self.table.present) or 0))
            self._show_ring(True)

    def _can_go(self, index: QModelIndex) -> bool:
        step = self.table.step(index)
        return step.state != "abandoned" and step.sequence != self.table.present

    def _is_abandoned(self, index: QModelIndex) -> bool:
        return self.table.step(index).state == "abandoned"

    def _go(self, index: QModelIndex) -> None:
        if self._is_abandoned(index):
            self.text_asked.emit(self.table.step(index).sequence)
        elif self._can_go(index):
            self.go_asked.emit(self.table.step(index).sequence)

    def _show_ring(self, shown: bool) -> None:
        if self._painter.ring != shown:
            self._painter.ring = shown
            self.viewport().update()


def _is_naming_key(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_F2 and not event.modifiers()
