"""A real terminal for a command: the other end of a pseudo-terminal, and all that came out there."""

from __future__ import annotations

import os
import pty
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kit.processes import warm


@dataclass(frozen=True)
class Shown:
    """What a terminal was sent, results and messages together as they came."""

    status: int
    text: str


def on_terminal(*arguments: str | Path) -> Shown:
    """Runs `loomapp` on a terminal of its own. The terminal's own way with line ends is taken out."""
    words = list(map(str, arguments))
    ours, theirs = pty.openpty()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TERM", "xterm")
            process = warm.command(words)
            pid = process.start(words, theirs, theirs)
        os.close(theirs)
        shown = _until_closed(ours)
        status = process.wait(pid)
    finally:
        os.close(ours)
    return Shown(status, shown.decode("utf-8").replace("\r\n", "\n"))


def _until_closed(descriptor: int) -> bytes:
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(descriptor, 65_536)
        except OSError:  # Linux says so when the last program at the other end has gone
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)
