"""The page of models in the graph's place: agents, endpoints with their keys, and what was used."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QToolButton, QVBoxLayout, QWidget

from loomapp.ui import theme
from loomapp.ui.form import label
from loomapp.ui.strings import tr

MARGIN_PX = 32


class ModelsPage(QWidget):
    """Tabs over pages that others fill. Esc closes it."""

    close_asked = Signal()
    left = Signal()  # it is not shown any more: what was typed is to be kept
    tab_shown = Signal(str)  # name of the tab's page

    def __init__(self, pages: tuple[tuple[str, QWidget], ...], parent: QWidget) -> None:
        """`pages` are titles and widgets."""
        super().__init__(parent)
        self.setObjectName("modelsPage")
        self.setAccessibleName(tr("Models"))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(self, surface="panel")
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("modelsTabs")
        self._tabs.setAccessibleName(tr("Models"))
        self._tabs.setFont(theme.font("ui"))
        self._stack = QStackedWidget(self)
        self._pages = tuple(page for _, page in pages)
        for title, page in pages:
            self._tabs.addTab(title)
            self._stack.addWidget(page)
        self._tabs.currentChanged.connect(self.on_tab_changed)
        self._lay_out()

    def show_tab(self, name: str) -> None:
        """Show the page of this object name."""
        index = next(i for i, page in enumerate(self._pages) if page.objectName() == name)
        self._tabs.setCurrentIndex(index)
        self.on_tab_changed(index)
        self._pages[index].setFocus()

    def shown(self) -> str:
        """The object name of the page that is shown."""
        return self._pages[self._stack.currentIndex()].objectName()

    def on_tab_changed(self, index: int) -> None:
        """Show another page."""
        self._stack.setCurrentIndex(index)
        self.tab_shown.emit(self.shown())

    def event(self, event: QEvent) -> bool:
        """Esc closes the page before it means anything else."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.close_asked.emit()
                return True
        return super().event(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Whatever takes the page away, what was typed is kept."""
        self.left.emit()
        super().hideEvent(event)

    def _lay_out(self) -> None:
        close = QToolButton(self)
        close.setObjectName("modelsClose")
        close.setIcon(theme.icon("x"))
        close.setAccessibleName(tr("Close"))
        close.setToolTip(tr("Close (Esc)"))
        close.clicked.connect(self.close_asked)
        head = QHBoxLayout()
        head.addWidget(label(tr("Models"), "title"), 1)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, 28, 20, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addSpacing(8)
        tabs = QHBoxLayout()
        tabs.setContentsMargins(0, 0, 0, 0)
        tabs.addWidget(self._tabs)
        tabs.addStretch(1)
        column.addLayout(tabs)
        column.addSpacing(16)
        column.addWidget(self._stack, 1)
