"""Quitting, from the wish to the end of the process, whatever the program is doing: beside the promise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.bench.table import Goal, Place, Rivals, Row
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, chunk

ROOT = Path(__file__).parents[2]
PROMISED_MS = 1_000.0


def endless(conversation: Conversation) -> None:
    """A server that never stops talking."""
    conversation.head()
    pause = threading.Event()
    while not pause.wait(0.02):
        conversation.send(chunk("word "))


def silent(conversation: Conversation) -> None:
    """A server that hangs."""
    conversation.wait_until_left()


@contextmanager
def quitting(
    place: Place, *, state: str, by: str = "button", script: Script | None = None
) -> Iterator[Rivals]:
    """The program in one of the states of `tests.journeys.leaving`, ended in one of the ways."""
    with ExitStack() as stack:
        variables: dict[str, str] = {}
        arguments = [state]
        if script is not None:
            url = stack.enter_context(FakeServer(script)).url
            if state == "fetching":
                models = place.grove().parent / "no-models"
                variables = {"LOOMAPP_MODEL_DIR": str(models), "PIP_INDEX_URL": url}
            else:
                arguments += [url, "nothing" if script is silent else "text"]
        yield Rivals(lambda: quit_ms(place.grove(), arguments, by, variables), lambda: PROMISED_MS)


def quit_ms(path: Path, arguments: list[str], by: str, variables: Mapping[str, str]) -> float:
    """One window, from the wish to the end of its process."""
    program = [sys.executable, "-m", "tests.journeys.leaving", str(path), *arguments]
    pipe, environment = subprocess.PIPE, {**os.environ, **variables}
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=environment) as window:
        assert window.stdin is not None
        assert window.stdout is not None
        assert window.stdout.readline() == "busy\n"
        asked_at = time.monotonic()
        if by == "button":
            window.stdin.write("close\n")
            window.stdin.flush()
            asked_at = float(window.stdout.readline())
        else:
            window.send_signal(signal.Signals[by])
        window.wait()
        return (time.monotonic() - asked_at) * 1e3


def _row(name: str, says: str, sizes: tuple[int, ...], **how: object) -> Row:
    opened: Callable[[Place], AbstractContextManager[Rivals]] = partial(quitting, **how)  # type: ignore[arg-type]
    return Row(f"quit {name}", f"process gone, {says}", "a second", opened, Goal(1), nodes=sizes)


SMALL, BOTH = (1_000,), (1_000, 100_000)
ROWS = (
    _row("streams", "8 streams", BOTH, state="stream", script=endless),
    _row("hanging", "8 requests to a server that hangs", SMALL, state="stream", script=silent),
    _row("idle", "right after a commit", BOTH, state="idle"),
    _row("SIGTERM", "right after a commit, by SIGTERM", SMALL, state="idle", by="SIGTERM"),
    _row("SIGINT", "right after a commit, by SIGINT", SMALL, state="idle", by="SIGINT"),
    _row("engine", "the embedded engine writes", SMALL, state="engine"),
    _row("prompt", "the embedded engine reads a long prompt", SMALL, state="prompt"),
    _row("loading", "the embedded engine loads its model", SMALL, state="loading"),
    _row("fetching", "the model is being fetched", SMALL, state="fetching", script=silent),
    _row("backup", "a backup is being made", BOTH, state="backup"),
    _row("walk", "a long way through the history is gone", SMALL, state="walk"),
)
