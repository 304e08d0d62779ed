"""The server on standard input and output, line by line, until its input ends or a signal comes."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import sys
from collections.abc import AsyncIterable
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn, Protocol

import anyio
from anyio import AsyncFile, to_thread
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCNotification
from pydantic import ValidationError

from loomapp.core.dataclass import dataclass
from loomapp.mcp.served_grove import Environment, ServedGrove
from loomapp.mcp.server import LoomServer

MOST_CHARACTERS = 16 << 20  # of one message: twenty novels
_END = 400  # characters of each end of a longer one
_AT_ONCE = 1 << 16
# Stands before, between and behind the ends of such a line; no message can be read that holds it.
_CUT = "\0"


class MessageLines(AsyncFile[str]):
    """Lines of a file; in the place of one that is too long stands what `ends_of` takes apart."""

    async def readline(self) -> str:
        return await to_thread.run_sync(self._next)

    def _next(self) -> str:
        line = self.wrapped.readline(MOST_CHARACTERS + 1)
        if len(line) <= MOST_CHARACTERS or line.endswith("\n"):
            return line
        end = line
        while more := self.wrapped.readline(_AT_ONCE):
            end = end[-_END:] + more
            if more.endswith("\n"):
                break
        return _CUT.join(("", line[:_END], end[-_END:].removesuffix("\n"), "\n"))


def ends_of(line: str) -> tuple[str, str] | None:
    """The beginning and the end of a line that was too long; None for any other."""
    parts = line.removesuffix("\n").split(_CUT)
    return (parts[1], parts[2]) if len(parts) == 4 and not parts[0] and not parts[3] else None


def claim() -> MessageLines:
    """Take standard input for messages; whatever else reads it in this process or a child finds its end."""
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # Not closed with the file: a thread may wait in it till the process ends.
    binary = os.fdopen(private, "rb", closefd=False)
    # Some programs of Windows begin with a mark of the order of bytes.
    return MessageLines(TextIOWrapper(binary, encoding="utf-8-sig", errors="replace"))


# Programs write the id before the parameters or last of all: only there is it sure to be the message's own.
_FIRST = re.compile(r'\s*\{[^{}\[\]]*?"id"\s*:\s*(?P<id>\d{1,18}|"[^"\\]{1,200}")\s*[,}]')
_LAST = re.compile(r'[}\]"]\s*,\s*"id"\s*:\s*(?P<id>\d{1,18}|"[^"\\]{1,200}")\s*\}\s*\Z')


def answer_to_unreadable(error: Exception) -> JSONRPCError | None:
    """The answer to a message that the protocol's types refuse; None for a blank line, which asks nothing."""
    if not isinstance(error, ValidationError):
        return _refusal(None, INVALID_REQUEST, "The message cannot be read")
    for one in error.errors(include_url=False, include_context=False):
        match one:
            case {"type": "json_invalid", "input": str(line), "msg": why}:
                if (ends := ends_of(line)) is not None:
                    return _refusal(_id_in(*ends), INVALID_REQUEST, _TOO_LONG)
                return _refusal(_id_in(line, line[-400:]), PARSE_ERROR, why) if line.strip() else None
            case {"input": {"id": int() | str() as number}}:
                return _refusal(number, INVALID_REQUEST, "The message is no request of this protocol")
    return _refusal(None, INVALID_REQUEST, "The message is no request of this protocol")


def answer_to_unnumbered(message: SessionMessage) -> JSONRPCError | None:
    """The answer to a request whose id is none: the SDK takes it for a notification, and says nothing."""
    said = message.message
    if not isinstance(said, JSONRPCNotification) or said.method.startswith("notifications/"):
        return None
    return _refusal(None, INVALID_REQUEST, "The id of a request must be a string or a whole number")


_TOO_LONG = f"The message is longer than {MOST_CHARACTERS >> 20} million characters; send less at once"


def _id_in(beginning: str, end: str) -> int | str | None:
    found = _FIRST.match(beginning) or _LAST.search(end)
    if found is None:
        return None
    number: int | str = json.loads(found["id"])
    return number


def _refusal(number: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))


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
            if isinstance(message, Exception):
                answer = answer_to_unreadable(message)
            else:
                answer = answer_to_unnumbered(message)
                if answer is None:
                    await readable.send(message)
            if answer is not None:
                await outgoing.send(SessionMessage(answer))


async def _cancel_on_signal(scope: anyio.CancelScope, ending: _Ending) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for _ in signals:
            ending.is_signalled = True
            scope.cancel()
