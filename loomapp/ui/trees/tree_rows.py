"""Rows of the tree list: what each says, and how it is drawn and renamed in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.fields import LeftWords, Line
from loomapp.ui.widgets.labels import plain_tip

Index = QModelIndex | QPersistentModelIndex

ID_ROLE = Qt.ItemDataRole.UserRole
MODE_ROLE = Qt.ItemDataRole.UserRole + 1
COUNT_ROLE = Qt.ItemDataRole.UserRole + 2
CURRENT_ROLE = Qt.ItemDataRole.UserRole + 3
ARCHIVED_ROLE = Qt.ItemDataRole.UserRole + 4
NEW_ROLE = Qt.ItemDataRole.UserRole + 5

MODE_ICONS = {"dialogue": "message-square", "buffer": "book-open"}
ICON_X = 10
TITLE_X = 32
RIGHT_PADDING = 10
GEAR_WIDTH = 30
BAR_HEIGHT = 16
DOT_PX = 6


class TreeEntry(Protocol):
    """Facts that the list needs of a tree; the store's rows have them."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def mode(self) -> str:
        """`dialogue` or `buffer`."""

    @property
    def written_count(self) -> int:
        """Number of nodes, without the empty one it may start with."""

    @property
    def archived_at(self) -> int | None:
        """When it was archived, or None."""


def short_count(count: int) -> str:
    """A count in at most four characters: 212, 1.2k, 34k, 1.5M."""
    for limit, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= limit:
            scaled = count / limit
            return f"{scaled:.1f}".removesuffix(".0") + unit if scaled < 9.95 else f"{int(scaled)}{unit}"
    return str(count)


