"""Layouts: a column, a row, a list of rows, parts that flow into the next line, side by side, or scroll."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QListView,
    QScrollArea,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)

from loomapp.ui.look import theme
from loomapp.ui.widgets.keyboard import is_letter

Margins = tuple[int, int, int, int]  # left, top, right, bottom, in px
NONE: Margins = (0, 0, 0, 0)


def vertical(parent: QWidget | None = None, margins: Margins = NONE, spacing: int = -1) -> QVBoxLayout:
    """Return a column; -1: with the spacing of the style, or of the layout that it comes into."""
    column = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    column.setContentsMargins(*margins)
    column.setSpacing(spacing)
    return column


def horizontal(parent: QWidget | None = None, margins: Margins = NONE, spacing: int = -1) -> QHBoxLayout:
    row = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    row.setContentsMargins(*margins)
    row.setSpacing(spacing)
    return row


def fill(layout: QLayout, *parts: QWidget | QLayout) -> None:
    """Add parts at the end of a layout, in this order."""
    for part in parts:
        if isinstance(part, QWidget):
            layout.addWidget(part)
        elif isinstance(layout, QBoxLayout):
            layout.addLayout(part)


LINE_PX = 32  # as high as a field of one line gets


class Flow(QLayout):
    """Widgets side by side from the left, centred in their line, wrapped where the width ends. Beside a field
    of several lines the others stand at its first.
    """

    def __init__(self, parent: QWidget | None = None, *, gap_px: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap_px = gap_px
        self._heights: dict[int, int] = {}  # by width; these three are known until a widget changes
        self._hint: QSize | None = None
        self._least: QSize | None = None
        self.setContentsMargins(0, 0, 0, 0)

    def addWidget(self, widget: QWidget) -> None:
        """Add at the end.

        The item is made here: one that Qt makes may get the Python object of another item that stood at the
        same address before, and is lost with that one's layout.
        """
        self.insertWidget(len(self._items), widget)

    def insertWidget(self, place: int, widget: QWidget) -> None:
        """Add before what stands at a place."""
        self.addChildWidget(widget)
        self.addItem(QWidgetItem(widget))
        self._items.insert(place, self._items.pop())
        self.invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._forget()
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        self._forget()
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def invalidate(self) -> None:
        """Forget the sizes: a widget came, went or wants another one."""
        self._forget()
        super().invalidate()

    def _forget(self) -> None:
        self._heights.clear()
        self._hint = self._least = None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: a narrow flow is a high one."""
        return True

    def heightForWidth(self, width: int) -> int:
        height = self._heights.get(width)
        if height is None:
            height = self._heights[width] = self._lay_out(QRect(0, 0, width, 0), move=False)
        return height

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay_out(rect, move=True)

    def sizeHint(self) -> QSize:
        """Return the size of all widgets in one line."""
        if self._hint is None:
            self._hint = self._in_one_line()
        return QSize(self._hint)

    def _in_one_line(self) -> QSize:
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self._gap_px * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        if self._least is None:
            sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
            self._least = QSize(
                max((size.width() for size in sizes), default=0),
                max((size.height() for size in sizes), default=0),
            )
        return QSize(self._least)

    def _lay_out(self, rect: QRect, *, move: bool) -> int:
        """Place the widgets line by line; return the height in px."""
        top = rect.top()
        for line in self._lines(rect.width()):
            height = max(item.sizeHint().height() for item in line)
            left = rect.left()
            for item in line:
                size = item.sizeHint()
                if move:
                    down = max(0, (min(height, LINE_PX) - size.height()) // 2)
                    item.setGeometry(QRect(QPoint(left, top + down), size))
                left += size.width() + self._gap_px
            top += height + self._gap_px // 2
        return max(0, top - self._gap_px // 2 - rect.top())

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue
            needed = item.sizeHint().width()
            if lines and used + self._gap_px + needed <= width:
                lines[-1].append(item)
                used += self._gap_px + needed
            else:
                lines.append([item])
                used = needed
        return lines


BESIDE_FROM_PX = 620


class SideBySide(QWidget):
    """Two parts with half of the room each."""

    def __init__(self, first: QWidget, second: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._box.addWidget(first, 1)
        self._box.addWidget(second, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        way = QBoxLayout.Direction
        self._box.setDirection(way.LeftToRight if self.width() >= BESIDE_FROM_PX else way.TopToBottom)


def show_rows_only(view: QAbstractItemView) -> None:
    """Let a list be nothing but its rows: the ring of the keyboard stands on a row, not around the list."""
    view.setMouseTracking(True)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setFrameShape(QFrame.Shape.NoFrame)
    theme.set_look(view, bare=True)


ID_ROLE = Qt.ItemDataRole.UserRole
OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class RowList(QListView):
    """List of rows of one height, each with an id as its `ID_ROLE`; typed letters are left to others."""

    row_chosen = Signal(str)  # id
    menu_asked = Signal(str, QPoint)  # id, global position

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setUniformItemSizes(True)
        show_rows_only(self)
        self.clicked.connect(self.on_chosen)

    def natural_px(self) -> int:
        return self.model().rowCount() * self.sizeHintForRow(0)

    @contextmanager
    def staying_on_its_row(self) -> Iterator[None]:
        """Put the cursor back, or on the last row, once other rows are shown."""
        row = self.currentIndex().row()
        yield
        rows = self.model()
        self.setCurrentIndex(rows.index(min(max(row, 0), rows.rowCount() - 1), 0))

    def on_chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            self.row_chosen.emit(str(index.data(ID_ROLE)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the row at the cursor with Enter."""
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if is_letter(event):
            event.ignore()
        elif is_plain and event.key() in OPEN_KEYS:
            self.on_chosen(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if index.isValid():
            self.menu_asked.emit(str(index.data(ID_ROLE)), event.globalPos())


class Scrolled(QScrollArea):
    """Holds one widget, at its own width. It asks for no more room than it is given."""

    def __init__(self, ground: QWidget, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(ground)
        for widget in (ground, self.viewport()):
            widget.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """Return a small size, less than it holds: it can be scrolled."""
        return QSize(280, 160)


TOP_PX = 28  # above the title of a page
MARGIN_PX, NARROW_MARGIN_PX = 40, 20
BAR_PX = 12  # that a bar for scrolling takes at the right of a page
ROOMY_PX = 680  # of a page; in a narrower one there is less beside the words


def side_px(width_px: int) -> int:
    """Return the room that a page of this width keeps at its left: titles of all pages begin there."""
    return MARGIN_PX if width_px >= ROOMY_PX else NARROW_MARGIN_PX


class ScrolledColumn(Scrolled):
    """Column of a page that scrolls, no wider than is read well; a page that is narrower has less margin."""

    def __init__(self, widest_px: int, name: str, parent: QWidget) -> None:
        ground = QWidget(parent)
        super().__init__(ground, name, parent)  # now: what is filled moves slowly
        self.column = QWidget(ground)
        self.column.setMaximumWidth(widest_px)
        self._head, self._margins = vertical(), horizontal()
        self._margins.addWidget(self.column, 1)
        self._margins.addStretch(0)
        whole = vertical(ground, spacing=0)
        whole.addLayout(self._head)
        whole.addLayout(self._margins, 1)

    def add_head(self, *rows: QLayout) -> None:
        """Put what has the whole width above the column: in a wide page the cross stands at its right."""
        fill(self._head, *rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        side, bar_px = side_px(self.width()), self.width() - self.viewport().width()
        self._head.setContentsMargins(side, TOP_PX, NARROW_MARGIN_PX + BAR_PX - bar_px, 0)
        self._margins.setContentsMargins(side, 0, NARROW_MARGIN_PX, 0)
        super().resizeEvent(event)
