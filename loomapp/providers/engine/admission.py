"""Admission: who may use the engine's shared memory now, and who waits for whom."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from loomapp.core.generation.request import ProviderError, Stop

LOOK_AGAIN_S = 0.1


class Admission:
    """Tokens and choices for all requests together. First come, first served.

    All slots of the engine share one memory of `tokens`; if it overflows, every running answer is lost.
    """

    def __init__(self, *, tokens: int, choices: int) -> None:
        self._free_tokens = tokens
        self._free_choices = choices
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def admitted(self, *, tokens: int, choices: int, stop: Stop) -> Iterator[None]:
        """Waits for its turn, and holds what it needs while inside. Raises: ProviderError when stopped."""
        self._wait(tokens, choices, stop)
        try:
            yield
        finally:
            with self._changed:
                self._free_tokens += tokens
                self._free_choices += choices
                self._changed.notify_all()

    def _wait(self, tokens: int, choices: int, stop: Stop) -> None:
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            try:
                while not (
                    self._waiting[0] is ticket
                    and tokens <= self._free_tokens
                    and choices <= self._free_choices
                ):
                    if stop.requested:
                        raise ProviderError("cancelled", "Stopped before the model began.")
                    self._changed.wait(LOOK_AGAIN_S)
                self._free_tokens -= tokens
                self._free_choices -= choices
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
