"""The engine's own process: loads a model, serves it to its parent over a socket, ends with it.

Everything it needs, the key included, comes as one JSON line on stdin; nothing stands in its arguments,
which every user of the computer can read. One JSON line on stdout answers with the address or the trouble.

`python -m loomapp.providers.engine.child MODULE [argument …]` runs another module as such a child. It never
outlives its parent: it ends when its stdin does, and a parent that is killed closes the pipe as well.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import json
import os
import runpy
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LOG_ERRORS_ONLY = 1
BATCH_TOKENS = 128  # read at once, and then told of; no slower than 2,048, and a stop is heard in between
PARENT_GONE = 1
THREADS = 128  # each connection takes one until it is answered or let go; the library has a few
READ_S = 5  # for a request to come; the library waits for an hour


def engine_main(argv: Sequence[str] = ()) -> int:  # noqa: ARG001 - every entry has this form
    """Serves until stdin is closed: the parent closes it, also by dying, and also while the model loads."""
    for name in ("SIGINT", "SIGHUP"):  # Ctrl+C in a terminal, and its closing, are for the parent alone
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    order = json.loads(sys.stdin.buffer.readline() or b"{}")
    if not order:
        return 2
    folder = order["folder"]
    parent = end_with_parent(0, functools.partial(remove_folder, Path(folder)) if folder else None)
    try:
        server = _serve(order)
    except ImportError as error:
        _answer({"error": "notInstalled", "detail": str(error)})
        return 3
    except Exception as error:
        _answer({"error": "notLoaded", "detail": str(error)})
        return 4
    _answer({"url": server.listening_address})
    parent.join()  # it ends the process: native threads in a long computation let no orderly end come
    return 0


def end_with_parent(status: int, clear_up: Callable[[], None] | None = None) -> threading.Thread:
    """From now on this process ends when its stdin is closed, whatever it does, and clears up before. Gives
    what waits for that.
    """

    def wait() -> None:
        # By its number: a buffered reader in here would hold up an orderly end.
        os.read(sys.stdin.fileno(), 1)
        if clear_up is not None:
            clear_up()
        os._exit(status)

    thread = threading.Thread(target=wait, name="tether", daemon=True)
    thread.start()
    return thread


def _serve(order: dict[str, Any]) -> Any:
    import xllamacpp

    wish = xllamacpp.CommonParams()
    wish.model.path = order["model"]
    wish.model_alias = {order["name"]}  # else answers tell the path of the file
    wish.n_ctx = order["context"]
    wish.n_parallel = order["choices"]
    wish.kv_unified = True
    wish.n_batch = BATCH_TOKENS
    wish.cpuparams.n_threads = order["threads"]
    wish.n_gpu_layers = order["gpu_layers"]
    wish.fit_params = False  # it reads the model a second time, to choose numbers that are all given here
    wish.cache_ram_mib = 256
    wish.verbosity = LOG_ERRORS_ONLY
    # Without a folder every program and every web page of this computer can connect, to no avail but to
    # take a thread until it is let go.
    wish.hostnames = [str(Path(order["folder"], SOCKET_NAME)) if order["folder"] else "127.0.0.1"]
    wish.n_threads_http = THREADS
    wish.timeout_read = READ_S
    wish.port = 0
    wish.api_keys = [order["key"]]
    wish.cors_origins = ""  # by default every page in a local browser could read along
    wish.cors_credentials = False
    wish.ui = False
    wish.endpoint_slots = False  # shows prompts
    wish.endpoint_metrics = True  # numbers only: whether it is still computing
    return xllamacpp.Server(wish)


def _answer(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
    # The parent closes its end now; whatever a library prints later must not hit a broken pipe.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


FOLDER_PREFIX = "loomapp-engine-"
SOCKET_NAME = "engine.sock"  # the engine takes a name with this ending for a socket's
LONGEST_PATH = 100  # bytes: the kernels take 104 or 108, and cut what is longer
LEFT_AFTER_S = 3600.0  # no engine needs so long to open its socket
SOCKET_URL = "http://localhost"  # what requests are addressed to; the socket decides where they go


def new_folder() -> Path | None:
    """An empty folder for a socket, which only this user may enter; None where there are no such sockets.

    Folders that were left behind by killed programs go.
    """
    base = Path(tempfile.gettempdir())
    longest = len(os.fsencode(base / f"{FOLDER_PREFIX}{'x' * 8}" / SOCKET_NAME))
    if not hasattr(socket, "AF_UNIX") or longest > LONGEST_PATH:
        return None
    for folder in base.glob(f"{FOLDER_PREFIX}*"):
        if _is_left_behind(folder):
            remove_folder(folder)
    return Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=base))


def remove_folder(folder: Path) -> None:
    """Take a folder away with its socket; nothing happens if it is gone, or somebody else's."""
    shutil.rmtree(folder, ignore_errors=True)


def _is_left_behind(folder: Path) -> bool:
    """Tell whether nobody listens in a folder of ours any more."""
    with contextlib.suppress(OSError):
        known = folder.lstat()
        if known.st_uid != os.getuid() or folder.is_symlink():
            return False
        if not (folder / SOCKET_NAME).exists():
            return time.time() - known.st_mtime > LEFT_AFTER_S
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(1.0)
            try:
                probe.connect(str(folder / SOCKET_NAME))
            except ConnectionRefusedError:
                return True
    return False


class SocketConnection(http.client.HTTPConnection):
    """A connection to a server that listens on a socket in a folder."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Open the socket. Raises: OSError."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(engine_main())
    end_with_parent(PARENT_GONE)
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
