"""Page of models in the graph's place: tabs of agents, endpoints and usage, and a list beside its form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.dataclass import dataclass
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.page import Page

MARGIN_PX = 32
LIST_PX, NARROW_PX, LOW_PX = 204, 540, 128
LOWEST_PX, LEAST_FORM_PX = 44, 240  # a list of one row, where more would leave its form less
BUTTON_PX = 52  # below the list
WIDEST_PX = 16_777_215  # Qt's own


@dataclass(frozen=True, slots=True)
class Tab:
    """Page of the tabs: its object name, its title, and what makes it when it is first shown."""

    name: str
    title: str
    make: Callable[[], QWidget]


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
        self._pages: tuple[Tab, ...] = ()
        self._made: dict[str, QWidget] = {}
        self._lay_out()

    def fill(self, pages: Sequence[Tab]) -> None:
        """Titles now; each page is made when it is first shown, all at once would be felt."""
        self._pages = tuple(pages)
        for page in pages:
            self._tabs.addTab(page.title)
        self._tabs.currentChanged.connect(self.on_tab_changed)

    def show_tab(self, name: str) -> None:
        """Show the page of this object name."""
        index = next(i for i, page in enumerate(self._pages) if page.name == name)
        if index == self._tabs.currentIndex():
            self.on_tab_changed(index)
        else:
            self._tabs.setCurrentIndex(index)
        self._made[name].setFocus()

    def shown(self) -> str:
        return self._pages[self._tabs.currentIndex()].name

    def on_tab_changed(self, index: int) -> None:
        page = self._pages[index]
        if page.name not in self._made:
            self._made[page.name] = page.make()
            self.stack.addWidget(self._made[page.name])
        self.stack.setCurrentWidget(self._made[page.name])
        self.tab_shown.emit(page.name)

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


class Sides(QWidget):
    """The list with its button, and the form that what is chosen in it is shown in."""

    def __init__(self, rows: QListWidget, new: QPushButton, form: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows
        self._side = QWidget()
        left = QVBoxLayout(self._side)
        left.setContentsMargins(0, 0, 0, 16)
        left.setSpacing(8)
        left.addWidget(rows, 1)
        left.addWidget(new)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addWidget(self._side)
        self._box.addWidget(form, 1)
        self._arrange(narrow=False, height_px=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(narrow=event.size().width() < NARROW_PX, height_px=event.size().height())

    def _arrange(self, *, narrow: bool, height_px: int) -> None:
        list_px = LOW_PX if height_px >= LOW_PX + BUTTON_PX + LEAST_FORM_PX else LOWEST_PX
        way = QBoxLayout.Direction
        self._box.setDirection(way.TopToBottom if narrow else way.LeftToRight)
        self._box.setSpacing(0 if narrow else 24)
        self._side.setMinimumWidth(0 if narrow else LIST_PX)
        self._side.setMaximumWidth(WIDEST_PX if narrow else LIST_PX)
        self._rows.setMaximumHeight(list_px if narrow else WIDEST_PX)
        self._side.setMaximumHeight(list_px + BUTTON_PX if narrow else WIDEST_PX)
