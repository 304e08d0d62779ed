"""The list of trees in the side bar: open, make, rename, archive, and the gear to a tree's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListView,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from loomapp.ui import figures
from loomapp.ui.keys import KeyOf, with_key
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.trees.tree_rows import ARCHIVED_ROLE, GEAR_WIDTH, ID_ROLE, TreeEntry, TreeRowPainter, TreeRows
from loomapp.ui.widgets.buttons import SectionHead
from loomapp.ui.widgets.keyboard import is_for_writing
from loomapp.ui.widgets.labels import set_tip
from loomapp.ui.widgets.layouts import show_rows_only
from loomapp.ui.widgets.page import Menu

LEAST_PX = 72  # the head and a row, and a bit of the next
GAP_PX, MARGIN_PX = 2, 8
NO_LIMIT_PX = 16_777_215  # Qt's own
ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class _RowsView(QListView):
    """The rows. Keys: arrows move the cursor, Enter opens, F2 renames, the menu key shows the rest."""

    chosen = Signal(QModelIndex)
    settings_asked = Signal()
    editing_ended = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._gear_row = QPersistentModelIndex()
        self.gear = self._build_gear()
        self.painter_of_rows = TreeRowPainter(self)
        self.setItemDelegate(self.painter_of_rows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        show_rows_only(self)
        self.clicked.connect(self.chosen)

    def _build_gear(self) -> QToolButton:
        gear = QToolButton(self.viewport())
        gear.setObjectName("treeSettingsButton")
        gear.setIcon(theme.icon("settings"))
        gear.setAccessibleName(tr("Tree settings"))
        gear.setToolTip(tr("Tree settings"))
        gear.clicked.connect(self.settings_asked)
        gear.hide()
        return gear

    def is_editing(self) -> bool:
        return self.state() == QAbstractItemView.State.EditingState

    def put_gear_on(self, index: QModelIndex) -> None:
        """Put the gear on a row; an invalid index puts it away."""
        self._gear_row = QPersistentModelIndex(index)
        self._place_gear()

    def updateGeometries(self) -> None:
        super().updateGeometries()
        self._place_gear()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the row of the open tree in sight, where another section takes the room."""
        row = self.visualRect(self._gear_row)
        was_seen = row.isValid() and row.top() >= 0 and row.bottom() <= event.oldSize().height()
        super().resizeEvent(event)
        if was_seen and row.bottom() > self.viewport().height():
            self.scrollTo(self.model().index(self._gear_row.row(), 0))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self._place_gear()

    def _place_gear(self) -> None:
        self.gear.setVisible(self._gear_row.isValid() and not self.is_editing())
        row = self.visualRect(self._gear_row)
        side = theme.px("control.hit")
        self.gear.setGeometry(row.right() - GEAR_WIDTH + 3, row.center().y() + 1 - side // 2, side, side)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Put the line away and the cursor back; words that Esc leaves are kept."""
        if hint == QAbstractItemDelegate.EndEditHint.RevertModelCache:
            self.painter_of_rows.leave(editor)
        super().closeEditor(editor, hint)
        self.editing_ended.emit()

    def event(self, event: QEvent) -> bool:
        """Keep F2 for the row while the list has the keyboard; elsewhere it edits a node."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_F2
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter or Space; the rest is the view's. A letter searches for who came by keys; after a
        click it is a word.
        """
        if is_for_writing(event, is_ringed=self.painter_of_rows.ring):
            event.ignore()
            return
        self._show_ring(True)
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if event.key() in ENTER_KEYS and plain and not self.is_editing() and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Hide the focus ring from those who click."""
        self._show_ring(False)
        super().mousePressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring to who came by key."""
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._show_ring(True)
        super().focusInEvent(event)

    def _show_ring(self, shown: bool) -> None:
        if self.painter_of_rows.ring != shown:
            self.painter_of_rows.ring = shown
            self.viewport().update()


class TreeList(QWidget):
    """Trees of the grove, archived ones folded away below."""

    tree_chosen = Signal(str)  # tree id
    settings_asked = Signal(str)  # tree id
    new_asked = Signal(str)  # mode: dialogue or buffer
    rename_asked = Signal(str, str)  # tree id, title
    archive_asked = Signal(str)  # tree id
    restore_asked = Signal(str)  # tree id of an archived tree

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("treeList")
        self.setAccessibleName(tr("Trees"))
        self.setMinimumHeight(LEAST_PX)
        self._all: tuple[TreeEntry, ...] = ()
        self._current_id = ""
        self._can_change = True
        self._model = TreeRows(self)
        self._view = self._build_view()
        self._empty = QLabel(tr("No trees yet. The + above makes the first one."))
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.setObjectName("treeListEmpty")
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(10, 4, 10, 4)
        theme.set_look(self._empty, tone="muted")
        self._archived = self._build_archived_button()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, MARGIN_PX, 8, MARGIN_PX)
        layout.setSpacing(0)
        layout.addLayout(self._build_header())
        layout.addSpacing(GAP_PX)
        layout.addWidget(self._empty, 1)
        layout.addWidget(self._view, 1)
        layout.addWidget(self._archived, 0, Qt.AlignmentFlag.AlignLeft)
        self._model.rename_asked.connect(self.rename_asked)
        self.setFocusProxy(self._view)
        self._show()

    def show_trees(self, rows: Sequence[TreeEntry], current_id: str) -> None:
        """Show these trees, in this order, and which of them is open. Cursor and a title in editing stay."""
        before, self._all = self._all, tuple(rows)
        is_another, self._current_id = current_id != self._current_id, current_id
        if is_another or list(map(_place, before)) != list(map(_place, self._all)):
            self._show()
        elif not self._view.is_editing():  # a title or a count is another, and nothing moves
            self._model.show(self._shown(), current_id)
        if is_another:
            self._view.scrollTo(self._model.index_of(current_id))

    def show_new(self, new: Mapping[str, str]) -> None:
        """Mark trees in which there is something new, with words for each by its id."""
        self._model.show_new(new)

    def set_can_change(self, can_change: bool) -> None:
        """Allow making, renaming and archiving trees; in a grove that is only read they cannot be."""
        self._can_change = can_change
        self._new.setEnabled(can_change)
        triggers = QAbstractItemView.EditTrigger
        self._view.setEditTriggers(triggers.EditKeyPressed if can_change else triggers.NoEditTriggers)

    def rename(self, tree_id: str) -> None:
        """Begin to change a title in place."""
        index = self._model.index_of(tree_id)
        if index.isValid() and self._can_change:
            self._view.setCurrentIndex(index)
            self._view.edit(index)
            self._view.gear.hide()

    def row_rect(self, tree_id: str) -> QRect:
        """Return the rectangle of a tree's row in this widget's pixels; empty if it is not shown."""
        index = self._model.index_of(tree_id)
        if not index.isValid():
            return QRect()
        rect = self._view.visualRect(index)
        return QRect(self._view.viewport().mapTo(self, rect.topLeft()), rect.size())

    def words_of(self, tree_id: str) -> str:
        """Return what a tree's row says to a screen reader; nothing if it is not shown."""
        return str(self._model.index_of(tree_id).data(Qt.ItemDataRole.AccessibleTextRole) or "")

    # Showing.

    def _show(self) -> None:
        if self._view.is_editing():
            return  # what is typed would be lost, or put back; shown when it closes
        shown = self._shown()
        archived = sum(row.archived_at is not None for row in self._all)
        cursor = str(self._view.currentIndex().data(ID_ROLE) or "")
        self._model.show(shown, self._current_id)
        kept = self._model.index_of(cursor)
        self._view.setCurrentIndex(kept if kept.isValid() else self._model.index_of(self._current_id))
        is_open = self._head.isChecked()
        self._empty.setVisible(is_open and not shown)
        self._view.setVisible(is_open and bool(shown))
        self._archived.setVisible(is_open and bool(archived))
        self._archived.setText(tr("Archived: {count}").format(count=figures.number(archived)))
        self._view.put_gear_on(self._model.index_of(self._current_id))
        self.updateGeometry()

    def _shown(self) -> list[TreeEntry]:
        """The rows in the order of the list: archived ones last, while they are unfolded."""
        archived = [row for row in self._all if row.archived_at is not None]
        others = [row for row in self._all if row.archived_at is None]
        return others + archived if self._archived.isChecked() else others

    def on_folded(self, shown: bool) -> None:
        self._head.show_fold(folded=not shown)
        self.setMinimumHeight(LEAST_PX if shown else 0)
        self.setMaximumHeight(NO_LIMIT_PX if shown else self._around_px())
        self._show()

    def natural_px(self) -> int:
        if not self._head.isChecked():
            return self._around_px()
        rows = self._model.rowCount() * max(0, self._view.sizeHintForRow(0))
        archived = 0 if self._archived.isHidden() else self._archived.sizeHint().height()
        words = 0 if self._empty.isHidden() else self._empty.heightForWidth(max(1, self.width() - 16))
        return self._around_px() + GAP_PX + max(rows, words) + archived

    def _around_px(self) -> int:
        return max(self._head.sizeHint().height(), self._new.sizeHint().height()) + 2 * MARGIN_PX

    def on_archived_toggled(self, shown: bool) -> None:
        self._archived.setIcon(theme.icon("chevron-down" if shown else "chevron-right", "text.muted"))
        self._show()

    def on_new_clicked(self) -> None:
        """Ask for the mode, below the button."""
        self._new_menu.popup(self._new.mapToGlobal(self._new.rect().bottomLeft()))

    def on_row_chosen(self, index: QModelIndex) -> None:
        self.tree_chosen.emit(str(index.data(ID_ROLE)))

    def on_settings_clicked(self) -> None:
        """Ask for the settings of the open tree, on which the gear stands."""
        self.settings_asked.emit(self._current_id)

    def on_menu_asked(self, at: QPoint) -> None:
        """Show the menu of a tree; at the cursor's row if asked by key."""
        index = self._view.indexAt(at)
        if not index.isValid():
            return
        menu = self.menu_of(index)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._view.viewport().mapToGlobal(at))

    def menu_of(self, index: QModelIndex) -> QMenu:
        tree_id = str(index.data(ID_ROLE))
        menu = Menu(self)
        menu.setObjectName("treeMenu")
        menu.addAction(tr("Open"), lambda: self.tree_chosen.emit(tree_id))
        rename = menu.addAction(tr("Rename"), QKeySequence("F2"), lambda: self.rename(tree_id))
        menu.addAction(tr("Tree settings"), lambda: self.settings_asked.emit(tree_id))
        menu.addSeparator()
        if index.data(ARCHIVED_ROLE):
            put = menu.addAction(tr("Bring back"), lambda: self.restore_asked.emit(tree_id))
        else:
            put = menu.addAction(tr("Archive"), lambda: self.archive_asked.emit(tree_id))
        for change in (rename, put):
            change.setEnabled(self._can_change)
        return menu

    def show_keys(self, key_of: KeyOf) -> None:
        set_tip(self._view.gear, with_key(tr("Tree settings"), key_of("treeSettings")))
        dialogue = with_key(tr("a dialogue"), key_of("newDialogue"))
        prose = with_key(tr("a buffer"), key_of("newBuffer"))
        words = tr("New tree: {dialogue} or {buffer}").format(dialogue=dialogue, buffer=prose)
        set_tip(self._new, words)

    # Building.

    def _build_header(self) -> QHBoxLayout:
        self._head = SectionHead("trees", tr("Trees"), self)
        self._head.toggled.connect(self.on_folded)
        self._new = QToolButton(self)
        self._new.setObjectName("newTreeButton")
        self._new.setIcon(theme.icon("plus"))
        self._new.setAccessibleName(tr("New tree"))
        self._new.setToolTip(tr("New tree"))
        self._new.clicked.connect(self.on_new_clicked)
        self._new_menu = menu = Menu(self._new)
        menu.setObjectName("newTreeMenu")
        menu.addAction(theme.icon("message-square"), tr("Dialogue"), lambda: self.new_asked.emit("dialogue"))
        menu.addAction(theme.icon("book-open"), tr("Buffer"), lambda: self.new_asked.emit("buffer"))
        header = QHBoxLayout()
        header.setContentsMargins(0, 0, 3, 0)
        header.addWidget(self._head)
        header.addStretch(1)
        header.addWidget(self._new)
        return header

    def _build_view(self) -> _RowsView:
        view = _RowsView(self)
        view.setObjectName("treeRows")
        view.setAccessibleName(tr("Trees"))
        view.setModel(self._model)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.chosen.connect(self.on_row_chosen)
        view.settings_asked.connect(self.on_settings_clicked)
        view.editing_ended.connect(self._show)
        view.customContextMenuRequested.connect(self.on_menu_asked)
        return view

    def _build_archived_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("archivedTreesButton")
        button.setAccessibleName(tr("Show archived trees"))
        button.setCheckable(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(theme.icon("chevron-right", "text.muted"))
        button.toggled.connect(self.on_archived_toggled)
        return button


def _place(row: TreeEntry) -> tuple[str, bool]:
    return row.id, row.archived_at is None
