"""The middle of the window: the graph; in a narrow window graph and text as tabs of one place."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QMainWindow,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from loomapp.ui.look import theme
from loomapp.ui.strings import tr

NARROW_PX = 900
ROOMY_PX = 1100  # from here on the docks are as wide as a person made them
TABS_PX = 32
GRAPH, TEXT = range(2)


class Halves(QWidget):
    """A banner, tabs if there is no room for two panes, and the graph's pages. The text moves in and out."""

    def __init__(self, banner: QWidget, pages: QStackedWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._side_dock: QDockWidget | None = None
        self._text_dock: QDockWidget | None = None
        self._widths: dict[QDockWidget, int] = {}  # in px, while there was room
        self._is_noting = False  # while a dock's width is what a person made it
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
        self._stack.addWidget(pages)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (banner, self._tabs, self._line):
            column.addWidget(widget)
        column.addWidget(self._stack, 1)
        self._tabs.currentChanged.connect(self._stack.setCurrentIndex)
        for widget in (self._tabs, self._line):
            widget.hide()

    def set_docks(self, side: QDockWidget, text: QDockWidget) -> None:
        """The side bar, and where the text is while there is room."""
        self._side_dock, self._text_dock, self._text = side, text, text.widget()
        for dock in (side, text):
            dock.installEventFilter(self)

    @property
    def widths(self) -> dict[str, int]:
        """How wide the docks were made, in px, by their names; a narrow window changes nothing here."""
        return {dock.objectName(): width for dock, width in self._widths.items()}

    def set_widths(self, widths: Mapping[str, int]) -> None:
        """How wide the docks are to be once there is room for them."""
        for dock in (self._side_dock, self._text_dock):
            if dock is not None and dock.objectName() in widths:
                self._widths[dock] = widths[dock.objectName()]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Remember how wide the docks are while nothing squeezes them."""
        is_roomy = self.window().width() >= ROOMY_PX and self._is_noting
        if event.type() == QEvent.Type.Resize and is_roomy and isinstance(watched, QDockWidget):
            self._widths[watched] = watched.width()
        return super().eventFilter(watched, event)

    @property
    def is_folded(self) -> bool:
        """True while graph and text are tabs."""
        return self._stack.count() > 1

    def fit(self, width_px: int) -> None:
        """Two panes or two tabs, by the width of the window."""
        if width_px < NARROW_PX:
            self.fold()
        else:
            self.unfold()
            if self._text_dock is not None and self._text_dock.isHidden():
                self._text_dock.show()  # hidden by what was remembered of a narrow window
        if width_px < ROOMY_PX:
            self._is_noting = False
        elif not self._is_noting:
            self._widen(self._side_dock, self._text_dock)
            QTimer.singleShot(0, self, self.on_settled)

    def on_settled(self) -> None:
        """The layout of a window that became roomy stands: widths are a person's doing from here on."""
        if self.window().width() < ROOMY_PX or self.is_folded:
            return
        self._is_noting = True
        for dock in (self._side_dock, self._text_dock):
            if dock is not None and dock.isVisible():
                self._widths.setdefault(dock, dock.width())

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

    def bring_graph(self) -> None:
        """The graph forward, if it is a tab."""
        if self.is_folded:
            self._tabs.setCurrentIndex(GRAPH)

    def bring_text(self) -> None:
        """The text forward, if it is a tab."""
        if self.is_folded:
            self._tabs.setCurrentIndex(TEXT)

    def _widen(self, *docks: QDockWidget | None) -> None:
        """Give docks the widths back that they had while there was room: a narrow window squeezed them."""
        window = self.window()
        known = [dock for dock in docks if dock in self._widths]
        if known and isinstance(window, QMainWindow):
            widths = [self._widths[dock] for dock in known]
            window.resizeDocks(known, widths, Qt.Orientation.Horizontal)

    def _focused_in(self, pane: QWidget) -> QWidget | None:
        focused = self.window().focusWidget()
        return focused if focused is not None and pane.isAncestorOf(focused) else None
