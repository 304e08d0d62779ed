"""The wire: an HTTP transport that records every byte of an answer, can be stopped, and has limits."""

from __future__ import annotations

import functools
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import httpcore2
import httpx2

from loomapp.providers.protocols.endpoint import Endpoint, proxy_for
from loomapp.providers.protocols.events import Events, LimitExceeded
from loomapp.providers.protocols.exchange import Call, Exchange

MAX_BODY_BYTES = 64 << 20
MAX_ERROR_BYTES = 1 << 20
DECODED_AT_ONCE_BYTES = 1 << 20
SLICE_S = 0.1
CONNECT_TIMEOUT_S = 10.0
ERROR_BODY_S = 10.0
"""How long the words of a refusal are waited for; what came until then has to do."""

PLAIN = frozenset({"", "identity"})
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
        self._patience = _Patience()
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_ssl_context() if endpoint.base_url.startswith("https:") else None,
            proxy=httpcore2.Proxy(proxy) if proxy else None,
            uds=endpoint.socket_path or None,
            network_backend=_Backend(call, self._patience),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request and return its response. Raises: httpx2's errors; Stopped."""
        body = request.read()
        address = request.url.copy_with(userinfo=b"")  # which is never sent either
        exchange = Exchange(str(address), body, self._endpoint.secrets, self._call.images)
        self._call.record(exchange)
        self._patience.end_in(self._endpoint.read_timeout_s)  # for all of the head, however slowly it drips
        try:
            with _mapped(self._call):
                response = self._pool.handle_request(self._sent(request, body))
        except BaseException:
            exchange.ended()
            raise
        is_refused = not 200 <= response.status < 300
        self._patience.end_in(ERROR_BODY_S if is_refused else None)
        headers = httpx2.Headers(response.headers)
        exchange.answered(response.status, headers.multi_items())
        encoding = headers.get("content-encoding", "identity").strip().lower()
        # The body is decompressed here, within limits, so the SDK must not try again.
        for name in ("content-encoding", "content-length"):
            headers.pop(name, None)
        if is_refused and (kept := headers.get("content-type")):
            # SDKs decode it as the server says, and some codecs of Python give no text at all.
            headers["content-type"] = kept.partition(";")[0].strip()
        kind = _RefusalBody if is_refused else _RecordedBody
        has_names = request.url.path.endswith("/messages")
        stream = kind(response, exchange, self._call, encoding, has_names=has_names)
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
        self._pool.close()


@functools.cache
def _ssl_context() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


class _RecordedBody(httpx2.SyncByteStream):
    """A response's body: recorded as it came, handed on in whole events, ended when it is too much."""

    def __init__(
        self,
        response: httpcore2.Response,
        exchange: Exchange,
        call: Call,
        encoding: str,
        *,
        has_names: bool,
    ) -> None:
        self._has_names = has_names
        self._source = cast("Iterable[bytes]", response.stream)
        self._exchange = exchange
        self._call = call
        self._encoding = encoding

    def __iter__(self) -> Iterator[bytes]:
        exchange = self._exchange
        events = Events(exchange.secrets, exchange.terminated, exchange.listener, has_names=self._has_names)
        for piece in self._pieces(MAX_BODY_BYTES):
            if whole := events.feed(piece):
                yield whole
        if rest := events.rest():
            yield rest

    def _pieces(self, limit: int) -> Iterator[bytes]:
        """The body decompressed. Raises: LimitExceeded."""
        decode = _decoder(self._encoding)
        received = handed_on = 0
        with _mapped(self._call):
            for chunk in self._source:
                received += len(chunk)
                if received > limit:
                    raise LimitExceeded(f"an answer of over {limit} bytes")
                self._exchange.received(chunk)
                for piece in decode(chunk):
                    handed_on += len(piece)
                    if handed_on > limit:
                        raise LimitExceeded(f"an answer of over {limit} bytes")
                    if self._encoding not in PLAIN:
                        self._exchange.decoded(piece)
                    yield piece

    def close(self) -> None:
        self._exchange.ended()
        close = getattr(self._source, "close", None)
        if close is not None:
            with _mapped(self._call):
                close()


class _RefusalBody(_RecordedBody):
    """The words of a refusal, as far as they come: the status says the most, so nothing spoils it."""

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces(MAX_ERROR_BYTES)
        except (httpx2.TransportError, httpx2.DecodingError):
            if self._call.requested:
                raise


def _decoder(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Turns chunks of a compressed body into bounded pieces of plain bytes."""
    if encoding in PLAIN:
        return lambda chunk: iter((chunk,))
    window_bits = {"gzip": 31, "x-gzip": 31, "deflate": 15}.get(encoding)
    if window_bits is None:
        raise httpx2.DecodingError(f"the answer is compressed as {encoding!r}, which nobody asked for")
    decompress = zlib.decompressobj(window_bits)

    def pieces(chunk: bytes) -> Iterator[bytes]:
        nonlocal decompress
        try:
            while True:
                while piece := decompress.decompress(chunk, DECODED_AT_ONCE_BYTES):
                    yield piece
                    chunk = decompress.unconsumed_tail
                if not (decompress.eof and decompress.unused_data):
                    return
                chunk = decompress.unused_data  # another member: some servers close one at every flush
                decompress = zlib.decompressobj(window_bits)
        except zlib.error as error:
            raise httpx2.DecodingError(str(error)) from error

    return pieces


class _Patience:
    """Deadline of the next bytes, whatever came before them."""

    def __init__(self) -> None:
        self._until: float | None = None

    def end_in(self, seconds: float | None) -> None:
        """Counts from now; None waits as long as each read may take."""
        self._until = None if seconds is None else time.monotonic() + seconds

    def deadline(self, timeout_s: float | None) -> float | None:
        """Return when a read that begins now has to have its bytes."""
        own = None if timeout_s is None else time.monotonic() + timeout_s
        known = [until for until in (own, self._until) if until is not None]
        return min(known, default=None)


class _Backend(httpcore2.NetworkBackend):
    """Opens connections whose reads notice within a slice that they are no longer wanted."""

    def __init__(self, call: Call, patience: _Patience) -> None:
        self._real = httpcore2.SyncBackend()
        self._call = call
        self._patience = patience

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        return _SlicedStream(self._real.connect_tcp(*args, **options), self._call, self._patience)

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        return _SlicedStream(self._real.connect_unix_socket(*args, **options), self._call, self._patience)

    def sleep(self, seconds: float) -> None:
        self._call.wait(seconds)


class _SlicedStream(httpcore2.NetworkStream):
    def __init__(self, real: httpcore2.NetworkStream, call: Call, patience: _Patience) -> None:
        self._real = real
        self._call = call
        self._patience = patience

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        deadline = self._patience.deadline(timeout)
        while True:
            if self._call.requested:
                raise httpcore2.ReadError("stopped")
            left_s = SLICE_S if deadline is None else min(SLICE_S, deadline - time.monotonic())
            if left_s <= 0:
                raise httpcore2.ReadTimeout("too slow")
            try:
                data = self._real.read(max_bytes, max(left_s, 0.001))
                self._call.is_waiting = False
                return data
            except httpcore2.ReadTimeout:
                self._call.is_waiting = True
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
        real = self._real.start_tls(ssl_context, server_hostname, timeout)
        return _SlicedStream(real, self._call, self._patience)

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
