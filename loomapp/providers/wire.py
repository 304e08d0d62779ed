"""The wire: an HTTP transport that records every byte of an answer, can be stopped, and has limits."""

from __future__ import annotations

import functools
import re
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import httpcore2
import httpx2

from loomapp.providers.endpoint import Endpoint, proxy_for
from loomapp.providers.exchange import Call, Exchange

MAX_BODY_BYTES = 64 << 20
MAX_LINE_BYTES = 8 << 20
DECODED_AT_ONCE_BYTES = 1 << 20
SLICE_S = 0.1
CONNECT_TIMEOUT_S = 10.0

OWN_HEADERS = frozenset(
    {
        "host",
        "content-type",
        "content-length",
        "transfer-encoding",
        "accept",
        "accept-encoding",
        "connection",
        "anthropic-version",
    }
)
"""What a request carries besides the endpoint's own headers. SDKs add more: a description of this
computer, and whatever their environment variables say."""


class Stopped(httpx2.ReadError):
    """The user wants no more of it."""


class LimitExceeded(httpx2.DecodingError):
    """An answer larger than any model writes."""


def client(endpoint: Endpoint, call: Call) -> httpx2.Client:
    """A client for one attempt, to be closed after it; its exchanges are recorded in `call`."""
    timeout = httpx2.Timeout(endpoint.read_timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S)
    return httpx2.Client(
        transport=WireTransport(endpoint, call), timeout=timeout, follow_redirects=False, trust_env=False
    )


class WireTransport(httpx2.BaseTransport):
    """Sends what the SDK made, with the endpoint's credentials and no other, and records what comes back."""

    def __init__(self, endpoint: Endpoint, call: Call) -> None:
        proxy = proxy_for(endpoint.base_url)
        self._endpoint = endpoint
        self._call = call
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_ssl_context() if endpoint.base_url.startswith("https:") else None,
            proxy=httpcore2.Proxy(proxy) if proxy else None,
            network_backend=_Backend(call),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """One exchange. Raises: httpx2's errors; Stopped."""
        body = request.read()
        exchange = Exchange(str(request.url), body, self._endpoint.secrets)
        self._call.record(exchange)
        try:
            with _mapped(self._call):
                response = self._pool.handle_request(self._sent(request, body))
        except BaseException:
            exchange.ended()
            raise
        headers = httpx2.Headers(response.headers)
        exchange.answered(response.status, headers.multi_items())
        encoding = headers.get("content-encoding", "identity").strip().lower()
        # The body is decompressed here, within limits, so the SDK must not try again.
        for name in ("content-encoding", "content-length"):
            headers.pop(name, None)
        stream = _RecordedBody(response, exchange, self._call, encoding)
        return httpx2.Response(response.status, headers=headers, stream=stream)

    def _sent(self, request: httpx2.Request, body: bytes) -> httpcore2.Request:
        headers = {name: value for name, value in request.headers.items() if name.lower() in OWN_HEADERS}
        headers |= {"accept-encoding": "identity", "user-agent": "loomapp"}
        headers |= self._endpoint.key_headers
        headers |= self._endpoint.headers
        url = request.url
        target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        return httpcore2.Request(
            request.method,
            target,
            headers=[(name.encode("ascii"), value.encode()) for name, value in headers.items()],
            content=body,
            extensions={"timeout": request.extensions.get("timeout", {})},
        )

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()


@functools.cache
def _ssl_context() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


class _RecordedBody(httpx2.SyncByteStream):
    """A response's body: recorded as it came, handed on decompressed, ended when it is too much."""

    def __init__(self, response: httpcore2.Response, exchange: Exchange, call: Call, encoding: str) -> None:
        self._source = cast("Iterable[bytes]", response.stream)
        self._exchange = exchange
        self._call = call
        self._encoding = encoding
        self._lines = _Lines(exchange.terminated)

    def __iter__(self) -> Iterator[bytes]:
        decode = _decoder(self._encoding)
        received = handed_on = 0
        with _mapped(self._call):
            for chunk in self._source:
                received += len(chunk)
                if received > MAX_BODY_BYTES:
                    raise LimitExceeded(f"an answer of over {MAX_BODY_BYTES} bytes")
                self._exchange.received(chunk)
                for piece in decode(chunk):
                    handed_on += len(piece)
                    if handed_on > MAX_BODY_BYTES:
                        raise LimitExceeded(f"an answer of over {MAX_BODY_BYTES} bytes")
                    if self._encoding != "identity":
                        self._exchange.decoded(piece)
                    self._lines.feed(piece)
                    yield piece

    def close(self) -> None:
        self._exchange.ended()
        close = getattr(self._source, "close", None)
        if close is not None:
            with _mapped(self._call):
                close()


