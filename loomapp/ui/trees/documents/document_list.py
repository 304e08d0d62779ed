"""The list of documents in the side bar: name, mark of who wrote last, and number of its versions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QCursor, QDrag, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.chip import SIZE_PX, paint_mark
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.layouts import ID_ROLE, RowList

ROW_PX = 24
ICON_PX = 14
TITLE_X = 28
GAP_PX = 6
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1

DRAGGED = "application/x-loomapp-document"  # the kind of what is dragged from here

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document as its row shows it: the id of its newest version, its name and number of versions, who
    wrote last, and a sentence with the time.
    """

    node_id: str
    name: str
    number: int
    agent: Agent | None
    said: str


class DocumentRows(QAbstractListModel):
    """Documents in the order of the list."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: tuple[DocumentEntry, ...] = ()
        self.tree_id = ""

    def show(self, entries: Sequence[DocumentEntry]) -> None:
        self.beginResetModel()
        self.entries = tuple(entries)
        self.endResetModel()

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        return [DRAGGED]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return a document that is dragged: the id of its tree, and of its newest version."""
        data = QMimeData()
        names = [self.tree_id, *(str(index.data(ID_ROLE)) for index in indexes[:1])]
        data.setData(DRAGGED, "\n".join(names).encode())
        return data

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a document's name, its sentence, its node's id or all of its row."""
        entry = self.entries[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return unsteered(entry.name)
            case Qt.ItemDataRole.AccessibleTextRole:
                return entry.said
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(entry.said)
            case _:
                return {ID_ROLE: entry.node_id, ENTRY_ROLE: entry}.get(Qt.ItemDataRole(role))


class DocumentRowPainter(QStyledItemDelegate):
    """Painter of a page, the name, a mark and the number of versions."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(ENTRY_ROLE)
        assert isinstance(entry, DocumentEntry), "every row has one"
        row = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        has_focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        is_lit = has_focus or option.state & QStyle.StateFlag.State_MouseOver
        theme.paint_row(painter, QRectF(row), "surface.hover" if is_lit else "", has_ring=has_focus)
        place = QRectF(row.left() + 6, row.center().y() - ICON_PX / 2 + 1, ICON_PX, ICON_PX)
        theme.paint(painter, "file-text", "text.muted", place)
        right = self._paint_version(painter, row, entry)
        font = theme.font("small")
        painter.setFont(font)
        painter.setPen(theme.colour("text.secondary"))
        box = QRect(row.left() + TITLE_X, row.top(), right - row.left() - TITLE_X, row.height())
        words = QFontMetrics(font).elidedText(unsteered(entry.name), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()

    def _paint_version(self, painter: QPainter, row: QRect, entry: DocumentEntry) -> int:
        """Paint the mark and the number at the right; gives where they begin."""
        font, words = theme.font("small"), tr("v{number}").format(number=entry.number)
        width = QFontMetrics(font).horizontalAdvance(words)
        left = row.right() - GAP_PX - width
        painter.setFont(font)
        painter.setPen(theme.colour("text.muted"))
        painter.drawText(QRect(left, row.top(), width, row.height()), Qt.AlignmentFlag.AlignVCenter, words)
        left -= GAP_PX + SIZE_PX
        paint_mark(painter, QRectF(left, row.center().y() - SIZE_PX / 2 + 1, SIZE_PX, SIZE_PX), entry.agent)
        return left - GAP_PX


def dragged_document(data: QMimeData) -> tuple[str, str] | None:
    """Return the ids of the tree and of the newest version of a document that is dragged; None for anything
    else.
    """
    if not data.hasFormat(DRAGGED):
        return None
    tree_id, _, node_id = bytes(data.data(DRAGGED).data()).decode(errors="replace").partition("\n")
    return tree_id, node_id


class DocumentList(RowList):
    """List of documents by the ids of their newest versions, to be dragged onto cards and texts. Keys: Enter
    opens, F2 renames, Delete deletes, the menu key shows the rest, attaching too.
    """

    rename_asked = Signal(str)  # node id
    delete_asked = Signal(str)  # likewise

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("documentList")
        self.setAccessibleName(tr("Documents"))
        self._rows = DocumentRows(self)
        self.setModel(self._rows)
        self.setItemDelegate(DocumentRowPainter(self))
        self.setDragDropMode(QListView.DragDropMode.DragOnly)

    @property
    def entries(self) -> tuple[DocumentEntry, ...]:
        return self._rows.entries

    def show_documents(self, entries: Sequence[DocumentEntry], tree_id: str) -> None:
        """Show these documents of a tree; the cursor stays on its row."""
        self._rows.tree_id = tree_id
        if tuple(entries) == self.entries:
            return
        with self.staying_on_its_row():
            self._rows.show(entries)

    def startDrag(self, _: Qt.DropAction) -> None:
        """Carry the picture of a row, on its ground: the words alone are lost over a card."""
        index = self.currentIndex()
        row = self.visualRect(index)
        drag = QDrag(self)
        drag.setMimeData(self._rows.mimeData([index]))
        drag.setPixmap(self.viewport().grab(row))
        drag.setHotSpot(self.viewport().mapFromGlobal(QCursor.pos()) - row.topLeft())
        drag.exec(Qt.DropAction.CopyAction)

    def event(self, event: QEvent) -> bool:
        """Keep the keys of a row from the window's actions: F2 there edits a message."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the row at the cursor."""
        index = self.currentIndex()
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        asked = {Qt.Key.Key_F2: self.rename_asked, Qt.Key.Key_Delete: self.delete_asked}.get(
            Qt.Key(event.key())
        )
        if asked is not None and is_plain and index.isValid():
            asked.emit(str(index.data(ID_ROLE)))
        else:
            super().keyPressEvent(event)
