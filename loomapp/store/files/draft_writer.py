"""The draft writer: a thread that keeps the newest of each draft on disk, so that nobody waits for a sync."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from loomapp.core.errors import GroveError
from loomapp.store.files import drafts
from loomapp.store.files.drafts import DraftRow, Slot

_log = logging.getLogger(__name__)

Make: TypeAlias = Callable[[], DraftRow]


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of one wish; no error: it is on disk, or gone from it."""

    slot: Slot
    make: Make | None  # the wish: None was to take it away
    error: GroveError | None


class DraftWriter:
    """`put`, `forget` and `outcomes` never block. Close it, else what was put last may not be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._wishes: dict[Slot, Make | None] = {}  # the newest of each; None takes it away
        self._outcomes: queue.SimpleQueue[Written] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="draft writer", daemon=True)
        self._thread.start()

    def put(self, slot: Slot, make: Make) -> None:
        """Keep a draft. `make` runs on the writer's thread, so it may only look at values."""
        self._wish(slot, make)

    def forget(self, slot: Slot) -> None:
        self._wish(slot, None)

    def outcomes(self) -> list[Written]:
        """Return what became of wishes since the last time, in their order."""
        written: list[Written] = []
        with suppress(queue.Empty):
            while True:
                written.append(self._outcomes.get_nowait())
        return written

    def close(self, timeout_s: float) -> bool:
        """Write what is left, for so long; False if the disk did not take it in time."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _wish(self, slot: Slot, make: Make | None) -> None:
        with self._changed:
            self._wishes.pop(slot, None)
            self._wishes[slot] = make
            self._changed.notify()

    def _work(self) -> None:
        while (wish := self._next()) is not None:
            slot, make = wish
            error: GroveError | None = None
            try:
                drafts.forget(self._folder, slot) if make is None else drafts.keep(self._folder, make())
            except GroveError as fault:
                error = fault
            except Exception:
                _log.exception("A draft could not be put into words")
                text = "What you write is not safe from a crash: Loomapp made a mistake; its log says more."
                error = GroveError("unknown", text)
            self._outcomes.put(Written(slot, make, error))

    def _next(self) -> tuple[Slot, Make | None] | None:
        """The oldest wish; waits for one, None when there will be no more."""
        with self._changed:
            while not self._wishes and not self._is_closing:
                self._changed.wait()
            if not self._wishes:
                return None
            slot = next(iter(self._wishes))
            return slot, self._wishes.pop(slot)
