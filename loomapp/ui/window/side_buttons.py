"""The side buttons of a mouse: back and forward through what was visited, wherever the pointer is."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QMouseEvent, QWindow
from PySide6.QtWidgets import QWidget

MEANINGS = {Qt.MouseButton.BackButton: "visitBack", Qt.MouseButton.ForwardButton: "visitForward"}


class SideButtons(QObject):
    """Listens at the native window, before any widget: a filter on the application would see every event."""

    def __init__(self, window: QWidget, actions: Mapping[str, QAction]) -> None:
        super().__init__(window)
        self._window = window
        self._actions = {button: actions[name] for button, name in MEANINGS.items()}
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Trigger the action of a side button; all else goes its way."""
        if watched is self._window:
            if event.type() == QEvent.Type.Show:
                self._window.windowHandle().installEventFilter(self)
            return False
        if isinstance(watched, QWindow) and event.type() in (
            QEvent.Type.MouseButtonPress,
            QEvent.Type.MouseButtonDblClick,
        ):
            action = self._actions.get(event.button()) if isinstance(event, QMouseEvent) else None
            if action is not None:
                action.trigger()
                return True
        return False
