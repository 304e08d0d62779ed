"""The engine's own process: loads a model, serves it to its parent, ends with it.

Everything it needs, the key included, comes as one JSON line on stdin; nothing stands in its arguments,
which every user of the computer can read. One JSON line on stdout answers with the address or the trouble.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loomapp.providers.engine.socket import FILE, remove
from loomapp.providers.engine.tethered_child import end_with_parent

LOG_ERRORS_ONLY = 1
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
    parent = end_with_parent(0, functools.partial(remove, Path(folder)) if folder else None)
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


def _serve(order: dict[str, Any]) -> Any:
    import xllamacpp

    wish = xllamacpp.CommonParams()
    wish.model.path = order["model"]
    wish.model_alias = {order["name"]}  # else answers tell the path of the file
    wish.n_ctx = order["context"]
    wish.n_parallel = order["choices"]
    wish.kv_unified = True
    wish.cpuparams.n_threads = order["threads"]
    wish.n_gpu_layers = 0
    wish.cache_ram_mib = 256
    wish.verbosity = LOG_ERRORS_ONLY
    # Without a folder every program and every web page of this computer can connect, to no avail but to
    # take a thread until it is let go.
    wish.hostnames = [str(Path(order["folder"], FILE)) if order["folder"] else "127.0.0.1"]
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


if __name__ == "__main__":
    sys.exit(engine_main(sys.argv[1:]))
