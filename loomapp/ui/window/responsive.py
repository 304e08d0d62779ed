"""Arrangement of a window: docks around the graph, tabs where it is narrow, one pane in focus mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFrame,
    QMainWindow,
    QStackedWidget,
    QStyle,
    QTabBar,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.frame.pages import GraphPages
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Views

NARROW_PX = 900
ROOMY_PX = 1100  # from here on the text is as wide as a person made it; the side bar always
TABS_PX = 32
GRAPH, TEXT = range(2)
GRAPH_BESIDE_PROSE_PX = 396  # what a buffer leaves to the graph, until a person wants it otherwise
OF_PROSE = "OfBuffer"  # ends the name of a width that counts while a buffer is read
WIDTHS_PX = (240, 428)  # side bar and text; the graph has the rest
INSPECTOR_PX = 228
PAGE_PX = 520  # for a page in the graph's place
TEXT_BESIDE_PAGE_PX = 340  # what a page leaves to the text


Docks: TypeAlias = tuple[QDockWidget, QDockWidget, QDockWidget]


class Halves(QWidget):
    """A banner, tabs if there is no room for two panes, and the graph's pages. The text moves in and out.

    `pages` are made here: a part that is made inside of what holds it is styled once, else once more.
    """

    text_came = Signal()  # as a tab, in the graph's place

    def __init__(self, banner: QWidget, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._side_dock: QDockWidget | None = None
        self._text_dock: QDockWidget | None = None
        self._wanted: Mapping[QDockWidget, int] = {}  # widths that were asked for, till they are laid out
        self._widths: dict[str, int] = {}  # in px, while there was room; see `widths`
        self._is_prose = False
        self._is_noting = False  # while a dock's width is what a person made it
        self._narrow_px = 0  # the text's width in this narrow window, once it was dragged
        self._text_px = 0  # the text's width before a page came
        self._text: QWidget | None = None
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("halfTabs")
        self._tabs.setAccessibleName(tr("Graph or text"))
        self._tabs.addTab(tr("Graph"))
        self._tabs.addTab(tr("Text"))
        self._tabs.setExpanding(False)
        self._tabs.setFixedHeight(TABS_PX)
        theme.set_look(self._tabs, compact=True)
        self._line = QFrame(self)
        theme.set_look(self._line, line=True)
        self._stack = QStackedWidget(self)
        self.pages = GraphPages(self._stack)
        self._stack.addWidget(self.pages)
        self.pages.currentChanged.connect(self.on_page_changed)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (banner, self._tabs, self._line):
            column.addWidget(widget)
        column.addWidget(self._stack, 1)
        self._tabs.currentChanged.connect(self.on_tab_changed)
        for widget in (self._tabs, self._line):
            widget.hide()

    def add_on_top(self, part: QWidget) -> None:
        """Put something above everything else: the banner, once it is back from elsewhere."""
        self._column.insertWidget(0, part)

    def set_docks(self, side: QDockWidget, text: QDockWidget) -> None:
        """Set the side bar, and the dock of the text while there is room."""
        self._side_dock, self._text_dock, self._text = side, text, text.widget()
        for dock in (side, text):
            dock.installEventFilter(self)

    @property
    def widths(self) -> dict[str, int]:
        """Return the widths of the docks, in px, by their names; a narrow window changes nothing here.

        The text has two widths, one for dialogues and one for buffers.
        """
        return dict(self._widths)

    def set_widths(self, widths: Mapping[str, int]) -> None:
        self._widths.update(widths)

    def show_kind(self, *, is_prose: bool) -> None:
        """A tree of this kind is read from now on: a buffer wants more room than a dialogue."""
        if is_prose == self._is_prose:
            return
        self._is_prose = is_prose
        dock = self._text_dock
        if self.isVisible() and dock is not None and dock.isVisible():
            self._widen(dock)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Remember how wide a person makes the docks; what the window and each other make of them passes."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QDockWidget):
            is_dragged = bool(QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton)
            is_roomy = self._is_noting and self._window.width() >= ROOMY_PX
            if is_dragged and (is_roomy or watched is self._side_dock):
                self._note(watched)
            elif is_dragged and self.pages.is_showing_graph:
                self._narrow_px = watched.width()
        return super().eventFilter(watched, event)

    @property
    def is_folded(self) -> bool:
        return self._stack.count() > 1

    def fit(self, width_px: int) -> None:
        """Show two panes or two tabs, by the width of the window."""
        if width_px < NARROW_PX:
            self.fold()
        else:
            self.unfold()
            if self._text_dock is not None and self._text_dock.isHidden():
                self._text_dock.show()  # hidden by what was remembered of a narrow window
        if width_px < ROOMY_PX:
            self._is_noting = False
            text = None if self.is_folded else self._text_dock
            if text is None or self._is_prose:
                self._widen(self._side_dock, text)
            else:
                self._resize({text: self._narrow_px or min(text.width(), self._wanted_px(text))})
            return
        self._narrow_px = 0
        # Each time: what was remembered of a maximized window comes only as it gets its size.
        self._widen(self._side_dock, self._text_dock)
        if not self._is_noting:
            QTimer.singleShot(0, self, self.on_settled)

    def on_settled(self) -> None:
        """The layout of a window that became roomy stands: widths are a person's doing from here on."""
        if self._window.width() < ROOMY_PX or self.is_folded:
            return
        self._is_noting = True

    def fold(self) -> None:
        """Take the text in as a tab; the one with the keyboard comes forward."""
        if self.is_folded or self._text is None or self._text_dock is None:
            return
        had_keyboard = self._focused_in(self._text)
        self._stack.addWidget(self._text)
        self._text_dock.hide()
        self._widen(self._side_dock)
        for widget in (self._tabs, self._line):
            widget.show()
        self._tabs.setCurrentIndex(TEXT if had_keyboard is not None else GRAPH)
        if had_keyboard is not None:
            had_keyboard.setFocus()

    def unfold(self) -> None:
        """Give the text its own place again."""
        if not self.is_folded or self._text is None or self._text_dock is None:
            return
        had_keyboard = self._focused_in(self._text)
        self._stack.removeWidget(self._text)
        self._text_dock.setWidget(self._text)
        self._text.show()
        self._text_dock.show()
        self._widen(self._side_dock, self._text_dock)
        self._tabs.setCurrentIndex(GRAPH)
        for widget in (self._tabs, self._line):
            widget.hide()
        if had_keyboard is not None:
            had_keyboard.setFocus()

    def on_tab_changed(self, tab: int) -> None:
        self._stack.setCurrentIndex(tab)
        if tab == TEXT and self.is_folded:
            self.text_came.emit()

    def bring_graph(self) -> None:
        """Bring the graph forward, if it is a tab."""
        if self.is_folded:
            self._tabs.setCurrentIndex(GRAPH)

    def bring_text(self) -> None:
        """Bring the text forward, if it is a tab."""
        if self.is_folded:
            self._tabs.setCurrentIndex(TEXT)

    def on_page_changed(self, _: int) -> None:
        """Give a page more room than a graph needs beside a buffer or in a narrow window."""
        dock, before_px = self._text_dock, self._text_px
        if dock is None or self.is_folded or not dock.isVisible():
            return
        if self.pages.is_showing_graph:
            self._text_px = 0
            self._resize({dock: before_px or dock.width()})
        else:
            self._text_px = before_px or dock.width()
            self._resize({dock: self._beside_page_px(self._text_px)})

    def _beside_page_px(self, text_px: int) -> int:
        """Return the width of the text beside what is shown, from its width beside the graph."""
        if self.pages.is_showing_graph:
            return text_px
        return min(text_px, max(TEXT_BESIDE_PAGE_PX, self._beside_the_side_bar_px() - PAGE_PX))

    def _note(self, dock: QDockWidget) -> None:
        if dock is self._side_dock or self.pages.is_showing_graph:
            self._widths[self._name(dock)] = dock.width()

    def _widen(self, *docks: QDockWidget | None) -> None:
        """Give docks the widths back that they had while there was room: a narrow window squeezed them."""
        self._resize({dock: self._wanted_px(dock) for dock in docks if dock is not None})

    def _resize(self, wanted: Mapping[QDockWidget, int]) -> None:
        """Give docks these widths. The side bar keeps its own, or Qt lets it share what the text gains."""
        side = self._side_dock
        if side is not None and not side.isHidden():
            wanted = {side: self._wanted_px(side), **wanted}
        if wanted:
            self._window.resizeDocks(list(wanted), list(wanted.values()), Qt.Orientation.Horizontal)
            self._wanted = wanted
            QTimer.singleShot(0, self, self.on_laid_out)

    def on_laid_out(self) -> None:
        """Ask for the widths again: they were shared out while what went away still took its room. What is
        still lacking then is the text's to give.
        """
        wanted, self._wanted = self._wanted, {}
        side, text = self._side_dock, self._text_dock
        if side is None or side not in wanted or side.width() == wanted[side]:
            return
        self._window.resizeDocks(list(wanted), list(wanted.values()), Qt.Orientation.Horizontal)
        if text is not None and not text.isHidden():
            QTimer.singleShot(0, self, lambda: self._let_text_give(wanted[side]))

    def _let_text_give(self, side_px: int) -> None:
        side, text = self._side_dock, self._text_dock
        assert side is not None, "it was asked for"
        assert text is not None, "it was asked for"
        text_px = text.width() + side.width() - side_px
        if text_px < text.width():
            self._window.resizeDocks([side, text], [side_px, text_px], Qt.Orientation.Horizontal)

    def _wanted_px(self, dock: QDockWidget) -> int:
        """Return the width that a dock is to have; as it stands it may be from a narrow window, or one on a
        buffer.
        """
        known = self._widths.get(self._name(dock))
        if dock is not self._text_dock:
            return WIDTHS_PX[0] if known is None else known
        if known is None and self._is_prose:
            known = max(WIDTHS_PX[1], self._beside_the_side_bar_px() - GRAPH_BESIDE_PROSE_PX)
        return self._beside_page_px(WIDTHS_PX[1] if known is None else known)

    def _beside_the_side_bar_px(self) -> int:
        """Return the width that graph and text have together."""
        window, side = self._window, self._side_dock
        seam = self.style().pixelMetric(QStyle.PixelMetric.PM_DockWidgetSeparatorExtent, None, window)
        if side is None or side.isHidden():
            return window.width() - seam
        return window.width() - self._wanted_px(side) - 2 * seam

    def _name(self, dock: QDockWidget, *, is_prose: bool | None = None) -> str:
        prose = self._is_prose if is_prose is None else is_prose
        return dock.objectName() + (OF_PROSE if prose and dock is self._text_dock else "")

    def _focused_in(self, pane: QWidget) -> QWidget | None:
        focused = self._window.focusWidget()
        return focused if focused is not None and pane.isAncestorOf(focused) else None