class _Lines:
    """Watches a body go by: no line too long, and was the terminator among them?"""

    TERMINATOR = re.compile(rb"data: ?\[DONE\]")

    def __init__(self, on_terminator: Callable[[], None]) -> None:
        self._on_terminator = on_terminator
        self._length = 0
        self._head = b""  # the beginning of the line that has not ended yet

    def feed(self, piece: bytes) -> None:
        """Raises: LimitExceeded."""
        for line in piece.splitlines(keepends=True):
            self._length += len(line)
            if self._length > MAX_LINE_BYTES:
                raise LimitExceeded(f"a line of over {MAX_LINE_BYTES} bytes")
            self._head = (self._head + line[:16])[:16]
            if self.TERMINATOR.match(self._head):
                self._on_terminator()
            if line.endswith((b"\n", b"\r")):
                self._length, self._head = 0, b""


def _decoder(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Turns chunks of a compressed body into bounded pieces of plain bytes."""
    if encoding in ("", "identity"):
        return lambda chunk: iter((chunk,))
    window_bits = {"gzip": 31, "deflate": 15}.get(encoding)
    if window_bits is None:
        raise httpx2.DecodingError(f"the answer is compressed as {encoding!r}, which nobody asked for")
    decompress = zlib.decompressobj(window_bits)

    def pieces(chunk: bytes) -> Iterator[bytes]:
        try:
            while piece := decompress.decompress(chunk, DECODED_AT_ONCE_BYTES):
                yield piece
                chunk = decompress.unconsumed_tail
        except zlib.error as error:
            raise httpx2.DecodingError(str(error)) from error

    return pieces


class _Backend(httpcore2.NetworkBackend):
    """Opens connections whose reads notice within a slice that they are no longer wanted."""

    def __init__(self, call: Call) -> None:
        self._real = httpcore2.SyncBackend()
        self._call = call

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        return _SlicedStream(self._real.connect_tcp(*args, **options), self._call)

    def sleep(self, seconds: float) -> None:
        self._call.wait(seconds)


class _SlicedStream(httpcore2.NetworkStream):
    def __init__(self, real: httpcore2.NetworkStream, call: Call) -> None:
        self._real = real
        self._call = call

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            if self._call.requested:
                raise httpcore2.ReadError("stopped")
            left_s = SLICE_S if deadline is None else min(SLICE_S, deadline - time.monotonic())
            try:
                return self._real.read(max_bytes, max(left_s, 0.001))
            except httpcore2.ReadTimeout:
                if deadline is not None and time.monotonic() >= deadline:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if self._call.requested:
            raise httpcore2.WriteError("stopped")
        self._real.write(buffer, timeout)

    def close(self) -> None:
        self._real.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _SlicedStream(self._real.start_tls(ssl_context, server_hostname, timeout), self._call)

    def get_extra_info(self, info: str) -> Any:
        return self._real.get_extra_info(info)


_ERRORS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (httpcore2.ConnectTimeout, httpx2.ConnectTimeout),
    (httpcore2.ReadTimeout, httpx2.ReadTimeout),
    (httpcore2.WriteTimeout, httpx2.WriteTimeout),
    (httpcore2.PoolTimeout, httpx2.PoolTimeout),
    (httpcore2.ConnectError, httpx2.ConnectError),
    (httpcore2.ReadError, httpx2.ReadError),
    (httpcore2.WriteError, httpx2.WriteError),
    (httpcore2.ProxyError, httpx2.ProxyError),
    (httpcore2.UnsupportedProtocol, httpx2.UnsupportedProtocol),
    (httpcore2.LocalProtocolError, httpx2.LocalProtocolError),
    (httpcore2.RemoteProtocolError, httpx2.RemoteProtocolError),
)


@contextmanager
def _mapped(call: Call) -> Iterator[None]:
    """Lets the pool's errors out as those that SDKs know."""
    try:
        yield
    except Exception as error:
        found = next((known for source, known in _ERRORS if isinstance(error, source)), None)
        if found is None:
            raise
        if call.requested:
            raise Stopped("stopped") from error
        raise found(str(error)) from error
