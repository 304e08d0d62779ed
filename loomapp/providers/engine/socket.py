"""The engine's socket: a file in a folder of the user's own, which no web page and no other user reaches."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import socket
import tempfile
import time
from pathlib import Path

PREFIX = "loomapp-engine-"
FILE = "engine.sock"  # the engine takes a name with this ending for a socket's
LONGEST_PATH = 100  # bytes: the kernels take 104 or 108, and cut what is longer
LEFT_AFTER_S = 3600.0  # no engine needs so long to open its socket
URL = "http://localhost"  # what requests are addressed to; the socket decides where they go


def new_folder() -> Path | None:
    """An empty folder for a socket, which only this user may enter; None where there are no such sockets.

    Folders that were left behind by killed programs go.
    """
    base = Path(tempfile.gettempdir())
    longest = len(os.fsencode(base / f"{PREFIX}{'x' * 8}" / FILE))
    if not hasattr(socket, "AF_UNIX") or longest > LONGEST_PATH:
        return None
    for folder in base.glob(f"{PREFIX}*"):
        if _is_left_behind(folder):
            remove(folder)
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))


def remove(folder: Path) -> None:
    """Take a folder away with its socket; nothing happens if it is gone, or somebody else's."""
    shutil.rmtree(folder, ignore_errors=True)


def _is_left_behind(folder: Path) -> bool:
    """Tell whether nobody listens in a folder of ours any more."""
    with contextlib.suppress(OSError):
        known = folder.lstat()
        if known.st_uid != os.getuid() or folder.is_symlink():
            return False
        if not (folder / FILE).exists():
            return time.time() - known.st_mtime > LEFT_AFTER_S
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(1.0)
            try:
                probe.connect(str(folder / FILE))
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
