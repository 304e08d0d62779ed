"""The list of a tree's steps, drawn as points on a line: Enter asks to go there, F2 names the point."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from loomapp.core.edits.undo import BEGINNING, Step
from loomapp.core.times import Milliseconds
from loomapp.ui.inspector.history.steps import (
    HistoryTable,
    Index,
    PageReader,
    group_words,
    here_words,
    maker,
    moment_words,
    state_words,
)
from loomapp.ui.look import theme
from loomapp.ui.strings import step_words, tr
from loomapp.ui.widgets.keyboard import is_for_writing
from loomapp.ui.widgets.layouts import show_rows_only
from loomapp.ui.widgets.page import Menu

ROW_PX = 28
EDGE_PX = 12
LINE_X_PX = 20.0  # the line that the points stand on
TIME_PX = 36
MAKER_PX = 120
MAKER_FROM_PX = 380  # narrower lists leave it to the tool tip
GAP_PX = 12
GROUP_PX = 10  # from the line to the bar along the steps of one action


class HistoryPainter(QStyledItemDelegate):
    """Rows of 28 px. What holds has a full point, what was undone an empty one, what was given up a cross."""

    def __init__(self, view: QAbstractItemView, table: HistoryTable) -> None:
        super().__init__(view)
        self._view, self._table = view, table
        self.ring = False  # the cursor is a ring, only for who works with keys

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        step, rect = self._table.step(index), QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(rect)
        is_here = step.sequence == self._table.present
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if is_here or is_hovered:
            theme.draw_in(painter, fill="surface.selected" if is_here else "surface.hover")
            painter.drawRoundedRect(rect.adjusted(4, 1, -4, -1), 6, 6)
        self._paint_line(painter, rect, index.row())
        _paint_point(painter, step, QPointF(LINE_X_PX, rect.center().y()), is_here=is_here)
        group = self._table.group_of(index.row())
        head = self._table.steps[index.row() - group[0] + 1]
        self._paint_group(painter, head, rect, *group)
        self._paint_words(painter, step, rect, group_words(*group), is_here=is_here)
        if self.ring and option.state & QStyle.StateFlag.State_HasFocus:
            theme.draw_in(painter, "accent.focus", width=theme.metric("control.focus_width"))
            painter.drawRoundedRect(rect.adjusted(3, 1, -3, -1), 6, 6)
        painter.restore()

    def _paint_line(self, painter: QPainter, rect: QRectF, row: int) -> None:
        top = rect.center().y() if row == 0 else rect.top()
        bottom = rect.center().y() if row == len(self._table.steps) - 1 else rect.bottom() + 1
        painter.setPen(QPen(theme.colour("border.strong"), 1.25))
        painter.drawLine(QPointF(LINE_X_PX, top), QPointF(LINE_X_PX, bottom))

    def _paint_group(self, painter: QPainter, head: Step, rect: QRectF, place: int, count: int) -> None:
        """Paint a bar along the steps that one action made, in the colour of who made their head: whose run
        it is.
        """
        if count > 1:
            top, bottom = rect.top() + 5 * (place == 1), rect.bottom() + 1 - 5 * (place == count)
            bar = QRectF(LINE_X_PX + GROUP_PX, top, 3, bottom - top)
            painter.fillRect(bar, theme.colour(self._table.tint_of(head.by)))

    def _paint_words(self, painter: QPainter, step: Step, rect: QRectF, group: str, *, is_here: bool) -> None:
        """Paint from both ends: time on the left, who and what became of it on the right, the label
        between.
        """
        left, right = LINE_X_PX + 16, rect.right() - EDGE_PX
        time = theme.numbers("small")
        words = moment_words(step.at)
        left += _draw(painter, words, time, "text.muted", left, rect, right - left, least=TIME_PX) + GAP_PX
        if rect.width() >= MAKER_FROM_PX:
            right -= MAKER_PX
            tint = self._table.tint_of(step.by)
            _draw(painter, maker(step), theme.font("small"), tint, right, rect, MAKER_PX)
            right -= GAP_PX
        said = here_words() if is_here else state_words(step)
        if said:
            font = _weighted(QFont.Weight.Medium)
            right -= QFontMetricsF(font).horizontalAdvance(said)
            _draw(painter, said, font, "accent.base" if is_here else "text.muted", right, rect, rect.width())
            right -= GAP_PX
        if group:
            font, role = _weighted(QFont.Weight.DemiBold), self._table.tint_of(step.by)
            left += _draw(painter, group, font, role, left, rect, right - left) + GAP_PX
        if step.name:
            mark = QRectF(left, rect.center().y() - 7, 14, 14)
            theme.paint(painter, "bookmark", "accent.base", mark, filled=True)
            left += 20
            font, role = _weighted(QFont.Weight.DemiBold), _ink(step)
            left += _draw(painter, step.name, font, role, left, rect, (right - left) * 0.7) + 8
        font = theme.font("small")
        font.setStrikeOut(step.state == "abandoned")
        role = "text.muted" if step.name else _ink(step)
        left += _draw(painter, step_words(step.label), font, role, left, rect, right - left) + GAP_PX
        _draw(painter, step.about, theme.font("small"), "text.muted", left, rect, right - left)


def _paint_point(painter: QPainter, step: Step, at: QPointF, *, is_here: bool) -> None:
    """The point of a step, told by its shape: full, empty, or a cross; the present one has a ring."""
    theme.draw_in(painter, fill="surface.panel")
    painter.drawEllipse(at, 7, 7)
    if step.state == "abandoned":
        theme.paint(painter, "x", "text.muted", QRectF(at.x() - 6, at.y() - 6, 12, 12))
        return
    if is_here:
        theme.draw_in(painter, "accent.base", width=1.5)
        painter.drawEllipse(at, 6.5, 6.5)
    holds = step.state == "done"
    colour = theme.colour("accent.base" if is_here else "text.muted")
    painter.setBrush(colour if holds else theme.colour("surface.panel"))
    painter.setPen(Qt.PenStyle.NoPen if holds else QPen(colour, 1.5))
    painter.drawEllipse(at, 3.5, 3.5)


def _ink(step: Step) -> str:
    return "text.primary" if step.state == "done" else "text.muted"


def _weighted(weight: QFont.Weight) -> QFont:
    font = QFont(theme.font("small"))
    font.setWeight(weight)
    return font


def _draw(
    painter: QPainter,
    words: str,
    font: QFont,
    role: str,
    left: float,
    rect: QRectF,
    width: float,
    *,
    least: float = 0,
) -> float:
    """Draw a line in the middle of a row, cut off with … at a width; return the width it takes."""
    metrics = QFontMetricsF(font)
    words = " ".join(words.split())
    if metrics.horizontalAdvance(words) > width + 1:
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(0.0, width))
    painter.setFont(font)
    painter.setPen(theme.colour(role))
    baseline = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2
    painter.drawText(QPointF(left, baseline), words)
    return max(least, metrics.horizontalAdvance(words))


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
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self.on_menu_asked)
        self.setViewportMargins(0, 4, 0, 4)
        show_rows_only(self)

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
        menu = Menu(self)
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
