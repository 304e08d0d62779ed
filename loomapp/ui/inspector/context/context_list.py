"""The list of what would be sent: click or Enter goes to a node, X leaves it out or takes it in again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QWidget

from loomapp.session.background.background_work import IdleWork
from loomapp.ui.inspector.context.row_painter import LOW_WIDE_PX, OFF, WIDE_PX, RowPainter
from loomapp.ui.inspector.context.rows import ContextRow, ContextRows
from loomapp.ui.inspector.context.table import ContextTable
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.fields import FindBar
from loomapp.ui.widgets.keyboard import is_for_writing
from loomapp.ui.widgets.labels import PlainView
from loomapp.ui.widgets.layouts import show_rows_only
from loomapp.ui.widgets.page import Menu
from loomapp.ui.widgets.words.context_words import said_remedy_words

UNIFORM_FROM = 400  # rows: from here on all have one height, so that none needs to be measured


class ContextList(QListView):
    """Rows of a context; only those in view are made and drawn."""

    node_clicked = Signal(str)  # node id
    remedy_asked = Signal(str, str)  # node id, and why it is left out: a Reason, or "" if it is sent
    switch_asked = Signal(str, bool)  # node id, and whether it is to be sent; while something is tried
    copy_message_asked = Signal(int)  # number of a row
    shortened_asked = Signal(str, QRect)  # node id, and where on the screen the chip of its row is

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspectorRows")
        self.setAccessibleName(tr("What will be sent"))
        self._table = ContextTable(self)
        self._painter = RowPainter(self)
        self.setModel(self._table)
        self.setItemDelegate(self._painter)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self.on_menu_asked)
        self.setViewportMargins(0, 6, 0, 6)
        show_rows_only(self)
        self._is_at_end = True
        self.verticalScrollBar().valueChanged.connect(self.on_scrolled)
        self.verticalScrollBar().rangeChanged.connect(self.on_range_changed)

    def show_rows(self, rows: ContextRows | None, *, is_other_tree: bool = False) -> None:
        """Show a context; where the reader was, and the cursor, stay. Who was at the end stays there: what
        is being typed comes last. Of another tree it is the end that is shown first."""
        at, at_end = self.verticalScrollBar().value(), self._is_at_end or is_other_tree
        cursor = self._node_at(self.currentIndex())
        self._painter.system_count = rows.system_count if rows else 0
        self._painter.uniform = rows is not None and len(rows) >= UNIFORM_FROM
        self.setUniformItemSizes(self._painter.uniform)
        as_many = self._table.show(rows)
        number = rows.number_of(cursor) if rows and cursor else None
        if number is not None and number != self.currentIndex().row():
            self.setCurrentIndex(self._table.index(number))
        if as_many and self._painter.uniform and not is_other_tree:
            self.viewport().update()  # all heights are known, and measuring would ask for every row
        else:
            self.doItemsLayout()
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum() if at_end else at)
            self._is_at_end = at_end

    def on_scrolled(self, value: int) -> None:
        self._is_at_end = value == self.verticalScrollBar().maximum()

    def on_range_changed(self, _least: int, most: int) -> None:
        """Stay at the end where the list becomes lower, or rows get their heights."""
        if self._is_at_end:
            self.verticalScrollBar().setValue(most)

    def set_low(self, is_low: bool) -> None:
        """Let a row take one line from a smaller width on, in a low list."""
        self._painter.wide_from = LOW_WIDE_PX if is_low else WIDE_PX
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def set_trying(self, is_trying: bool) -> None:
        """Let each node be switched off and on, while something is tried."""
        if self._painter.has_switches != is_trying:
            self._painter.has_switches = is_trying
            self.scheduleDelayedItemsLayout()
            self.viewport().update()

    def set_remedies(self, shown: bool) -> None:
        """Show remedies or none: a context of the past cannot be changed."""
        self._painter.has_remedies = shown

    def show_sought(self, sought: re.Pattern[str] | None) -> None:
        self._painter.sought = sought
        self.viewport().update()

    def go_to(self, number: int) -> None:
        """Bring a row into view and the cursor to it."""
        index = self._table.index(number)
        self.setCurrentIndex(index)
        self.scrollTo(index)
        self._show_ring(True)

    def show_node(self, node_id: str) -> None:
        """Bring the row of a node into view and the cursor to it, if it has one."""
        index = self._index_of(node_id)
        if index.isValid():
            self.go_to(index.row())

    @property
    def shown(self) -> ContextRows | None:
        return self._table.rows

    def row_rect(self, node_id: str) -> QRect:
        """Return the rectangle of a node's row in the viewport; empty if it has none."""
        index = self._index_of(node_id)
        return self.visualRect(index) if index.isValid() else QRect()

    def remedy_rect(self, node_id: str) -> QRect:
        """Return the rectangle in which the remedy of a node can be clicked; empty if it has none."""
        index = self._index_of(node_id)
        if not index.isValid():
            return QRect()
        return self._painter.remedy_rect(self._table.row(index), self.visualRect(index))

    def chip_rect(self, node_id: str) -> QRect:
        """Return the rectangle of the chip that says that a node is shortened; empty if it has none."""
        index = self._index_of(node_id)
        if not index.isValid():
            return QRect()
        return self._painter.chip_rect(self._table.row(index), self.visualRect(index))

    def switch_rect(self, node_id: str) -> QRect:
        """Return the rectangle in which the switch of a node can be clicked; empty if it has none."""
        index = self._index_of(node_id)
        if not index.isValid():
            return QRect()
        return self._painter.switch_rect(self._table.row(index), self.visualRect(index))

    def _index_of(self, node_id: str) -> QModelIndex:
        number = self._table.rows.number_of(node_id) if self._table.rows else None
        return QModelIndex() if number is None else self._table.index(number)

    def _node_at(self, index: QModelIndex) -> str | None:
        return self._table.row(index).node_id if index.isValid() else None

    # Mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        can_go = self._node_at(index) is not None
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if can_go else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the ring away: it is for the keyboard."""
        self._show_ring(False)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask for the remedy if the click was on it, else go to the node."""
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        index = self.indexAt(at)
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        row = self._table.row(index)
        if row.node_id is None:
            return
        rect = self.visualRect(index)
        if self._painter.switch_rect(row, rect).contains(at):
            self._switch(row)
        elif self._painter.remedy_rect(row, rect).contains(at):
            self.remedy_asked.emit(row.node_id, row.reason or row.remedy)
        elif self._painter.chip_rect(row, rect).contains(at):
            self._ask_why(row, rect)
        else:
            self.node_clicked.emit(row.node_id)

    def _ask_why(self, row: ContextRow, rect: QRect) -> None:
        chip = self._painter.chip_rect(row, rect)
        place = QRect(self.viewport().mapToGlobal(chip.topLeft()), chip.size())
        self.shortened_asked.emit(row.node_id, place)

    def _switch(self, row: ContextRow) -> None:
        self.switch_asked.emit(row.node_id, row.reason in OFF)

    def on_menu_asked(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if not index.isValid():
            return
        menu = self.menu_of(index)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.viewport().mapToGlobal(at))

    def menu_of(self, index: QModelIndex) -> QMenu:
        row = self._table.row(index)
        node_id = row.node_id
        menu = Menu(self)
        menu.setObjectName("contextRowMenu")
        if node_id is not None:
            menu.addAction(tr("Go to the node"), lambda: self.node_clicked.emit(node_id))
        remedy = self._painter.remedy_of(row)
        if node_id is not None and remedy:
            why = row.reason or row.remedy
            act = menu.addAction(remedy, lambda: self.remedy_asked.emit(node_id, why))
            if why in ("", "excluded"):
                act.setShortcut(QKeySequence("X"))
        if row.shortened is not None:
            rect = self.visualRect(index)
            menu.addAction(tr("Show what is sent"), lambda: self._ask_why(row, rect))
        if node_id is not None and row.act and self._painter.has_remedies:
            menu.addAction(said_remedy_words(row.act), lambda: self.remedy_asked.emit(node_id, row.act))
        menu.addAction(theme.icon("copy"), tr("Copy text"), lambda: copy(row.text))
        if row.kind in ("system", "sent", "unsent"):
            number = index.row()
            menu.addAction(tr("Copy the message it is part of"), lambda: self.copy_message_asked.emit(number))
        return menu

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes to the node, X leaves it out or takes it in again, Ctrl+C copies its text. While
        something is tried X and Space switch it, there only. Another letter searches for who came by keys;
        after a click it is a word.
        """
        if event.key() != Qt.Key.Key_X and is_for_writing(event, is_ringed=self._painter.ring):
            event.ignore()
            return
        self._show_ring(True)
        index = self.currentIndex()
        if not index.isValid():
            super().keyPressEvent(event)
            return
        row = self._table.row(index)
        if event.matches(QKeySequence.StandardKey.Copy):
            copy(row.text)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            if row.node_id is not None:
                self.node_clicked.emit(row.node_id)
        elif event.key() in (Qt.Key.Key_X, Qt.Key.Key_Space) and self._painter.can_switch(row):
            self._switch(row)
        elif event.key() == Qt.Key.Key_X and not event.modifiers():
            if self._painter.remedy_of(row) and row.reason in (None, "excluded"):
                self.remedy_asked.emit(row.node_id, row.reason or row.remedy)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring to who comes by key, from the first row on."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            if not self.currentIndex().isValid() and len(self._table):
                self.setCurrentIndex(self._table.index(0))
            self._show_ring(True)

    def _show_ring(self, shown: bool) -> None:
        if self._painter.ring != shown:
            self._painter.ring = shown
            self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        """Fit the heights at another width, also after a scroll bar came or went."""
        if event.type() == QEvent.Type.Resize:
            self.scheduleDelayedItemsLayout()
        return super().viewportEvent(event)


def copy(text: str) -> None:
    copy_words(text)


class ContextFinding(QObject):
    """Counts the rows that hold the words, some milliseconds at a time, and goes from one to the next."""

    def __init__(self, bar: FindBar, rows: ContextList) -> None:
        super().__init__(bar)
        self._bar, self._rows = bar, rows
        self._raw: PlainView | None = None
        self._numbers: list[int] = []  # of the rows that hold them, ascending; or where in the raw text
        self._at: int | None = None
        self._pattern: re.Pattern[str] | None = None
        self._work = IdleWork(self)
        self._work.advanced.connect(self.on_advanced)
        bar.words_changed.connect(self.on_words_changed)
        bar.step_asked.connect(self.on_step)
        bar.closed.connect(self.on_closed)

    def look_in(self, raw: PlainView | None) -> None:
        """Look in a raw text, or, without one, in the rows; also to be called when they are others."""
        self._raw = raw
        if self._bar.isVisible():
            self._seek(keeps_place=True)

    def on_words_changed(self, words: str) -> None:
        self._pattern = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self._seek()

    def on_closed(self) -> None:
        self._work.stop()
        self._pattern = None
        self._rows.show_sought(None)
        (self._raw or self._rows).setFocus()

    def on_step(self, step: int) -> None:
        """Go to the next or previous match; after the last comes the first."""
        if self._numbers:
            count = len(self._numbers)
            self._at = (0 if step > 0 else count - 1) if self._at is None else (self._at + step) % count
            self._go()

    def on_advanced(self) -> None:
        """Go to the first match once it is found, and tell how many there are by now."""
        if self._at is None and self._numbers:
            self._at = 0
            self._go()
        self._tell()

    def _seek(self, *, keeps_place: bool = False) -> None:
        before = self._at
        self._numbers, self._at = [], before if keeps_place else None
        self._rows.show_sought(None if self._raw is not None else self._pattern)
        shown = self._rows.shown
        if self._pattern is None:
            self._work.stop()
        elif self._raw is not None:
            self._work.begin(self._read_text(self._raw.text(), self._pattern))
        elif shown is not None:
            self._work.begin(self._read_rows(shown, self._pattern))
        self._tell()

    def _read_rows(self, rows: ContextRows, pattern: re.Pattern[str]) -> Iterator[None]:
        for number in range(len(rows)):
            row = rows[number]
            if pattern.search(row.text) or pattern.search(row.name_of_node):
                self._numbers.append(number)
            yield

    def _read_text(self, text: str, pattern: re.Pattern[str]) -> Iterator[None]:
        for found in pattern.finditer(text):
            self._numbers.append(found.start())
            yield

    def _go(self) -> None:
        if self._at is None or self._at >= len(self._numbers):
            return
        if self._raw is None:
            self._rows.go_to(self._numbers[self._at])
        else:
            self._raw.select(self._numbers[self._at], len(self._bar.field.text()))
        self._tell()

    def _tell(self) -> None:
        at = self._at if self._at is not None and self._at < len(self._numbers) else None
        self._bar.show_count(at, len(self._numbers), done=not self._work.isActive())
