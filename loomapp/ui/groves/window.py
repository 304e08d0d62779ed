"""A small window while a grove is not open: that it is being opened, why it is not, or its backups."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from loomapp.core.errors import LoomError
from loomapp.ui.groves.backup_page import BackupPage
from loomapp.ui.groves.page import COLUMN_PX, MARGIN_PX, OpeningPage
from loomapp.ui.groves.states import Remedy
from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.rows import ProgressRow

SIZE_PX = (760, 560)


class OpeningWindow(QMainWindow):
    """Window of a grove that is being opened; it shows and reports, `Opening` does."""

    remedy_clicked = Signal(str)  # a Remedy
    cancel_clicked = Signal()
    closed = Signal()

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.setObjectName("openingWindow")
        self.setWindowTitle(f"{path.name} — Loomapp")
        self.resize(*SIZE_PX)
        self.page = OpeningPage(self)
        self.page.remedy_clicked.connect(self.remedy_clicked)
        self.backups = BackupPage(self)
        self.backups.close_asked.connect(self.show_page)
        self.progress = ProgressRow(self)
        self.progress.cancel_clicked.connect(self.cancel_clicked)
        self._title = label("", "title", wrap=True)
        self._title.setObjectName("openingBusyTitle")
        self._pages = QStackedWidget(self)
        self._busy = self._busy_page()
        for page in (self.page, self.backups, self._busy):
            self._pages.addWidget(page)
        self.setCentralWidget(self._pages)
        QShortcut(QKeySequence("Ctrl+Q"), self).activated.connect(self.close)

    def show_busy(self, title: str, words: str) -> None:
        self._title.setText(title)
        self.setAccessibleName(title)
        self.progress.begin(words)
        self._pages.setCurrentWidget(self._busy)

    def show_error(self, error: LoomError, without: Container[Remedy] = ()) -> None:
        """Show why the grove is not open, and what can be done."""
        self.progress.end()
        self.page.show_error(error, without)
        self.show_page()

    def show_page(self) -> None:
        self._pages.setCurrentWidget(self.page)
        first = self.page.state.remedies[0] if self.page.state is not None else None
        button = self.page.button(first) if first is not None else None
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_backups_of(self, grove: Path) -> None:
        self._pages.setCurrentWidget(self.backups)
        self.backups.show_backups_of(grove)

    @property
    def is_showing_error(self) -> bool:
        return self._pages.currentWidget() is self.page

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close at once; work that is under way is not waited for."""
        self.backups.end()
        self.progress.end()
        super().closeEvent(event)
        self.closed.emit()

    def _busy_page(self) -> QWidget:
        page = QWidget(self)
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(page, surface="canvas")
        column = QWidget(page)
        column.setMaximumWidth(COLUMN_PX)
        inside = QVBoxLayout(column)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(20)
        inside.addWidget(self._title)
        inside.addWidget(self.progress)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(column, 100)
        middle.addStretch(1)
        outside = QVBoxLayout(page)
        outside.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        outside.addStretch(2)
        outside.addLayout(middle)
        outside.addStretch(3)
        return page
