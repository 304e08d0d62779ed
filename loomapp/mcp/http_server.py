"""The server over HTTP, on this computer only: every call shows a key, Host and Origin are checked."""

from __future__ import annotations

import hmac
import logging
import socket
import sys
import time
from contextlib import closing
from pathlib import Path
from types import FrameType

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from loomapp.mcp.configuration import HOST, PATH
from loomapp.mcp.permissions import SWITCHED_OFF, HttpRefused, is_switched_off, key_of_now
from loomapp.mcp.served_grove import Environment, ServedGrove
from loomapp.mcp.server import LoomServer

CALLS_WAIT_S = 60  # for calls that were cancelled, which end by themselves
LAST_WAIT_S = 3  # for requests that are not whole yet, once a signal came
REPLIES_WAIT_S = 1  # for replies of calls that were cancelled to be on their way
REPLIES_LOOK_S = 0.02
LOOK_TICKS = 10  # of the server, a second, between two looks whether HTTP is switched off
KEY_LOOK_S = 1.0  # at the least between two looks whether there is another key
NAMES = (b"host", b"origin")
ONCE = ("authorization", "host", "origin")  # of two, nobody could tell which was meant


def serve_http(path: Path, environment: Environment, port: int, key: str) -> None:
    """Serve a grove on a port of the loopback address until a signal comes; its URL goes to stderr.

    Raises: HttpRefused where the port is taken, and once HTTP is switched off.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="loomapp mcp: %(message)s")
    with closing(_listening(port)) as listener:
        taken = listener.getsockname()[1]
        server = LoomServer(ServedGrove(path, is_read_only=environment.is_read_only), environment)
        rules = _rules(taken)
        app = Locked(_app(server, rules), key, rules)
        sys.stderr.write(f"loomapp mcp: http://{HOST}:{taken}{PATH}\n")
        sys.stderr.flush()
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",
            lifespan="on",
            ws="none",
            timeout_graceful_shutdown=LAST_WAIT_S,
        )
        http = _Server(config, server, app)
        try:
            anyio.run(_serve, http, listener)
        finally:
            server.close()
        if http.is_switched_off:
            raise HttpRefused(SWITCHED_OFF)


class _Server(uvicorn.Server):
    """A server that ends calls of tools when it is to end, by a signal or as HTTP is switched off: a model
    may write for minutes.
    """

    def __init__(self, config: uvicorn.Config, loom: LoomServer, app: Locked) -> None:
        super().__init__(config)
        self._loom, self._app = loom, app
        self._signal: int | None = None
        self.is_switched_off = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note a signal. Handed on at once it would end streams on which replies are still to come."""
        if self._signal is None:
            self._signal = sig
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Once a signal came, end the calls, which keeps what came of them, then go on as usual."""
        self.is_switched_off = self.is_switched_off or (counter % LOOK_TICKS == 0 and is_switched_off())
        if (self._signal is not None or self.is_switched_off) and not self.should_exit:
            with anyio.move_on_after(CALLS_WAIT_S):
                await self._loom.end_calls()
            with anyio.move_on_after(REPLIES_WAIT_S):
                while self._app.posts:
                    await anyio.sleep(REPLIES_LOOK_S)
            if self._signal is None:
                self.should_exit = True
            elif not self.should_exit:  # by a second signal
                super().handle_exit(self._signal, None)
        return await super().on_tick(counter)


async def _serve(server: uvicorn.Server, listener: socket.socket) -> None:
    await server.serve(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()  # whoever reads the URL is answered, if only once all has begun
    except OSError as error:
        listener.close()
        raise HttpRefused(f"Port {port} cannot be used ({error.strerror}): name another one") from error
    return listener


def _rules(port: int) -> TransportSecuritySettings:
    """The names by which the server may be called, and the pages that may call it."""
    hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{host}" for host in hosts],
    )


def _app(loom: LoomServer, rules: TransportSecuritySettings) -> ASGIApp:
    return loom.build().streamable_http_app(streamable_http_path=PATH, host=HOST, transport_security=rules)


class Locked:
    """An application behind a key: `Authorization: Bearer KEY`, or nothing but 401.

    Host and Origin are checked first, on every path: the SDK does so only where it serves.
    """

    def __init__(self, app: ASGIApp, key: str, rules: TransportSecuritySettings) -> None:
        self._app, self._key = app, key
        self._looked_s = -KEY_LOOK_S  # when the key was looked up last
        self._is_looking = False
        self.posts = 0  # requests under way that have a reply of their own
        self._rules = TransportSecurityMiddleware(rules)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it shows the key. Names of hosts mean the same in any case."""
        if scope["type"] == "http":
            headers = [(name, value.lower() if name in NAMES else value) for name, value in scope["headers"]]
            scope = {**scope, "headers": headers}
        refusal = await self._refusal(scope) if scope["type"] == "http" else None
        is_post = scope.get("method") == "POST"
        self.posts += is_post
        try:
            await (refusal or self._app)(scope, receive, send)
        finally:
            self.posts -= is_post

    async def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        doubled = [name for name in ONCE if len(headers.getlist(name)) > 1]
        if doubled:
            return PlainTextResponse(f"There is more than one header {doubled[0]!r}.", 400)
        if (elsewhere := await self._rules.validate_request(Request(scope))) is not None:
            return elsewhere
        await self._look_for_key()
        if not self._is_shown(headers):
            return PlainTextResponse("The key is missing or wrong.", 401, {"WWW-Authenticate": "Bearer"})
        return None

    async def _look_for_key(self) -> None:
        """Look whether there is another key, one at a time: a keychain that is locked may ask somebody."""
        if self._is_looking or time.monotonic() - self._looked_s < KEY_LOOK_S:
            return
        self._is_looking = True
        try:
            self._key = await anyio.to_thread.run_sync(key_of_now, self._key)
        finally:
            self._is_looking, self._looked_s = False, time.monotonic()

    def _is_shown(self, headers: Headers) -> bool:
        kind, _, shown = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), self._key.encode())
