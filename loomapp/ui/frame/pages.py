"""Pages in the graph's place, one at a time, and parts of a window that are made when first wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDockWidget, QStackedWidget, QWidget
from shiboken6 import isValid

from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.composer.text_pane import TextPane
from loomapp.ui.trees.tree_settings import TreeSettingsPage
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.widgets.page import Page

Part = TypeVar("Part", bound=QObject)


class PartsOnDemand:
    """Parts made on demand: one of each class, and of each name where there are several."""

    def __init__(self) -> None:
        self._made: dict[tuple[type[QObject], str], QObject] = {}

    def made(self, kind: type[Part], name: str = "") -> Part | None:
        """Return the part of a class, if it was wanted yet."""
        part = self._made.get((kind, name))
        return part if isinstance(part, kind) else None

    def forget(self, kind: type[QObject], name: str = "") -> None:
        """Let the next one be made anew."""
        self._made.pop((kind, name), None)

    def one(self, kind: type[Part], make: Callable[[], Part], name: str = "") -> Part:
        """Return the part of a class; `make` makes it when it is wanted first."""
        part = self.made(kind, name)
        if part is None:
            part = self._made[kind, name] = make()
        return part


class GraphPages(QStackedWidget):
    """Pages in the graph's place; what was typed on a page is kept when it is left."""

    graph_wanted = Signal()  # as a tab, it comes forward
    settings_shown = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._graph: QWidget
        self._settings_page: TreeSettingsPage
        self._text: TextPane
        self._inspector: QDockWidget
        self._inspector_was_shown = True
        self._focus_before: QWidget | None = None  # a page came in the graph's place
        self._preview_turn = IdleTimer(self)
        self._preview_turn.timeout.connect(self.on_preview_turn)

    def stand_beside(self, text: TextPane, inspector: QDockWidget) -> None:
        """The text shows a preview beside the tree settings; the inspector gives way to every page."""
        self._text, self._inspector = text, inspector

    def add_first(self, graph: QWidget, settings_page: TreeSettingsPage) -> None:
        """Add the graph itself, and the page of the tree's settings."""
        self._graph, self._settings_page = graph, settings_page
        self.addWidget(graph)
        self.addWidget(settings_page)

    @property
    def is_showing_graph(self) -> bool:
        return self.currentWidget() is self._graph

    @property
    def is_showing_settings(self) -> bool:
        return self.currentWidget() is self._settings_page

    @property
    def is_inspector_wanted(self) -> bool:
        """True if the inspector is shown, or will be when the page in the graph's place is left."""
        on_page = not self.is_showing_graph
        return self._inspector_was_shown if on_page else not self._inspector.isHidden()

    def show_instead(self, page: QWidget) -> None:
        if self.is_showing_graph:
            self._focus_before = focused_beside(self)
        self.show_graph()
        self._inspector_was_shown = not self._inspector.isHidden()
        self._inspector.hide()
        if page.focusProxy() is not None and self.isAncestorOf(focused_beside(self) or self):
            page.show()
            page.setFocus()  # first, as in `show_graph`
        self.setCurrentWidget(page)
        self.graph_wanted.emit()

    def show_settings(self) -> None:
        """Show the settings of this tree, beside what they make of the context."""
        self.show_instead(self._settings_page)  # the preview beside it says what the inspector says
        self._preview_turn.start()
        self.settings_shown.emit()
        self._settings_page.setFocus()

    def on_preview_turn(self) -> None:
        """Show the preview of the request beside the settings: both in one turn would be long."""
        if self.is_showing_settings:
            self._text.show_preview()

    def flush(self) -> None:
        """Hand on what was typed on the page that is shown and is not saved yet, as when it is left."""
        self._settings_page.flush()
        page = self.currentWidget()
        if isinstance(page, Page):
            page.left.emit()

    def show_graph(self) -> None:
        if self.is_showing_graph:
            return
        page, focused = self.currentWidget() or self._graph, focused_beside(self)
        was_on_page = focused is not None and (focused is page or page.isAncestorOf(focused))
        before = self._focus_before
        if was_on_page and before is not None and isValid(before):
            self._graph.show()  # behind the page, or what is in it could not have the keyboard yet
            if before.isVisible():
                before.setFocus()  # first: a page that is hidden passes it to what stands next to it
        if self.is_showing_settings:
            self._settings_page.flush()
            self._text.show_dialogue()
        if was_on_page and focused_beside(self) is focused:
            self._text.focus_text()  # where it came from is gone
        self.setCurrentWidget(self._graph)
        self._inspector.setVisible(self._inspector_was_shown)
