"""The engine, watched: tells when its state is another, which it becomes on threads of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.state import EngineState

WATCH_MS = 200


class EngineWatch(QObject):
    """Watch of the engine, on the GUI thread, until it is stopped."""

    changed = Signal(object)  # EngineState

    def __init__(self, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._state = engine.state
        self._timer = QTimer(self)
        self._timer.setInterval(WATCH_MS)
        self._timer.timeout.connect(self.on_time)
        self._timer.start()

    @property
    def state(self) -> EngineState:
        return self._state

    def stop(self) -> None:
        self._timer.stop()

    def on_time(self) -> None:
        state = self._engine.state
        if state != self._state:
            self._state = state
            self.changed.emit(state)
