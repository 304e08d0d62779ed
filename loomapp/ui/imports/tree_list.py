"""The list of trees on the import page: Space chooses what is selected, Shift+click a range."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from loomapp.ui.imports.table import BRANCHES, CHANGED, KNOWN, NODES, TITLE, ImportTable, Index
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import is_letter, is_word_key

ROW_PX = 29
LEAST_ROWS = 6
NARROW_PX = 480
BOX_PX = 28  # the width in which a click means the box
WIDTHS_PX = {NODES: 84, BRANCHES: 84, CHANGED: 104}


class RowHeight(QStyledItemDelegate):
    """Rows of 29 px."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_PX)


class ImportTrees(QTreeView):
    """List of trees to import; the box is a sign for the eye, the whole row is spoken."""

    def __init__(self, table: ImportTable, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("importTrees")
        self.setAccessibleName(tr("Trees in the file"))
        self.table = table
        self._last: int | None = None  # the row whose box was clicked last
        self._is_clicked = False  # since the last key
        self.setModel(table)
        self.setItemDelegate(RowHeight(self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setFont(theme.font("ui"))
        header = self.header()
        header.setStretchLastSection(False)
        header.setFont(theme.font("small"))
        header.setMinimumSectionSize(40)
        for column, width_px in WIDTHS_PX.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(column, width_px)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(KNOWN, QHeaderView.ResizeMode.Stretch)
        self.setMinimumHeight((LEAST_ROWS + 1) * ROW_PX)
        self.setSortingEnabled(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorClearable(False)
        header.sortIndicatorChanged.connect(self.table.sort)

    def sort_by_change(self) -> None:
        """Sort the newest first, once all are there."""
        self.header().setSortIndicatorShown(True)
        self.header().setSortIndicator(CHANGED, Qt.SortOrder.DescendingOrder)
        self.table.sort(CHANGED, Qt.SortOrder.DescendingOrder)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show of each tree only its title and what there is to know, in a narrow list."""
        super().resizeEvent(event)
        for column in WIDTHS_PX:
            self.setColumnHidden(column, self.width() < NARROW_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose with Space all that is selected, or none of it; after a click it is a word space.
        Letters are words.
        """
        if is_letter(event) or (self._is_clicked and is_word_key(event)):
            event.ignore()
            return
        self._is_clicked = False
        if event.key() != Qt.Key.Key_Space:
            super().keyPressEvent(event)
            return
        places = [index.row() for index in self.selectionModel().selectedRows(TITLE)]
        places = places or ([self.currentIndex().row()] if self.currentIndex().isValid() else [])
        if places:
            self.table.choose_places(places, not all(map(self.table.is_chosen, places)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose by a click on a box; with Shift all between it and the one before."""
        self._is_clicked = True
        index = self.indexAt(event.position().toPoint())
        if not self._is_box(index, event):
            super().mousePressEvent(event)
            return
        place = index.row()
        on = not self.table.is_chosen(place)
        is_range = self._last is not None and event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if is_range and self._last is not None and self._last < self.table.rowCount():
            on = self.table.is_chosen(self._last)
            places = range(min(self._last, place), max(self._last, place) + 1)
        else:
            places = range(place, place + 1)
        self.table.choose_places(places, on)
        self._last = place
        self.setCurrentIndex(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Treat the second click on a box as a click."""
        if self._is_box(self.indexAt(event.position().toPoint()), event):
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def _is_box(self, index: QModelIndex, event: QMouseEvent) -> bool:
        if not index.isValid() or index.column() != TITLE or event.button() != Qt.MouseButton.LeftButton:
            return False
        can_be_chosen = bool(self.table.flags(index) & Qt.ItemFlag.ItemIsUserCheckable)
        return can_be_chosen and event.position().x() - self.visualRect(index).left() < BOX_PX

    def event(self, event: QEvent) -> bool:
        """Take Space before it is anybody's shortcut."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Space
        ):
            event.accept()
            return True
        return super().event(event)
