"""A page in another pane's place, and a popover over the window, and menus; Esc closes each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPainterPath,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QMenu, QToolButton, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import is_letter
from loomapp.ui.widgets.layouts import BAR_PX, NARROW_MARGIN_PX, TOP_PX, side_px

CROSS_PX = 28


class Page(QWidget):
    """Page in place of the graph or the text, with a heading and a close button. Emits `close_asked` and
    `left`.
    """

    close_asked = Signal()
    left = Signal()  # what was typed is to be kept: it is not shown any more, or about to be used

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(self, surface="panel")
        self._framed: tuple[QLayout, int] | None = None

    def frame(self, layout: QLayout, *, below_px: int) -> None:
        """Let a layout keep the margins of pages, whatever their width; the cross stands as in a page that
        scrolls.
        """
        self._framed = (layout, below_px)
        self._frame()

    def _frame(self) -> None:
        if self._framed is not None:
            layout, below_px = self._framed
            layout.setContentsMargins(side_px(self.width()), TOP_PX, NARROW_MARGIN_PX + BAR_PX, below_px)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._frame()
        super().resizeEvent(event)

    def head(self, title: QLabel, cross_name: str) -> QHBoxLayout:
        """Add the row at its top: a title, and the cross at the right."""
        cross = QToolButton(self)
        cross.setObjectName(cross_name)
        cross.setIcon(theme.icon("x"))
        cross.setFixedSize(CROSS_PX, CROSS_PX)
        cross.setAccessibleName(tr("Close {page}").format(page=self.accessibleName().lower()))
        cross.setToolTip(tr("Close (Esc)"))
        cross.clicked.connect(self.close_asked)
        row = QHBoxLayout()
        row.addWidget(title, 1)
        row.addWidget(cross, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def event(self, event: QEvent) -> bool:
        """Close on Esc before it means anything else."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.close_asked.emit()
                return True
        return super().event(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that the page was left, whatever took it away."""
        self.left.emit()
        super().hideEvent(event)


class Popover(QFrame):
    """Popup with round corners."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        _cut_corners(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        painter.fillRect(self.rect(), theme.colour("border.normal"))
        radius = theme.metric("radius.popover") - 1
        theme.draw_in(painter, fill="surface.overlay")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        painter.end()


class Menu(QMenu):
    """Menu of actions, with round corners; a letter goes to the next row that begins with it."""

    def event(self, event: QEvent) -> bool:
        """Take every key before it is the key of what has the focus below the menu."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let no letter go on to the menu bar, and from there to a text below the menu; one that is
        underlined in a row is Qt's.
        """
        letter = event.text().casefold()
        if is_letter(event) and not any(_underlined(row) == letter for row in self.actions()):
            self._go_to(letter)
            return
        super().keyPressEvent(event)

    def _go_to(self, letter: str) -> None:
        """Choose the next row below that begins with a letter, round and round; stay where none does."""
        rows = [row for row in self.actions() if row.isVisible() and row.isEnabled() and row.text()]
        chosen = self.activeAction()
        start = rows.index(chosen) + 1 if chosen in rows else 0
        for row in rows[start:] + rows[:start]:
            if row.text().replace("&", "").casefold().startswith(letter):
                self.setActiveAction(row)
                return

    def showEvent(self, event: QShowEvent) -> None:
        """Be heard by its title, which a reader would hear as the program's."""
        if self.title():
            self.setAccessibleName(self.title().replace("&", ""))
        super().showEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        _cut_corners(self)


def _underlined(row: QAction) -> str:
    """Return the letter that is underlined in a row, small; "" if none is."""
    return QKeySequence.mnemonic(row.text()).toString().rpartition("+")[2].casefold()


def _cut_corners(window: QWidget) -> None:
    """Cut the corners off a window's shape: not every desktop can draw one that is transparent in parts."""
    shape, radius = QPainterPath(), theme.metric("radius.popover")
    shape.addRoundedRect(QRectF(window.rect()), radius, radius)
    window.setMask(QRegion(shape.toFillPolygon().toPolygon()))
