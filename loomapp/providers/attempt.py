"""One attempt in any protocol: the SDK's call, read to its proper end, every failure mapped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, Protocol

import httpx2

from loomapp.core.generation import Request, Stop, StreamEvent
from loomapp.providers import wire
from loomapp.providers.endpoint import Endpoint
from loomapp.providers.errors import failure, provider_error, stopped, unfinished
from loomapp.providers.exchange import Call, Recording, call_of

Chunks = Iterable[Any]  # an SDK's own types; what is in their fields is not checked when they arrive
FILTERED = frozenset({"content_filter", "refusal"})


class Reading(Protocol):
    """An answer while it is read. `reasons`: choice -> the provider's word for why it ended."""

    reasons: dict[int, str]

    def events(self, chunk: Any) -> Iterator[StreamEvent]:
        """The events of one chunk, in order."""

    def is_whole(self, recording: Recording, /) -> bool:
        """Whether the protocol's terminator has come: SDKs raise nothing for an answer that was cut off."""


def attempt(
    endpoint: Endpoint,
    request: Request,
    stop: Stop,
    ask: Callable[[httpx2.Client], Chunks],
    reading: Reading,
) -> Iterator[StreamEvent]:
    """`ask` makes the SDK's call with a recording client, `reading` understands what comes.

    Raises: ProviderError, also when the answer ends without its terminator or with a choice that never
    finished.
    """
    call = call_of(stop)
    with ExitStack() as closing:
        try:
            http_client = closing.enter_context(wire.client(endpoint, call))
            for chunk in ask(http_client):
                for event in reading.events(chunk):
                    yield event
                    if call.requested:
                        raise stopped(endpoint)
        except Exception as error:
            if call.requested:
                raise stopped(endpoint) from error
            raise provider_error(error, endpoint, _last(call)) from error
        _check_whole(endpoint, request, reading, _last(call))


def _last(call: Call) -> Recording | None:
    recordings = call.recordings()
    return recordings[-1] if recordings else None


def _check_whole(endpoint: Endpoint, request: Request, reading: Reading, recording: Recording | None) -> None:
    if recording is None or not reading.is_whole(recording):
        raise unfinished(endpoint, recording)
    if len(reading.reasons) < request.n:
        what = f"{endpoint.name} ended its answer without finishing it. What came is kept; retry."
        raise failure("serverError", endpoint, what, finished=sorted(reading.reasons) or None)
    if FILTERED.intersection(reading.reasons.values()):
        raise failure("contentFiltered", endpoint)
