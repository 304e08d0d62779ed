"""The embedded engine: absent, fetching, starting, ready, busy or died; started by the first use."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import ProviderError, Stop
from loomapp.core.sentences import worded
from loomapp.providers.engine import model_files
from loomapp.providers.engine.model_files import local_rules
from loomapp.providers.engine.state import NAME, Absent, Busy, Died, EngineState, Fetching, Ready, Starting
from loomapp.providers.protocols.endpoint import Admission, Endpoint
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.model_rules import LOCAL_CHOICES, LOCAL_CONTEXT_WINDOW, ModelRules

if TYPE_CHECKING:
    from loomapp.providers.engine.process import EngineProcess

_log = logging.getLogger(__name__)

LOOK_AGAIN_S = 0.1
END_WAIT_S = 1.0
CLOSE_WAIT_S = 0.3  # a fetch and a start look up ten times a second

Listener = Callable[[EngineState], None]


class Engine:
    """One model at a time, in one child process. Any thread may use it; `close` it before the program ends.

    Listeners hear of each new state, on whatever thread brought it about, one after the other.
    `settle_s`: how long it may go on computing what was stopped before it is replaced.
    """

    def __init__(self, *, settle_s: float = 2.0) -> None:
        self._settle_s = settle_s
        self._state: EngineState = Absent()
        self._listeners: list[Listener] = []
        self._announcing = threading.RLock()
        self._getting_ready = threading.Lock()
        self._changed = threading.Condition()
        self._process: EngineProcess | None = None
        self._streams = 0
        self._is_settling = False
        self._is_closed = False
        self.admission = Admission(tokens=LOCAL_CONTEXT_WINDOW, choices=LOCAL_CHOICES)

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def pid(self) -> int | None:
        """The child's process id while it lives."""
        process = self._process
        return process.pid if process is not None and process.is_alive else None

    @property
    def model_ref(self) -> str | None:
        """The model that runs, or None: it is not to be started for a question that can wait."""
        process = self._process
        is_running = process is not None and process.is_alive and process.was_ready
        return f"local:{process.model_name}" if process is not None and is_running else None

    @property
    def is_closed(self) -> bool:
        """True once it was closed; nothing is fetched or started any more."""
        return self._is_closed

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with every new state from now on, until what is returned is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def ready(self, model_name: str, stop: Stop) -> Endpoint:
        """The endpoint of a running engine with this model; fetches and starts what is missing. Blocks.

        Raises: ModelMissing; ProviderError when stopped, or when the engine does not start.
        """
        with self._alone(stop):
            return self._ready(model_name, stop)

    @contextmanager
    def streaming(self, model_name: str, choices: int, stop: Stop) -> Iterator[Endpoint]:
        """Give what `ready` gives; the engine is busy with `choices` streams until the end of the block."""
        with self._alone(stop):
            endpoint = self._ready(model_name, stop)
            self._count_streams(choices)
        process = self._process
        try:
            yield endpoint
        except ProviderError as error:
            if error.code == "networkError" and process is not None:
                process.wait_for_end(END_WAIT_S)  # so that the next state is what happened, not `ready`
            raise
        finally:
            self._count_streams(-choices)
            if stop.requested:
                self._settle()

    def ask(self, path: str, body: object) -> Any:
        """Ask the running engine a small JSON question, such as `/tokenize`. Raises: ProviderError."""
        process = self._process
        if process is None:
            raise ProviderError(
                "networkError", worded("{name} is not running. Retry starts it.", name=NAME), provider=NAME
            )
        return process.ask(path, body)

    def close(self) -> None:
        """Ends the child, and whatever is being fetched or waited for; for good."""
        with self._changed:
            self._is_closed = True
            process, self._process = self._process, None
            self._changed.notify_all()
        if process is not None:
            process.close()
        if self._getting_ready.acquire(timeout=CLOSE_WAIT_S):  # a fetch or a start clears up after itself
            self._getting_ready.release()
        self._become(Absent())

    def _ready(self, model_name: str, stop: Stop) -> Endpoint:
        self._wait_while(lambda: self._is_settling, stop)
        process = self._process
        rules = local_rules(f"local:{model_name}")
        is_same = process is not None and (process.model_name, process.rules) == (model_name, rules)
        if process is not None and process.is_alive and is_same:
            return process.endpoint
        path = model_files.find(model_name) or self._fetch(model_name, stop)
        # another model's streams come to their end before it is replaced
        self._wait_while(lambda: self.pid is not None and self._streams > 0, stop)
        return self._start(model_name, path, local_rules(f"local:{model_name}"), stop)

    def _fetch(self, model_name: str, stop: Stop) -> Path:
        def show(received_bytes: int, total_bytes: int) -> None:
            share = min(1.0, received_bytes / total_bytes)
            self._become(Fetching(progress=share, received_bytes=received_bytes, total_bytes=total_bytes))

        try:
            return model_files.fetch(model_name, on_progress=show, stop=_Either(stop, self))
        except LoomError as error:
            self._become(_absent_after(error))
            raise

    def _start(self, model_name: str, path: Path, rules: ModelRules, stop: Stop) -> Endpoint:
        if self._process is not None:
            self._process.close()
        self._become(Starting())
        from loomapp.providers.engine.process import EngineProcess  # late: many sessions use no local model

        process = EngineProcess(model_name, path, rules, on_end=self._on_end)
        with self._changed:
            self._process = process
        try:
            endpoint = process.wait_until_ready(_Either(stop, self))
        except LoomError as error:
            process.close()
            self._become(_absent_after(error))
            raise
        self._become(Ready())
        return endpoint

    def _on_end(self, process: EngineProcess, status: int) -> None:
        if process is self._process and process.was_ready and not process.was_closed:
            _log.info("The engine ended by itself with status %s", status)
            self._become(Died(status=status))

    def _count_streams(self, more: int) -> None:
        with self._announcing:
            with self._changed:
                self._streams += more
                self._changed.notify_all()
            if self.pid is not None:
                self._become(Busy(streams=self._streams) if self._streams else Ready())

    def _settle(self) -> None:
        """After the last stream was stopped: an engine that still computes is replaced by a fresh one.

        It looks up only between two portions of a prompt, which take seconds on a busy computer.
        """
        with self._changed:
            process = self._process
            if self._streams or self._is_settling or process is None:
                return
            self._is_settling = True
        try:
            is_stuck = self._goes_on_computing(process)
            if is_stuck:
                _log.info("The engine goes on with what was stopped; it is started again")
                process.close()
        finally:
            with self._changed:
                self._is_settling = False
                self._changed.notify_all()
        if is_stuck:
            with contextlib.suppress(LoomError):
                self.ready(process.model_name, Call())

    def _goes_on_computing(self, process: EngineProcess) -> bool:
        deadline = time.monotonic() + self._settle_s
        while not self._is_closed and process.is_alive and process.is_computing():
            if time.monotonic() > deadline:
                return True
            time.sleep(LOOK_AGAIN_S)  # on a thread of its own; the engine tells nobody when it is idle
        return False

    @contextmanager
    def _alone(self, stop: Stop) -> Iterator[None]:
        """Let one thread at a time start the engine; the others wait, and can be stopped."""
        while not self._getting_ready.acquire(timeout=LOOK_AGAIN_S):
            self._check(stop)
        try:
            self._check(stop)
            yield
        finally:
            self._getting_ready.release()

    def _wait_while(self, holds: Callable[[], bool], stop: Stop) -> None:
        with self._changed:
            while holds():
                self._check(stop)
                self._changed.wait(LOOK_AGAIN_S)

    def _check(self, stop: Stop) -> None:
        if stop.requested or self._is_closed:
            raise ProviderError("cancelled", "Stopped before the model began.", provider=NAME)

    def _become(self, state: EngineState) -> None:
        with self._announcing:
            if state == self._state:
                return
            self._state = state
            for listener in tuple(self._listeners):
                listener(state)


class _Either:
    """A stop when the user wants it or the engine is closed."""

    def __init__(self, stop: Stop, engine: Engine) -> None:
        self._stop = stop
        self._engine = engine

    @property
    def requested(self) -> bool:
        return self._stop.requested or self._engine.is_closed


def _absent_after(error: LoomError) -> Absent:
    return Absent() if error.code == "cancelled" else Absent(message=error.message, remedy=model_files.REMEDY)
