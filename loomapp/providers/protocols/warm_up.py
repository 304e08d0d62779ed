"""A rehearsal: an SDK's first call costs over a second of imports and schemas, paid before a server waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeAlias

import httpx2

Chunks: TypeAlias = Iterable[Any]  # an SDK's own types; what is in their fields is not checked

_lock = threading.Lock()  # those who come meanwhile would only do the same work beside it
_done: set[bytes] = set()


def rehearse(ask: Callable[[httpx2.Client], Chunks], sample: bytes) -> None:
    """Makes the SDK's call once in this process with `sample` as its answer; nothing is sent anywhere.

    What goes wrong goes wrong again in earnest, and is told then.
    """
    with _lock:
        if sample in _done:
            return
        _done.add(sample)
        answer = httpx2.MockTransport(
            lambda _request: httpx2.Response(
                200, headers={"content-type": "text/event-stream"}, content=sample
            )
        )
        with suppress(Exception), httpx2.Client(transport=answer, trust_env=False) as client:
            for _ in ask(client):
                pass
