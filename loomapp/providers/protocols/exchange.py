"""One call of a model while it runs: the wish to stop it, and every HTTP exchange it made, byte by byte."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from itertools import accumulate

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.provider import Stop
from loomapp.core.model.raw_response import Evidence, begin_seal, compress
from loomapp.providers.protocols.bodies import without_images
from loomapp.providers.protocols.redaction import (
    HIDDEN,
    Listener,
    found_in,
    overwrite,
    redact,
    without_echoes,
    without_pieces,
)

SECRET_HEADERS = frozenset(
    {"authorization", "x-api-key", "api-key", "proxy-authorization", "cookie", "set-cookie"}
)
CHUNK_MS = 20
"""Chunks that come closer together are noted as one: a screen shows no more."""


@dataclass(frozen=True, slots=True)
class Recording:
    """An exchange up to a moment. `chunks` are (ms since the start, end offset in the body)."""

    url: str
    request_body: bytes
    started_at: int
    ended_at: int
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    chunks: tuple[tuple[int, int], ...] = ()
    terminated: bool = False
    is_concealed: bool = False  # asterisks stand in the body for what the server sent back of a secret

    @property
    def latency_ms(self) -> int | None:
        """Milliseconds until the first byte of the body."""
        return self.chunks[0][0] if self.chunks else None

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


class Exchange:
    """An HTTP exchange while it happens: one thread writes it, any may look."""

    def __init__(
        self, url: str, request_body: bytes, secrets: Iterable[str] = (), images: Collection[str] = ()
    ) -> None:
        """`images` are those that the request carries, by reference; their bytes are not kept with it."""
        # One that its owner may take again: Python may collect, and so close, a stream in the middle of it.
        self._lock = threading.RLock()
        self.secrets = tuple(secret for secret in secrets if secret)
        self.listener = Listener(self.secrets)
        self._began = time.monotonic()
        self._body = bytearray()
        self._decoded = bytearray()
        self._chunks: list[tuple[int, int]] = []
        self._ended_at: int | None = None
        request_body = without_images(request_body, images)
        body = redact(request_body.decode("utf-8", "replace"), self.secrets).encode()
        self._recording = Recording(redact(url, self.secrets), body, _now_ms(), 0)

    def answered(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """The head of the response is here."""
        kept = _without_secrets(
            tuple(
                (name, HIDDEN if name.lower() in SECRET_HEADERS else redact(value, self.secrets))
                for name, value in headers
            ),
            self.secrets,
        )
        with self._lock:
            self._recording = replace(self._recording, status=status, headers=kept)

    def received(self, chunk: bytes) -> None:
        """Record more of the body, as it came over the wire."""
        at_ms = round((time.monotonic() - self._began) * 1000)
        with self._lock:
            self._body += chunk
            if len(self._chunks) > 1 and at_ms - self._chunks[-1][0] < CHUNK_MS:
                at_ms, _ = self._chunks.pop()
            self._chunks.append((at_ms, len(self._body)))

    def decoded(self, chunk: bytes) -> None:
        """Record more of a compressed body, decompressed; asked for when a secret may be inside."""
        with self._lock:
            self._decoded += chunk

    def terminated(self) -> None:
        """The line that says that the answer is whole has been seen."""
        with self._lock:
            self._recording = replace(self._recording, terminated=True)

    def ended(self) -> None:
        with self._lock:
            self._ended_at = self._ended_at or _now_ms()

    def recording(self) -> Recording:
        """Return what there is now. The body is as received, unless the server sent a secret back in it."""
        with self._lock:
            recording, body, decoded = self._recording, bytes(self._body), bytes(self._decoded)
            chunks, ended_at = tuple(self._chunks), self._ended_at or _now_ms()
        shown = self._shown(decoded)
        if shown == decoded:
            shown = self._shown(body)
        is_concealed = shown not in (body, decoded)
        return replace(recording, body=shown, chunks=chunks, ended_at=ended_at, is_concealed=is_concealed)

    def _shown(self, data: bytes) -> bytes:
        """A body with asterisks for every secret, those in pieces too."""
        shown = overwrite(data, self.secrets)
        if self.listener.is_echoed:
            return without_echoes(shown, self.secrets)
        return shown if self.listener.heard or not self.secrets else without_pieces(shown, self.secrets)


def _without_secrets(
    headers: tuple[tuple[str, str], ...], secrets: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Headers without the values that come to a secret one after the other."""
    joined = "".join(value for _, value in headers)
    found = found_in(joined, secrets)
    if not found:
        return headers
    ends = list(accumulate(len(value) for _, value in headers))
    return tuple(
        (name, HIDDEN if any(begin < end and last > end - len(value) for begin, last in found) else value)
        for (name, value), end in zip(headers, ends, strict=True)
    )


class Call:
    """One wish for an answer, over all its attempts. Any thread may look or stop it."""

    def __init__(self) -> None:
        self.images: frozenset[str] = frozenset()  # what the requests carry, by reference
        self._stop = threading.Event()
        self._exchanges: list[Exchange] = []
        self.is_waiting = False  # a read has just found nothing; written by the worker

    @property
    def requested(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """End every read within 100 ms, from now on."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Pauses; True if it was stopped meanwhile."""
        return self._stop.wait(seconds)

    def record(self, exchange: Exchange) -> None:
        self._exchanges.append(exchange)

    def recordings(self) -> list[Recording]:
        return [exchange.recording() for exchange in list(self._exchanges)]


class _Following(Call):
    """A call that stops when somebody else's `Stop` does."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self._followed = stop

    @property
    def requested(self) -> bool:
        return self._followed.requested


def call_of(stop: Stop) -> Call:
    """The call that `stop` is, so that its exchanges are kept; else one that stops when it does."""
    return stop if isinstance(stop, Call) else _Following(stop)


@dataclass(frozen=True, slots=True)
class Answer:
    """The facts that the events of a call told about its response."""

    request_id: str | None = None
    model: str | None = None
    usage: Mapping[str, object] = field(default_factory=dict)
    finish_reasons: Mapping[int, str] = field(default_factory=dict)
    is_heard: bool = False  # to its end


def evidence_of(
    recordings: list[Recording], answer: Answer, *, evidence_id: str, provider: str
) -> Evidence | None:
    """The last exchange as evidence, the failed ones before it in a line each; None if no server answered."""
    if not recordings or recordings[-1].status is None:
        return None
    *earlier, last = recordings
    reasons = sorted(set(answer.finish_reasons.values()))
    extra: dict[str, object] = {
        "status": last.status,
        "url": last.url,
        "chunkTimes": list(map(list, last.chunks)),
    }
    if last.is_concealed:
        extra["concealed"] = True  # the body is as received but for that
    if len(answer.finish_reasons) > 1:
        extra["finishReasons"] = {str(i): r for i, r in sorted(answer.finish_reasons.items())}
    if earlier:
        extra["attempts"] = [{"startedAt": r.started_at, "status": r.status} for r in earlier]
    request_body = last.request_body.decode()
    return Evidence(
        id=evidence_id,
        provider=provider,
        request_body=request_body,
        body_gzip=compress(last.body),
        request_id=answer.request_id,
        model=answer.model,
        headers=_joined(last.headers),
        started_at=last.started_at,
        ended_at=last.ended_at,
        latency_ms=last.latency_ms,
        usage=answer.usage,
        finish_reason=", ".join(reasons) or None,
        extra=extra,
        zipped_request=compress(last.request_body),
        seal_begun=begin_seal(evidence_id, provider, request_body),
    )


def _joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Repeated headers as one, in HTTP's way."""
    joined: dict[str, str] = {}
    for name, value in headers:
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
