"""The engine's child process seen from its parent: started, asked, watched and ended."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loomapp.core.errors import ModelMissing
from loomapp.core.generation.provider import ProviderError, Stop
from loomapp.core.sentences import worded
from loomapp.providers.engine import child
from loomapp.providers.engine.state import NAME
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.model_rules import LOCAL_CHOICES, ModelRules

_log = logging.getLogger(__name__)

LOOK_AGAIN_S = 0.05
ANSWER_TIMEOUT_S = 60.0
LOOK_TIMEOUT_S = 2.0
END_TIMEOUT_S = 0.15  # it ends in 0.03 s; it has nothing that could be lost
KILLED_TIMEOUT_S = 2.0
LOG_TAIL_BYTES = 2000


class EngineProcess:
    """A child that has one model. Every method may be called from any thread."""

    def __init__(
        self, model_name: str, path: Path, rules: ModelRules, *, on_end: Callable[[EngineProcess, int], None]
    ) -> None:
        self.model_name = model_name
        self.rules = rules
        self.was_closed = False
        self.was_ready = False
        self.status: int | None = None
        self._path = path
        self._on_end = on_end
        self._key = secrets.token_urlsafe(32)
        self._folder = child.new_folder()
        self._answer: dict[str, str] = {}
        self._answered = threading.Event()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the watcher
        self._process = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._watcher = threading.Thread(target=self._watch, name="engine watcher", daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self.status is None and not self.was_closed

    @property
    def endpoint(self) -> Endpoint:
        url = (child.SOCKET_URL if self._socket else self._answer["url"]) + "/v1"
        return Endpoint(
            NAME, url, self._key, read_timeout_s=None, is_own_engine=True, socket_path=self._socket
        )

    @property
    def _socket(self) -> str:
        return "" if self._folder is None else str(self._folder / child.SOCKET_NAME)

    def wait_until_ready(self, stop: Stop) -> Endpoint:
        """Blocks while the model loads. Raises: ModelMissing, ProviderError."""
        while not self._answered.wait(LOOK_AGAIN_S):
            if stop.requested:
                raise ProviderError("cancelled", "Stopped before the model began.")
        if "url" in self._answer:
            self.was_ready = True
            return self.endpoint
        if self._answer.get("error") == "notInstalled":
            raise ModelMissing(
                "The embedded engine is not installed. Install it with: pip install 'loomapp[local]'"
            )
        raise ProviderError(
            "modelNotFound",
            worded(
                "{name} can't be loaded. Check that it is a whole GGUF model, or choose another.",
                name=self._path.name,
            ),
            provider=NAME,
            said=self._answer.get("detail"),
            status=self.status,
        )

    def ask(self, path: str, body: object) -> Any:
        """A small JSON question, such as `/tokenize`. Raises: ProviderError."""
        return json.loads(self._request("POST", path, json.dumps(body).encode(), ANSWER_TIMEOUT_S))

    def is_computing(self) -> bool:
        """Tell whether it works on any request; a child that does not even say is taken to."""
        try:
            metrics = self._request("GET", "/metrics", None, LOOK_TIMEOUT_S).decode()
        except ProviderError:
            return True
        counts = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if not line.startswith("#"))
        return counts.get("llamacpp:requests_processing") != "0"

    def wait_for_end(self, timeout_s: float) -> bool:
        """Tell whether it has ended, at the latest after this time."""
        self._watcher.join(timeout_s)
        return not self._watcher.is_alive()

    def close(self) -> None:
        """Ends it, whatever it does."""
        self.was_closed = True
        self._close_stdin()
        if not self.wait_for_end(END_TIMEOUT_S):
            self._process.kill()
            self.wait_for_end(KILLED_TIMEOUT_S)

    def _watch(self) -> None:
        """Hands over the order, waits for the one answer, then for the end."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError):  # it died at once; the answer will be missing
            process.stdin.write(json.dumps(self._order()).encode() + b"\n")
            process.stdin.flush()
        with process.stdout:
            line = process.stdout.readline()
        with contextlib.suppress(ValueError):
            self._answer = json.loads(line)
        if not self._answer.get("url"):
            self._close_stdin()
            self.status = process.wait()
            self._answer.setdefault("detail", self._log_tail())
        self._answered.set()
        self.status = process.wait()
        self._close_stdin()
        self._log.close()
        if self._folder is not None:
            child.remove_folder(self._folder)
        self._on_end(self, self.status)

    def _order(self) -> dict[str, object]:
        return {
            "key": self._key,
            "folder": "" if self._folder is None else str(self._folder),
            "model": str(self._path),
            "name": self.model_name,
            "context": self.rules.context_window,
            "gpu_layers": self.rules.gpu_layers,
            "choices": LOCAL_CHOICES,
            "threads": max(1, _cores() - 1),
        }

    def _log_tail(self) -> str:
        end = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, end - LOG_TAIL_BYTES))
        return self._log.read().decode("utf-8", "replace").strip()

    def _close_stdin(self) -> None:
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()

    def _request(self, method: str, path: str, body: bytes | None, timeout_s: float) -> bytes:
        """Straight to it with the standard library: no SDK, no proxy."""
        connection = self._connection(timeout_s)
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise ProviderError(
                "networkError",
                worded("{name}'s engine does not answer. Retry starts it again.", name=NAME),
                provider=NAME,
            ) from error
        finally:
            connection.close()
        if response.status != http.client.OK:
            raise ProviderError(
                "serverError",
                worded("{name}'s engine refused a question about the text. Retry.", name=NAME),
                provider=NAME,
                status=response.status,
            )
        return content

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._socket:
            return child.SocketConnection(self._socket, timeout_s)
        address = urllib.parse.urlsplit(self._answer["url"])
        return http.client.HTTPConnection(address.netloc, timeout=timeout_s)


def _command() -> list[str]:
    """A packaged program has no `python -m`, so it starts itself. -P: never code from the current folder."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--engine"]
    return [sys.executable, "-P", "-m", "loomapp.providers.engine.child"]


def _cores() -> int:
    """Return what this process may use: containers often get fewer than the computer has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