class TreeRows(QAbstractListModel):
    """The trees as list rows. Renaming is only asked for: the title changes when the new rows are shown."""

    rename_asked = Signal(str, str)  # tree id, title

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: tuple[TreeEntry, ...] = ()
        self._current_id = ""
        self._new: Mapping[str, str] = {}  # by tree what is new in it, in words

    def show_new(self, new: Mapping[str, str]) -> None:
        """Mark the trees in which other programs wrote what nobody looked at, with words for each."""
        if new != self._new:
            self._new = dict(new)
            if self._rows:
                self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def show(self, rows: Sequence[TreeEntry], current_id: str) -> None:
        """Show these rows; the same trees in the same order are patched, so the cursor and an editor stay."""
        same = [row.id for row in rows] == [row.id for row in self._rows]
        if not same:
            self.beginResetModel()
        self._rows = tuple(rows)
        self._current_id = current_id
        if not same:
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def index_of(self, tree_id: str) -> QModelIndex:
        """Return the index of a tree's row, invalid if it is not shown."""
        for number, row in enumerate(self._rows):
            if row.id == tree_id:
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._sentence(row)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(self._sentence(row))
            case role if role == ID_ROLE:
                return row.id
            case role if role == MODE_ROLE:
                return row.mode
            case role if role == COUNT_ROLE:
                return row.written_count
            case role if role == CURRENT_ROLE:
                return row.id == self._current_id
            case role if role == NEW_ROLE:
                return row.id in self._new
            case role if role == ARCHIVED_ROLE:
                return row.archived_at is not None
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another title; a blank or unchanged one is no wish."""
        row = self._rows[index.row()]
        title = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not title or title == row.title:
            return False
        self.rename_asked.emit(row.id, title)
        return True

    def _sentence(self, row: TreeEntry) -> str:
        mode = tr("buffer") if row.mode == "buffer" else tr("dialogue")
        nodes = tr("1 node") if row.written_count == 1 else tr("{count} nodes")
        words = [unsteered(row.title), mode, nodes.format(count=figures.number(row.written_count))]
        if row.id == self._current_id:
            words.append(tr("open"))
        if row.archived_at is not None:
            words.append(tr("archived"))
        if row.id in self._new:
            words.append(self._new[row.id])
        return " · ".join(words)


class TreeRowPainter(QStyledItemDelegate):
    """Draws one tree: icon of its mode, title, count; soft fill and accent bar on the open one."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.ring = False  # the cursor is shown as a ring only to who works with keys
        self._left, self._edited = LeftWords(), ""  # the id of the tree whose title is typed

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.px("control.height_row"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        state = option.state
        is_current = bool(index.data(CURRENT_ROLE))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, QRectF(row), state, is_current)
        icon_role = "accent.base" if is_current else "text.muted"
        icon = QRectF(row.left() + ICON_X, row.center().y() - 7, 16, 16)
        theme.paint(painter, MODE_ICONS.get(index.data(MODE_ROLE), "message-square"), icon_role, icon)
        right = row.right() - (GEAR_WIDTH if is_current else self._paint_count(painter, row, index))
        left = row.left() + TITLE_X
        if index.data(NEW_ROLE):
            theme.draw_in(painter, fill="accent.base")
            right -= DOT_PX
            painter.drawEllipse(QRectF(right, row.center().y() + 1 - DOT_PX / 2, DOT_PX, DOT_PX))
            right -= DOT_PX
        self._paint_title(painter, QRect(left, row.top(), right - left, row.height()), index, is_current)
        painter.restore()

    def _paint_ground(
        self, painter: QPainter, row: QRectF, state: QStyle.StateFlag, is_current: bool
    ) -> None:
        radius = theme.metric("radius.control")
        painter.setPen(Qt.PenStyle.NoPen)
        if is_current or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(theme.colour("surface.selected" if is_current else "surface.hover"))
            painter.drawRoundedRect(row, radius, radius)
        if is_current:
            painter.setBrush(theme.colour("accent.base"))
            bar = QRectF(row.left(), row.center().y() - BAR_HEIGHT / 2, 3, BAR_HEIGHT)
            painter.drawRoundedRect(bar, 1.5, 1.5)
        if self.ring and state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            pen = painter.pen()
            pen.setStyle(Qt.PenStyle.SolidLine)
            pen.setColor(theme.colour("accent.focus"))
            pen.setWidthF(theme.metric("control.focus_width"))
            painter.setPen(pen)
            painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), radius, radius)

    def _paint_count(self, painter: QPainter, row: QRect, index: Index) -> int:
        """Paint the count; return the width in px that it takes from the title."""
        text = short_count(int(index.data(COUNT_ROLE)))
        font = theme.numbers("small")
        painter.setFont(font)
        painter.setPen(theme.colour("text.muted"))
        box = row.adjusted(0, 0, -RIGHT_PADDING, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        return QFontMetrics(font).horizontalAdvance(text) + RIGHT_PADDING + 8

    def _paint_title(self, painter: QPainter, box: QRect, index: Index, is_current: bool) -> None:
        font = theme.font("ui_strong" if is_current else "ui")
        role = (
            "text.primary" if is_current else "text.muted" if index.data(ARCHIVED_ROLE) else "text.secondary"
        )
        painter.setFont(font)
        painter.setPen(theme.colour(role))
        line = unsteered(" ".join(str(index.data()).split()))
        title = QFontMetrics(font).elidedText(line, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = Line(parent)
        field.setObjectName("treeTitleField")
        field.setAccessibleName(tr("Title of the tree"))
        return field

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Fill the line once: what is typed is not overwritten when the list is shown anew."""
        if isinstance(editor, QLineEdit) and not editor.property("filled"):
            self._edited = str(index.data(ID_ROLE))
            self._left.fill(editor, self._edited, str(index.data(Qt.ItemDataRole.EditRole)))
            editor.setProperty("filled", True)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        editor.setGeometry(row.adjusted(TITLE_X - 9, 0, 0, 0))

    def leave(self, editor: QWidget) -> None:
        """Keep what was typed in a line that is left with Esc."""
        if isinstance(editor, QLineEdit):
            self._left.leave(editor, self._edited)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text())