def build_docks(window: QMainWindow) -> Docks:
    """Return empty docks for trees, text and inspector. Trees and text have the whole height of the
    window.
    """
    # WORKAROUND: after a change of the theme Qt may take a new window for one that is gone and stood at its
    # address, without a style sheet: the seams would be 6 px wide.
    window.ensurePolished()
    QApplication.sendEvent(window, QEvent(QEvent.Type.StyleChange))
    left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
    window.setCorner(Qt.Corner.BottomLeftCorner, left)
    window.setCorner(Qt.Corner.BottomRightCorner, right)
    side_bar = _dock(window, "sideBar", tr("Trees"), left)
    text = _dock(window, "textDock", tr("Text"), right)
    inspector = _dock(window, "inspectorDock", tr("Inspector"), Qt.DockWidgetArea.BottomDockWidgetArea)
    return side_bar, text, inspector


def fill_docks(window: QMainWindow, docks: Docks, parts: Sequence[QWidget]) -> None:
    """Put a part into each dock, with its width or height."""
    for dock, part in zip(docks, parts, strict=True):
        dock.setWidget(part)
    side_bar, text, inspector = docks
    window.resizeDocks([side_bar, text], list(WIDTHS_PX), Qt.Orientation.Horizontal)
    window.resizeDocks([inspector], [INSPECTOR_PX], Qt.Orientation.Vertical)


