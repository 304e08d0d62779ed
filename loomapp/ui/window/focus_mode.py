"""Focus mode: the pane one is in fills the screen; everything else comes back as it was."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.window.responsive import Halves
from loomapp.ui.workbench import Views


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

    def leave(self) -> None:
        """Show everything as it was."""
        if not self.is_on:
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
