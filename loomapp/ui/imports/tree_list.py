"""Trees of a file on the import page: chosen by a box, sorted by any column, filtered by title."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from loomapp.ui import figures
from loomapp.ui.imports.rows import ImportRow, day, known, spoken
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.keyboard import is_letter, is_word_key
from loomapp.ui.widgets.labels import plain_tip

Index = QModelIndex | QPersistentModelIndex
TITLE, NODES, BRANCHES, CHANGED, KNOWN = range(5)
NUMBERS = (NODES, BRANCHES)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
KEYS: dict[int, Callable[[ImportRow], object]] = {
    NODES: lambda row: row.nodes,
    BRANCHES: lambda row: row.forks,
    CHANGED: lambda row: row.last_at or 0,
    KNOWN: lambda row: known(row)[2],
}
# Asked for of each row at each layout: what has nothing below it is asked nothing more.
WITHOUT_BOX = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
WITH_BOX = WITHOUT_BOX | Qt.ItemFlag.ItemIsUserCheckable
ROW_PX = 29
LEAST_ROWS = 6
NARROW_PX = 480
BOX_PX = 28  # the width in which a click means the box
BESIDE_WORDS_PX = 36  # an icon, and what stands around the words
WIDTHS_PX = {NODES: 84, BRANCHES: 84, CHANGED: 104}


class ImportTable(QAbstractTableModel):
    """Rows of all trees; those are shown whose title has the words of the filter."""

    chosen_changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[ImportRow] = []
        self.known_words: set[str] = set()  # all that there is to know of any of them
        self._titles: list[str] = []  # as they are sorted and filtered by
        self._order: list[int] = []  # of all rows
        self._shown: list[int] = []
        self._chosen: set[int] = set()
        self._words = ""
        self._sorted_by: tuple[int, bool] | None = None  # column, descending

    def clear(self) -> None:
        """Hold nothing: another file comes."""
        self.beginResetModel()
        self.rows, self._shown, self._chosen, self._sorted_by = [], [], set(), None
        self.known_words = set()
        self._titles, self._order = [], []
        self.endResetModel()
        self.chosen_changed.emit()

    def add(self, rows: Sequence[ImportRow]) -> None:
        """Take in more, as they are found; all that can be chosen and is new is chosen."""
        first = len(self.rows)
        self.rows += rows
        self.known_words.update(known(row)[2] for row in rows)
        numbers = range(first, len(self.rows))
        self._titles += [row.title.casefold() for row in rows]
        self._order += numbers
        self._sorted_by = None  # what is sorted next is all of them
        self._chosen.update(number for number in numbers if self.rows[number].is_new)
        more = [number for number in numbers if self._is_wanted(number)]
        if more:
            self.beginInsertRows(QModelIndex(), len(self._shown), len(self._shown) + len(more) - 1)
            self._shown += more
            self.endInsertRows()
        self.chosen_changed.emit()

    def row_at(self, place: int) -> ImportRow:
        return self.rows[self._shown[place]]

    @property
    def can_be_chosen(self) -> int:
        return sum(1 for row in self.rows if not row.fault)

    @property
    def chosen(self) -> list[ImportRow]:
        return [self.rows[number] for number in sorted(self._chosen)]

    def choose(self, wanted: Callable[[ImportRow], bool]) -> None:
        """Choose those alone; of the rows that a filter hides too."""
        self._chosen = {n for n, row in enumerate(self.rows) if not row.fault and wanted(row)}
        self._tell_all()

    def choose_places(self, places: Iterable[int], on: bool) -> None:
        """Choose rows that are shown, or no more."""
        numbers = {self._shown[place] for place in places if not self.row_at(place).fault}
        self._chosen = self._chosen | numbers if on else self._chosen - numbers
        self._tell_all()

    def mark_as_here(self, tree_ids: Collection[str]) -> None:
        """Mark trees as imported: nothing of them is new any more."""
        came = set(tree_ids)
        for number, row in enumerate(self.rows):
            if row.id in came and not row.fault:
                self.rows[number] = replace(row, new=0)
                self.known_words.add(known(self.rows[number])[2])
                self._chosen.discard(number)
        self._tell_all()

    def is_chosen(self, place: int) -> bool:
        return self._shown[place] in self._chosen

    def _tell_all(self) -> None:
        if self._shown:
            last = self.index(len(self._shown) - 1, KNOWN)
            self.dataChanged.emit(self.index(0, TITLE), last)
        self.chosen_changed.emit()

    # Order and filter

    def filter(self, words: str) -> None:
        self._words = words.casefold().strip()
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; alike ones stay in the order of the file."""
        sorted_by = (column, order == Qt.SortOrder.DescendingOrder)
        if sorted_by != self._sorted_by:
            self._sorted_by = sorted_by
            self._order_all(*sorted_by)
            self._arrange()

    def _order_all(self, column: int, descending: bool) -> None:
        rows = self.rows
        self._order = list(range(len(rows)))
        if column == TITLE:
            self._order.sort(key=self._titles.__getitem__, reverse=descending)
        else:
            key = KEYS[column]
            # Each column's keys are of one kind; the table of columns says only that they can be anything.
            self._order.sort(key=lambda number: key(rows[number]), reverse=descending)  # type: ignore[arg-type, return-value]

    def _arrange(self) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        numbers = [self._shown[index.row()] for index in before]
        titles, words = self._titles, self._words
        self._shown = [number for number in self._order if words in titles[number]]
        places = {number: place for place, number in enumerate(self._shown)}
        after = [
            self.index(places[n], index.column()) if n in places else QModelIndex()
            for n, index in zip(numbers, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _is_wanted(self, number: int) -> bool:
        return self._words in self._titles[number]

    # As Qt asks for it

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else KNOWN + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in NUMBERS:
            return RIGHT
        names = (tr("Conversation"), tr("Messages"), tr("Branches"), tr("Last change"), tr("What to know"))
        return names[section] if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return a box for what can be chosen."""
        if index.column() == TITLE and not self.row_at(index.row()).fault:
            return WITH_BOX
        return WITHOUT_BOX

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self.row_at(index.row()), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._words_of(row, column)
            case Qt.ItemDataRole.CheckStateRole if column == TITLE and not row.fault:
                on = self.is_chosen(index.row())
                return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.TextAlignmentRole if column in NUMBERS:
                return RIGHT
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(known(row)[2] if column == KNOWN else row.title)
            case Qt.ItemDataRole.AccessibleTextRole if column == TITLE:
                return spoken(row)
            case Qt.ItemDataRole.FontRole if column == TITLE:
                return _title_font()
            case Qt.ItemDataRole.DecorationRole:
                return _icon(row, column)
            case Qt.ItemDataRole.ForegroundRole:
                return theme.colour(self._role_of(index, row))
            case _:
                return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.choose_places([index.row()], Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def _role_of(self, index: Index, row: ImportRow) -> str:
        if index.column() == KNOWN:
            return known(row)[1]
        if row.fault or not self.is_chosen(index.row()):
            return "text.muted"
        return "text.secondary" if index.column() == CHANGED else "text.primary"

    def _words_of(self, row: ImportRow, column: int) -> str:
        match column:
            case 0:
                return unsteered(" ".join(row.title.split())) or tr("(no title)")
            case 1:
                return "–" if row.fault else figures.number(row.nodes)
            case 2:
                return "–" if row.fault else figures.number(row.forks)
            case 3:
                return "" if row.last_at is None else day(row.last_at)
            case _:
                return known(row)[2]


def _title_font() -> QFont:
    result = theme.font("ui")
    result.setWeight(QFont.Weight.Medium)
    return result


def _icon(row: ImportRow, column: int) -> object:
    name, role, _ = known(row)
    if column == TITLE and row.fault:
        return theme.icon("circle-alert", "state.error", 16)
    return theme.icon(name, role, 14) if column == KNOWN and name and not row.fault else None


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
        header.setSectionResizeMode(KNOWN, QHeaderView.ResizeMode.Fixed)
        for changed in (table.rowsInserted, table.modelReset, table.dataChanged):
            changed.connect(self.on_words_changed)
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

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a frame round the row that keys go to: the style's own would veil its words."""
        super().drawRow(painter, option, index)
        if self.hasFocus() and index.row() == self.currentIndex().row():
            painter.setPen(theme.colour("accent.focus"))
            painter.drawRect(QRect(option.rect).adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show of each tree only its title and what there is to know, in a narrow list."""
        super().resizeEvent(event)
        for column in WIDTHS_PX:
            self.setColumnHidden(column, self.width() < NARROW_PX)
        self.on_words_changed()

    def on_words_changed(self) -> None:
        """Give what there is to know as much room as its words take, at most half; titles have the rest."""
        metrics, header = QFontMetrics(self.font()), self.header()
        words_px = max(map(metrics.horizontalAdvance, self.table.known_words), default=0)
        wanted_px = max(words_px + BESIDE_WORDS_PX, header.sectionSizeHint(KNOWN))
        others_px = sum(header.sectionSize(column) for column in WIDTHS_PX)
        width_px = min(wanted_px, (self.viewport().width() - others_px) // 2)
        if width_px != header.sectionSize(KNOWN):
            header.resizeSection(KNOWN, width_px)

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
