"""A head start for the window: a long request is put together once what was asked for is shown."""

from __future__ import annotations

import time
from collections.abc import Iterator

from loomapp.core.generation import Provider, Request, Stop, StreamEvent

LONG = 200  # messages, from which on the work on a request is felt
HEAD_START_S = 0.1


class HeadStart:
    """A provider that begins a moment later where there is much to put together.

    Python runs one thread at a time: while a worker turns thousands of messages into a request, everything
    that the window does takes two or three times as long, and just then it shows the new cards.
    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """One attempt; see `core.generation.Provider`."""
        if len(request.messages) >= LONG:
            time.sleep(HEAD_START_S)
        yield from self._provider.stream(request, stop)
