"""The middle of the window: the graph; in a narrow window graph and text as tabs of one place."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget, QFrame, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from loomapp.ui import theme
from loomapp.ui.strings import tr

NARROW_PX = 900
TABS_PX = 32
GRAPH, TEXT = range(2)


class Halves(QWidget):
    """A banner, tabs if there is no room for two panes, and the graph's pages. The text moves in and out."""

    def __init__(self, banner: QWidget, pages: QStackedWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._text_dock: QDockWidget | None = None
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

    def set_text(self, dock: QDockWidget) -> None:
        """Where the text is while there is room."""
        self._text_dock, self._text = dock, dock.widget()

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

    def fold(self) -> None:
        """Take the text in as a tab; the one with the keyboard comes forward."""
        if self.is_folded or self._text is None or self._text_dock is None:
            return
        had_keyboard = self._focused_in(self._text)
        self._stack.addWidget(self._text)
        self._text_dock.hide()
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

    def _focused_in(self, pane: QWidget) -> QWidget | None:
        focused = self.window().focusWidget()
        return focused if focused is not None and pane.isAncestorOf(focused) else None
