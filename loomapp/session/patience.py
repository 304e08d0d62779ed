"""Patience: what a draft says while nothing comes: when it is tried again, how long it is silent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from loomapp.core.generation import Adjusted, ReasoningDelta, Started, TextDelta
from loomapp.providers.run import Retrying, RunEvent


@dataclass(slots=True)
class _Wait:
    heard_at: float
    again_at: float | None = None
    why: str = ""


class Patience:
    """Of one request, on the GUI thread. Pings never get this far: only words count."""

    def __init__(self, choices: int, silence_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._silence_s = silence_s
        self._clock = clock
        self._waits = {index: _Wait(clock()) for index in range(choices)}

    def note(self, event: RunEvent) -> None:
        """Something came."""
        now = self._clock()
        match event:
            case Retrying(delay_ms=delay_ms, error=error):
                for index in event.choices(len(self._waits)):
                    again_at = now + delay_ms / 1000
                    self._waits[index] = _Wait(again_at, again_at, error.message)
            case TextDelta(index=index) | ReasoningDelta(index=index) if index in self._waits:
                self._waits[index] = _Wait(now)
            case Started() | Adjusted():
                for wait in self._waits.values():
                    wait.again_at = None

    def sentence(self, index: int) -> str:
        """What to show in the draft; empty while all is well."""
        wait, now = self._waits[index], self._clock()
        if wait.again_at is not None and wait.again_at > now:
            return f"{wait.why} Trying again in {ceil(wait.again_at - now)} s."
        silent_s = int(now - wait.heard_at)
        if silent_s < self._silence_s:
            return ""
        return f"Nothing came for {silent_s} s. Stop it (Esc) and ask again, or wait."