def _dock(window: QMainWindow, name: str, title: str, area: Qt.DockWidgetArea) -> QDockWidget:
    dock = QDockWidget(title, window)
    dock.setObjectName(name)
    dock.setTitleBarWidget(QWidget(dock))  # docks have no title row; the View menu shows and hides them
    window.addDockWidget(area, dock)
    return dock


class FocusMode:
    """Knows what it has hidden. The banner is none of that: what is not saved is said wherever one is."""

    def __init__(self, views: Views, halves: Halves) -> None:
        self._window, self._views, self._halves = views.window, views, halves
        self._hidden: list[QWidget] = []
        self._was_maximized = False
        self._docks = QByteArray()
        self._went_from: QWidget | None = None  # what had the keyboard and was hidden
        self._went_to: QWidget | None = None
        self.is_on = False
        # What is shown again is painted when all of it has its place.
        self._laid_out = IdleTimer(views.window)
        self._laid_out.timeout.connect(self.on_laid_out)

    def enter(self) -> None:
        """Show only the graph, if the keyboard is in it, else only the text."""
        if self.is_on:
            return
        window, views, centre = self._window, self._views, self._halves
        had = QApplication.focusWidget()
        in_graph = is_within(had, centre)
        away = [views.side_bar, views.inspector_dock, views.status, views.header]
        away.append(views.text_dock if in_graph else centre)
        self._hidden = [widget for widget in away if not widget.isHidden()]
        self._was_maximized = window.isMaximized()
        self._docks = window.saveState()
        self.is_on = True
        for widget in self._hidden:
            widget.hide()
        if not in_graph:
            _move(views.banner, views.text_pane.add_on_top)
        self._went_from = self._went_to = None
        if had is None or not had.isVisible():  # or Qt gives it to the next that there is, such as a button
            views.text_pane.focus_text()
            self._went_from, self._went_to = had, QApplication.focusWidget()
        window.showFullScreen()

    def leave(self, wanted: QWidget | None = None) -> None:
        """Show everything as it was; where a pane is wanted, only if that is hidden."""
        if not self.is_on or (wanted is not None and wanted not in self._hidden):
            return
        self.is_on = False
        had = QApplication.focusWidget()
        window, layout = self._window, self._window.layout()
        assert layout is not None, "a main window has one"
        window.setUpdatesEnabled(False)
        layout.setEnabled(False)  # or all of it is laid out for each of them
        if not is_within(self._views.banner, self._halves):
            _move(self._views.banner, self._halves.add_on_top)
        for widget in self._hidden:
            widget.show()
        layout.setEnabled(True)
        self._hidden = []
        window.restoreState(self._docks)  # showing a dock again does not give it its size back
        window.showMaximized() if self._was_maximized else window.showNormal()
        self._laid_out.start()
        if had is self._went_to and self._went_from is not None and isValid(self._went_from):
            had = self._went_from  # nothing else was gone to meanwhile
        if had is not None and had.isVisible():
            had.setFocus(Qt.FocusReason.OtherFocusReason)  # else the first that is shown again would get it

    def on_laid_out(self) -> None:
        self._window.setUpdatesEnabled(True)


def _move(banner: QWidget, put: Callable[[QWidget], None]) -> None:
    """Put the banner elsewhere, seen or not as it was: who is given to another widget is hidden by that."""
    is_hidden = banner.isHidden()
    put(banner)
    banner.setHidden(is_hidden)


def is_within(widget: QWidget | None, pane: QWidget) -> bool:
    return widget is not None and (widget is pane or pane.isAncestorOf(widget))
