"""The embedded engine beside the window: its state watched, a model got ready before anybody asks it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.progress import Progress
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.state import EngineState
from loomapp.providers.protocols.exchange import Call
from loomapp.session.background.background_work import BackgroundTask


class ModelFetch(QObject):
    """Fetch of a model, one at a time. How far it is, the engine tells everyone."""

    ended = Signal()  # one way or the other; the engine's state says which

    def __init__(self, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._task: BackgroundTask | None = None
        self._call = Call()

    @property
    def is_under_way(self) -> bool:
        return self._task is not None

    def begin(self, model_name: str) -> None:
        if self._task is not None:
            return
        engine, call = self._engine, Call()
        self._call = call

        def get_ready(_progress: Progress) -> bool:
            engine.ready(model_name, call)
            return True

        self._task = BackgroundTask(get_ready, self)
        self._task.done.connect(self.on_ended)
        self._task.failed.connect(self.on_ended)
        self._task.start()

    def stop(self) -> None:
        self._call.stop()

    def close(self) -> None:
        self._call.stop()
        if self._task is not None:
            self._task.end()
            self._task = None

    def on_ended(self, _result: object) -> None:
        if self._task is not None:
            self._task.deleteLater()
        self._task = None
        self.ended.emit()


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
