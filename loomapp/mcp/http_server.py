"""The server over HTTP, on this computer only: every call shows a key, Host and Origin are checked."""

from __future__ import annotations

import hmac
import logging
import socket
import sys
from contextlib import closing
from pathlib import Path

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from loomapp.mcp.client_configuration import HOST, PATH
from loomapp.mcp.environment import Environment
from loomapp.mcp.http_key import HttpRefused
from loomapp.mcp.served_grove import ServedGrove
from loomapp.mcp.server import LoomServer


def serve_http(path: Path, environment: Environment, port: int, key: str) -> None:
    """Serve a grove on a port of the loopback address until a signal comes; its URL goes to stderr.

    Raises: HttpRefused where the port is taken.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="loomapp mcp: %(message)s")
    with closing(_listening(port)) as listener:
        taken = listener.getsockname()[1]
        server = LoomServer(ServedGrove(path, is_read_only=environment.is_read_only), environment)
        app = Locked(_app(server, taken), key)
        sys.stderr.write(f"loomapp mcp: http://{HOST}:{taken}{PATH}\n")
        sys.stderr.flush()
        config = uvicorn.Config(app, log_config=None, log_level="warning", lifespan="on", ws="none")
        try:
            anyio.run(_serve, uvicorn.Server(config), listener)
        finally:
            server.close()


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


def _app(loom: LoomServer, port: int) -> ASGIApp:
    hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
    return loom.build().streamable_http_app(
        streamable_http_path=PATH,
        host=HOST,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{host}" for host in hosts],
        ),
    )


class Locked:
    """An application behind a key: `Authorization: Bearer KEY`, or nothing but 401."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app, self._key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it shows the key."""
        if scope["type"] == "http" and not self._is_shown(Headers(scope=scope)):
            refusal = PlainTextResponse("The key is missing or wrong.", 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_shown(self, headers: Headers) -> bool:
        kind, _, shown = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), self._key.encode())
