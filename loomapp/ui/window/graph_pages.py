"""The graph, or one page in its place: the inspector gives way then, and the keyboard finds its way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget
from shiboken6 import isValid

from loomapp.ui.widgets.page import Page

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


class GraphPages(QStackedWidget):
    """As high as the window; what was typed on a page is kept when it is left."""

    def __init__(self, window: MainWindow, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = window
        self._inspector_was_shown = True
        self._focus_before: QWidget | None = None  # a page came in the graph's place

    @property
    def is_showing_graph(self) -> bool:
        """True while no page stands in its place."""
        return self.currentWidget() is self._window.graph

    @property
    def is_showing_settings(self) -> bool:
        """True while the tree settings stand in the graph's place."""
        return self.currentWidget() is self._window.settings_page

    @property
    def is_inspector_wanted(self) -> bool:
        """True if the inspector is shown, or will be when the page in the graph's place is left."""
        on_page = not self.is_showing_graph
        return self._inspector_was_shown if on_page else not self._window.inspector_dock.isHidden()

    def show_instead(self, page: QWidget) -> None:
        """A page in the graph's place."""
        before, window = QApplication.focusWidget(), self._window
        if self.is_showing_graph:
            self._focus_before = before if before is not None and window.isAncestorOf(before) else None
        self.show_graph()
        self._inspector_was_shown = not window.inspector_dock.isHidden()
        window.inspector_dock.hide()
        self.setCurrentWidget(page)
        window.halves.bring_graph()

    def show_settings(self) -> None:
        """The settings of this tree, beside what they make of the context."""
        window = self._window
        self.show_instead(window.settings_page)  # the preview beside it says what the inspector says
        window.text_pane.show_preview()
        window.preview.refresh()
        window.settings_page.setFocus()

    def flush(self) -> None:
        """Hand on what was typed on the page that is shown and is not saved yet, as when it is left."""
        self._window.settings_page.flush()
        page = self.currentWidget()
        if isinstance(page, Page):
            page.left.emit()

    def show_graph(self) -> None:
        """The graph, in place of a page."""
        window = self._window
        if self.is_showing_graph:
            return
        page, focused = self.currentWidget() or window.graph, QApplication.focusWidget()
        if self.is_showing_settings:
            window.settings_page.flush()
            window.text_pane.show_dialogue()
        self.setCurrentWidget(window.graph)
        window.inspector_dock.setVisible(self._inspector_was_shown)
        before = self._focus_before
        was_on_page = focused is not None and (focused is page or page.isAncestorOf(focused))
        if was_on_page and before is not None and isValid(before) and before.isVisible():
            before.setFocus()  # or Qt takes the next that there is
