"""The page of models in the graph's place: agents, endpoints with their keys, and what was used."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.form import label
from loomapp.ui.widgets.page import Page

MARGIN_PX = 32


class ModelsPage(Page):
    """Tabs over pages that others fill. Esc closes it."""

    tab_shown = Signal(str)  # name of the tab's page

    def __init__(self, parent: QWidget) -> None:
        super().__init__("modelsPage", tr("Models"), parent)
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("modelsTabs")
        self._tabs.setAccessibleName(tr("Models"))
        self._tabs.setFont(theme.font("ui"))
        self.stack = QStackedWidget(self)  # for the pages to be made in
        self._pages: tuple[QWidget, ...] = ()
        self._lay_out()

    def fill(self, pages: Sequence[tuple[str, QWidget]]) -> None:
        """Titles and widgets, one for each tab."""
        self._pages = tuple(page for _, page in pages)
        for title, page in pages:
            self._tabs.addTab(title)
            self.stack.addWidget(page)
        self._tabs.currentChanged.connect(self.on_tab_changed)

    def show_tab(self, name: str) -> None:
        """Show the page of this object name."""
        index = next(i for i, page in enumerate(self._pages) if page.objectName() == name)
        self._tabs.setCurrentIndex(index)
        self.on_tab_changed(index)
        self._pages[index].setFocus()

    def shown(self) -> str:
        """The object name of the page that is shown."""
        return self._pages[self.stack.currentIndex()].objectName()

    def on_tab_changed(self, index: int) -> None:
        """Show another page."""
        self.stack.setCurrentIndex(index)
        self.tab_shown.emit(self.shown())

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, 28, 20, 0)
        column.setSpacing(0)
        column.addLayout(self.head(label(tr("Models"), "title"), "modelsClose"))
        column.addSpacing(8)
        tabs = QHBoxLayout()
        tabs.setContentsMargins(0, 0, 0, 0)
        tabs.addWidget(self._tabs)
        tabs.addStretch(1)
        column.addLayout(tabs)
        column.addSpacing(16)
        column.addWidget(self.stack, 1)
