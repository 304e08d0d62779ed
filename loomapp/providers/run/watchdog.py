"""Silence: how long an answer may go without a word, whatever else comes over the wire."""

from __future__ import annotations

import time
from collections.abc import Callable

from loomapp.core.generation.events import Finished, ReasoningDelta, RequestSent, Started, TextDelta
from loomapp.core.generation.request import ProviderError
from loomapp.core.sentences import worded
from loomapp.providers.run.run import Retrying, RunEvent

REMOTE_S = 90.0
LINGER_S = 0.1
LOCAL_S = 300.0  # a computer of one's own may read a long prompt for minutes


class Watchdog:
    """Counts from the last word, or from when the request went out: what this computer needs to get ready
    is nobody's silence. Pings are no words; a promised pause is no silence."""

    def __init__(self, limit_s: float, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._name = name
        self._clock = clock
        self._begins: type[RequestSent | Started] = RequestSent
        self._until: float | None = None
        self._lingers_until: float | None = None

    @classmethod
    def from_start(cls, limit_s: float, name: str) -> Watchdog:
        """Return one that sleeps until the model begins to answer: it may have to be fetched first."""
        watchdog = cls(limit_s, name)
        watchdog._begins = Started
        return watchdog

    def note(self, event: RunEvent) -> None:
        self._lingers_until = None
        match event:
            case TextDelta() | ReasoningDelta() | Finished():
                self._until = self._clock() + self._limit_s
            case RequestSent() | Started() if self._until is None and isinstance(event, self._begins):
                self._until = self._clock() + self._limit_s
            case Retrying(delay_ms=delay_ms) if self._until is not None:
                self._until += delay_ms / 1000

    def linger(self, seconds: float) -> bool:
        """Waits a little after the end for what is on its way; False once it has, for this long in all."""
        now = self._clock()
        if self._lingers_until is None:
            self._lingers_until = now + seconds
        if now >= self._lingers_until:
            return False
        self._until = now + min(LINGER_S, seconds)
        return True

    def left_s(self) -> float | None:
        """Return how much longer it may be silent; 0 when it has been for too long, None while
        nobody counts.
        """
        return None if self._until is None else max(0.0, self._until - self._clock())

    @property
    def error(self) -> ProviderError:
        return ProviderError(
            "timeout",
            worded(
                "{name} wrote nothing for {limit_s:g} s. What came is kept; retry, or choose another model.",
                name=self._name,
                limit_s=self._limit_s,
            ),
            provider=self._name,
        )
