"""A scripted HTTP server on loopback: it answers as models do, and as badly as networks do."""

from __future__ import annotations

import json
import socket
import socketserver
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Conversation:
    """One connection, seen by the script that answers it."""

    def __init__(self, connection: socket.socket, request: Received) -> None:
        self.request = request
        self._connection = connection

    def send(self, data: bytes) -> None:
        """Puts bytes on the wire as they are."""
        self._connection.sendall(data)

    def head(self, status: int = 200, content_type: str = "text/event-stream", **headers: str) -> None:
        """A response's head; the body ends with the connection, unless a content_length is given."""
        lines = [f"HTTP/1.1 {status} Said", f"content-type: {content_type}", "connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.send("\r\n".join([*lines, "", ""]).encode())

    def wait_until_left(self) -> None:
        """Silence until the client goes away."""
        try:
            while self._connection.recv(4096):
                pass
        except OSError:
            pass

    def reset(self) -> None:
        """The connection breaks, as when a router dies: RST instead of FIN."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.close()


Script = Callable[[Conversation], None]


class FakeServer:
    """Answers the first request with the first script, and so on; the last script repeats."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.received: list[Received] = []
        self.left = threading.Event()  # set when any conversation is over
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="fake server")

    @property
    def url(self) -> str:
        """Its address without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def next_script(self, request: Received) -> Script:
        """The script for this request, which is remembered."""
        with self._lock:
            self.received.append(request)
            return self.scripts[min(len(self.received), len(self.scripts)) - 1]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()  # waits for its conversations


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = False

    def __init__(self, owner: FakeServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        asked = self.rfile.readline().decode().split()
        if not asked:  # connected and left
            return
        method, path, *_ = asked
        headers = {}
        while line := self.rfile.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        request = Received(method, path, headers, self.rfile.read(int(headers.get("content-length", 0))))
        try:
            self.server.owner.next_script(request)(Conversation(self.connection, request))
        except OSError:  # the client left in the middle, as it may
            pass
        finally:
            self.server.owner.left.set()


def closed_port() -> int:
    """A port on loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def chunk(text: str | None = None, *, index: int = 0, reason: str | None = None) -> bytes:
    """One event of a chat completion's stream."""
    delta = {} if text is None else {"content": text}
    choice = {"index": index, "delta": delta, "finish_reason": reason}
    return event(
        {"id": "answer-1", "model": "fake-1", "object": "chat.completion.chunk", "choices": [choice]}
    )


def usage(prompt: int, completion: int) -> bytes:
    """The event that tells what it cost."""
    counted = {"prompt_tokens": prompt, "completion_tokens": completion}
    return event({"id": "answer-1", "model": "fake-1", "choices": [], "usage": counted})


def event(value: object) -> bytes:
    """A server-sent event with a JSON value."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def says(*parts: bytes) -> Script:
    """A stream of these bytes, then the end."""

    def script(conversation: Conversation) -> None:
        conversation.head()
        for part in parts:
            conversation.send(part)

    return script


def fails(status: int, body: object = None, **headers: str) -> Script:
    """An error status with a JSON body."""

    def script(conversation: Conversation) -> None:
        content = json.dumps(body or {"error": {"message": "no"}}).encode()
        conversation.head(status, "application/json", content_length=str(len(content)), **headers)
        conversation.send(content)

    return script


def answers(text: str) -> Script:
    """A whole and proper answer of one choice."""
    return says(chunk(text), chunk(reason="stop"), usage(7, 3), DONE)
