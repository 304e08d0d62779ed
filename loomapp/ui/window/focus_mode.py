"""Focus mode: the pane one is in fills the screen; everything else comes back as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


class FocusMode:
    """Knows what it has hidden."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._hidden: list[QWidget] = []
        self._was_maximized = False
        self._docks = QByteArray()
        self.is_on = False

    def enter(self) -> None:
        """Only the graph, if the keyboard is in it, else only the text."""
        if self.is_on:
            return
        window = self._window
        centre = window.centralWidget()
        assert centre is not None, "the window is built"
        in_graph = is_within(QApplication.focusWidget(), centre)
        away = [window.side_bar, window.inspector_dock, window.status, window.header]
        away.append(window.text_dock if in_graph else centre)
        self._hidden = [widget for widget in away if not widget.isHidden()]
        self._was_maximized = window.isMaximized()
        self._docks = window.saveState()
        self.is_on = True
        for widget in self._hidden:
            widget.hide()
        window.showFullScreen()

    def leave(self) -> None:
        """Everything as it was."""
        if not self.is_on:
            return
        self.is_on = False
        had = QApplication.focusWidget()
        for widget in self._hidden:
            widget.show()
        self._hidden = []
        self._window.restoreState(self._docks)  # showing a dock again does not give it its size back
        self._window.showMaximized() if self._was_maximized else self._window.showNormal()
        if had is not None and had.isVisible():
            had.setFocus(Qt.FocusReason.OtherFocusReason)  # else the first that is shown again would get it


def is_within(widget: QWidget | None, pane: QWidget) -> bool:
    """True if the widget is the pane or inside of it."""
    return widget is not None and (widget is pane or pane.isAncestorOf(widget))
