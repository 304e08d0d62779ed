"""Space on a button that was clicked: a word space, as for letters there; who came by Tab presses it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from loomapp.ui.commands import panes
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import HELD, is_to_an_end, is_word_key
from loomapp.ui.workbench import Workbench


class ClickedButton(QObject):
    """The button of a window that has the keyboard by a click: a click is not meant to take it from words."""

    def __init__(self, window: QMainWindow, write: Callable[[QKeyEvent], None]) -> None:
        super().__init__(window)
        self._window, self._write = window, write
        self._button: QAbstractButton | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self.on_focus_changed)

    def on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Watch a button as long as it has the keyboard, if the pointer gave it."""
        if self._button is not None and isValid(self._button):
            self._button.removeEventFilter(self)
        self._button = None
        is_click = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        if is_click and isinstance(now, QAbstractButton) and self._window.isAncestorOf(now):
            self._button = now
            now.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Write a space instead of a second press."""
        if (
            watched is not self._button
            or not isinstance(event, QKeyEvent)
            or event.type() != QEvent.Type.KeyPress
            or event.key() != Qt.Key.Key_Space
            or event.modifiers() & HELD
        ):
            return False
        self._write(event)
        return True


def take(bench: Workbench, event: QKeyEvent) -> bool:
    """Take a key that came back from all that has the keyboard; False if it means nothing here either."""
    why_off = bench.actions.why_off(event, in_graph=bench.views.graph.hasFocus())
    if why_off is not None:
        bench.frame.note(why_off or tr("This cannot be done now."))
        return True
    if is_word_key(event) or is_to_an_end(event):
        panes.write_on(bench, event)
        return True
    return False
