"""The server on standard input and output, until its input ends."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from loomapp.mcp.environment import Environment
from loomapp.mcp.served_grove import ServedGrove
from loomapp.mcp.server import LoomServer


def serve_stdio(path: Path, environment: Environment) -> None:
    """Serve a grove to the client that started this process. Logs go to stderr."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="loomapp mcp: %(message)s")
    server = LoomServer(ServedGrove(path, is_read_only=environment.is_read_only), environment)
    try:
        anyio.run(_serve, server)
    finally:
        server.close()


async def _serve(loom: LoomServer) -> None:
    server = loom.build()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
