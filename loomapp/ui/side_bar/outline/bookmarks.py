"""The list of bookmarks of the open tree."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from loomapp.core.model.entities import Node
from loomapp.core.model.statistics import bookmark_title
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.painter import ROW_PX
from loomapp.ui.side_bar.outline.rows import Index
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.keyboard import is_letter
from loomapp.ui.widgets.layouts import show_rows_only

ICON_PX = 12
TITLE_X = 26
ID_ROLE = Qt.ItemDataRole.UserRole


class BookmarkRows(QAbstractListModel):
    """Marked nodes, oldest first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.nodes: tuple[Node, ...] = ()

    def show(self, nodes: Sequence[Node]) -> None:
        if tuple(nodes) != self.nodes:
            self.beginResetModel()
            self.nodes = tuple(nodes)
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.nodes)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a bookmark's title or its node's id."""
        node = self.nodes[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return unsteered(bookmark_title(node)) or tr("(empty)")
        return node.id if role == ID_ROLE else None


class BookmarkPainter(QStyledItemDelegate):
    """Painter of a filled mark and the title."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = theme.metric("radius.control")
        if option.state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface.hover"))
            painter.drawRoundedRect(QRectF(row), radius, radius)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent.focus"), theme.metric("control.focus_width")))
            painter.drawRoundedRect(QRectF(row).adjusted(1, 1, -1, -1), radius, radius)
        place = QRectF(row.left() + 6, row.center().y() - ICON_PX / 2 + 1, ICON_PX, ICON_PX)
        theme.paint(painter, "bookmark", "accent.base", place, filled=True)
        font = theme.font("small")
        painter.setFont(font)
        painter.setPen(theme.colour("text.secondary"))
        box = row.adjusted(TITLE_X, 0, -6, 0)
        words = QFontMetrics(font).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()


class BookmarkList(QListView):
    node_chosen = Signal(str)  # node id
    menu_asked = Signal(str, QPoint)  # node id, global position

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bookmarkList")
        self.setAccessibleName(tr("Bookmarks"))
        self._rows = BookmarkRows(self)
        self.setModel(self._rows)
        self.setItemDelegate(BookmarkPainter(self))
        self.setUniformItemSizes(True)
        show_rows_only(self)
        self.clicked.connect(self.on_chosen)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self._rows.nodes

    def show_bookmarks(self, nodes: Sequence[Node]) -> None:
        row = self.currentIndex().row()
        self._rows.show(nodes)
        self.setCurrentIndex(self._rows.index(min(max(row, 0), len(nodes) - 1)))

    def natural_px(self) -> int:
        """Height of all rows, in px."""
        return ROW_PX * len(self._rows.nodes)

    def on_chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            self.node_chosen.emit(str(index.data(ID_ROLE)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the node with Enter; letters are words."""
        if is_letter(event):
            event.ignore()
            return
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.on_chosen(self.currentIndex())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if index.isValid():
            self.menu_asked.emit(str(index.data(ID_ROLE)), event.globalPos())
