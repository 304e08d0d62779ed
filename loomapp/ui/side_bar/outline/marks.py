"""Bookmarks and tags of the open tree: a list of the ones, chips of the others, and what carries them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.model.entities import Node
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.painter import ROW_PX
from loomapp.ui.side_bar.outline.row_words import bookmark_title
from loomapp.ui.side_bar.outline.rows import Index
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import chip_width, paint_chip
from loomapp.ui.widgets.labels import set_tip
from loomapp.ui.widgets.layouts import ID_ROLE, Flow, RowList, Scrolled

ICON_PX = 12
TITLE_X = 26


class BookmarkRows(QAbstractListModel):
    """Marked nodes, oldest first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.nodes: tuple[Node, ...] = ()
        self.branches: Mapping[str, str] = {}  # titles of those that are heads of branches

    def show(self, nodes: tuple[Node, ...], branches: Mapping[str, str]) -> None:
        self.beginResetModel()
        self.nodes, self.branches = nodes, branches
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.nodes)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a bookmark's title or its node's id."""
        node = self.nodes[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return bookmark_title(node, self.branches.get(node.id, ""))
        return node.id if role == ID_ROLE else None


class BookmarkPainter(QStyledItemDelegate):
    """Painter of a filled mark and the title."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        has_focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        is_lit = has_focus or option.state & QStyle.StateFlag.State_MouseOver
        theme.paint_row(painter, QRectF(row), "surface.hover" if is_lit else "", has_ring=has_focus)
        place = QRectF(row.left() + 6, row.center().y() - ICON_PX / 2 + 1, ICON_PX, ICON_PX)
        theme.paint(painter, "bookmark", "accent.base", place, filled=True)
        font = theme.font("small")
        painter.setFont(font)
        painter.setPen(theme.colour("text.secondary"))
        box = row.adjusted(TITLE_X, 0, -6, 0)
        words = QFontMetrics(font).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()


class BookmarkList(RowList):
    """List of bookmarks, by the ids of their nodes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bookmarkList")
        self.setAccessibleName(tr("Bookmarks"))
        self._rows = BookmarkRows(self)
        self.setModel(self._rows)
        self.setItemDelegate(BookmarkPainter(self))

    def show_bookmarks(self, nodes: Sequence[Node], branches: Mapping[str, str]) -> None:
        """Show these, by the titles that their branches have now."""
        with self.staying_on_its_row():
            self._rows.show(tuple(nodes), branches)

    def shows(self, nodes: Sequence[Node], branches: Mapping[str, str]) -> bool:
        return tuple(nodes) == self._rows.nodes and branches == self._rows.branches


WIDEST_PX = 180
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class TagCount(NamedTuple):
    """Tag, and how many messages carry it."""

    name: str
    messages: int


class TagButton(QAbstractButton):
    menu_asked = Signal(str, QPoint)  # name, global position

    def __init__(self, tag: TagCount, parent: QWidget) -> None:
        super().__init__(parent)
        self.tag = tag
        self.setObjectName("tagButton")
        words = tr("{name}: {count} messages") if tag.messages != 1 else tr("{name}: 1 message")
        said = words.format(name=tag.name, count=figures.number(tag.messages))
        self.setAccessibleName(said)
        set_tip(self, said)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.on_clicked)

    def sizeHint(self) -> QSize:
        return QSize(min(WIDEST_PX, chip_width(self.tag.name)), theme.px("control.hit"))

    def on_clicked(self) -> None:
        self.menu_asked.emit(self.tag.name, self.mapToGlobal(QPoint(0, self.height())))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.on_clicked()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu with Enter; go to the next tag with arrows."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.on_clicked()
        elif key in STEPS:
            self.focusNextPrevChild(STEPS[key] > 0)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect()).adjusted(0, 2, 0, -2)
        role = "text.primary" if self.underMouse() or self.isDown() else "text.secondary"
        paint_chip(painter, rect, "hash", self.tag.name, role)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.colour("accent.focus"), theme.metric("control.focus_width")))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 4, 4)
        painter.end()


class TagList(QWidget):
    """Tags as chips, as many in a line as there is room for."""

    menu_asked = Signal(str, QPoint)  # name of a tag, global position

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tagList")
        self.setAccessibleName(tr("Tags"))
        self._tags: tuple[TagCount, ...] = ()
        self._chips = QWidget(self)
        self._flow = Flow(self._chips, gap_px=6)
        self._flow.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 0, 0)
        column.addWidget(Scrolled(self._chips, "tagScroll"))

    @property
    def buttons(self) -> list[TagButton]:
        items = (self._flow.itemAt(i) for i in range(self._flow.count()))
        return [w for item in items if item is not None and isinstance(w := item.widget(), TagButton)]

    def natural_px(self) -> int:
        """Height of all tags at the width they have, in px."""
        return self._flow.heightForWidth(max(1, self._chips.width()))

    def show_tags(self, tags: Sequence[TagCount]) -> None:
        """Show these tags and no others; the keyboard stays at the one it was on, or near it."""
        if tuple(tags) == self._tags:
            return
        self._tags = tuple(tags)
        held = next((i for i, button in enumerate(self.buttons) if button.hasFocus()), None)
        while (item := self._flow.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for tag in tags:
            button = TagButton(tag, self._chips)
            button.menu_asked.connect(self.menu_asked)
            self._flow.addWidget(button)
            button.show()
        self._chips.updateGeometry()
        self.updateGeometry()
        if held is not None and tags:
            self.buttons[min(held, len(tags) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        """Measure the chips anew: another type has other widths."""
        if event.type() == QEvent.Type.FontChange:
            self._flow.invalidate()
        super().changeEvent(event)
