"""The server on standard input and output, until its input ends or a signal comes."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import AsyncIterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from loomapp.mcp.environment import Environment
from loomapp.mcp.served_grove import ServedGrove
from loomapp.mcp.server import LoomServer
from loomapp.mcp.standard_input import claim
from loomapp.mcp.unreadable import answer_to_unreadable

DONE, INTERRUPTED = 0, 130  # the exit status, as of every command


def serve_stdio(path: Path, environment: Environment) -> None:
    """Serve a grove to the client that started this process. Logs go to stderr."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="loomapp mcp: %(message)s")
    server = LoomServer(ServedGrove(path, is_read_only=environment.is_read_only), environment)
    try:
        anyio.run(_serve, server)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # the client is gone: nobody is there to be told
    finally:
        server.close()


@dataclass(slots=True)
class _Ending:
    """The end by a signal, which comes though the input goes on."""

    is_signalled: bool = False


async def _serve(loom: LoomServer) -> None:
    server, ending = loom.build(), _Ending()
    async with stdio_server(stdin=claim()) as (incoming, outgoing):
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_cancel_on_signal, tasks.cancel_scope, ending)
                put, readable = anyio.create_memory_object_stream[SessionMessage | Exception]()
                tasks.start_soon(_pass_on, incoming, put, outgoing)
                await server.run(readable, outgoing, server.create_initialization_options())
                tasks.cancel_scope.cancel()
        except anyio.get_cancelled_exc_class():
            _leave(loom, DONE)  # nobody reads what is written any more
        if ending.is_signalled:
            sys.stderr.write("loomapp: interrupted\n")
            sys.stderr.flush()
            _leave(loom, INTERRUPTED)


def _leave(loom: LoomServer, status: int) -> NoReturn:
    """End at once: the thread that reads the input waits for its end, which may never come."""
    loom.close()
    os._exit(status)


class _Sending(Protocol):
    """A way to the client."""

    async def send(self, item: SessionMessage, /) -> None: ...


async def _pass_on(
    incoming: AsyncIterable[SessionMessage | Exception],
    readable: MemoryObjectSendStream[SessionMessage | Exception],
    outgoing: _Sending,
) -> None:
    """Hand on what a client says, and answer what cannot be read, which the SDK would only drop."""
    async with readable:
        async for message in incoming:
            if not isinstance(message, Exception):
                await readable.send(message)
            elif (answer := answer_to_unreadable(message)) is not None:
                await outgoing.send(SessionMessage(answer))


async def _cancel_on_signal(scope: anyio.CancelScope, ending: _Ending) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for _ in signals:
            ending.is_signalled = True
            scope.cancel()
