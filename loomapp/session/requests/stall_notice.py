"""Notice of a stalled draft: when it is tried again, or how long it has been silent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from loomapp.core.generation.drafts import Wait
from loomapp.core.generation.events import Adjusted, ReasoningDelta, Started, TextDelta
from loomapp.providers.run.run import Retrying, RunEvent


@dataclass(slots=True)
class _Heard:
    heard_at: float
    again_at: float | None = None
    why: str = ""


class Patience:
    """Stall notice of one request, on the GUI thread. Pings never get this far: only words count."""

    def __init__(self, choices: int, silence_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._silence_s = silence_s
        self._clock = clock
        self._waits = {index: _Heard(clock()) for index in range(choices)}

    def note(self, event: RunEvent) -> None:
        now = self._clock()
        match event:
            case Retrying(delay_ms=delay_ms, error=error):
                for index in event.choices(len(self._waits)):
                    again_at = now + delay_ms / 1000
                    self._waits[index] = _Heard(again_at, again_at, error.message)
            case TextDelta(index=index) | ReasoningDelta(index=index) if index in self._waits:
                self._waits[index] = _Heard(now)
            case Started() | Adjusted():
                for wait in self._waits.values():
                    wait.again_at = None

    def wait(self, index: int) -> Wait | None:
        """Return the wait that the draft shows; None while all is well."""
        heard, now = self._waits[index], self._clock()
        if heard.again_at is not None and heard.again_at > now:
            return Wait(heard.why, ceil(heard.again_at - now))
        silent_s = int(now - heard.heard_at)
        if silent_s < self._silence_s:
            return None
        return Wait(f"Nothing came for {silent_s}\u00a0s.", silent_s=silent_s)
