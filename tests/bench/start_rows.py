"""G12 and quitting: the program from outside, process by process."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench import floors
from tests.bench.table import Goal, Place, Rivals, Row
from tests.fake_server import Conversation, FakeServer, chunk

ROOT = Path(__file__).parents[2]
PROMISED_MS = 1_000.0
STARTING = """
import os, sys
from PySide6.QtWidgets import QApplication

def leave(*_):
    QApplication.processEvents()
    slow = {"anthropic", "openai", "httpx2", "alembic", "xllamacpp"}
    heavy = sorted(slow & sys.modules.keys())
    os.write(2, " ".join(heavy).encode())
    os._exit(3 if heavy else 0)

QApplication.exec = leave
from loomapp.__main__ import main
main([sys.argv[1]])
"""


@contextmanager
def starting(place: Place) -> Iterator[Rivals]:
    """G12: the real command until its window is on the screen, beside a bare one."""
    path = place.grove()
    start = [sys.executable, "-c", STARTING, str(path)]
    floors.run_ms(start)  # what is compiled once is compiled
    yield Rivals(lambda: floors.run_ms(start), floors.bare_window_ms)


@contextmanager
def quitting(place: Place) -> Iterator[Rivals]:
    """From the wish to close to the end of the process, with eight answers under way."""
    with FakeServer(endless) as server:
        yield Rivals(lambda: quit_ms(place.grove(), server.url), lambda: PROMISED_MS)


def quit_ms(path: Path, url: str) -> float:
    """One window that is asked to close while it is busy; see `tests.journeys.leaving`."""
    program = [sys.executable, "-m", "tests.journeys.leaving", str(path), "scripted", url]
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as window:
        assert window.stdin is not None
        assert window.stdout is not None
        assert window.stdout.readline() == "busy\n"
        window.stdin.write("close\n")
        window.stdin.flush()
        asked_at = float(window.stdout.readline())
        window.wait()
        return (time.monotonic() - asked_at) * 1e3


def endless(conversation: Conversation) -> None:
    """A server that never stops talking."""
    conversation.head()
    pause = threading.Event()
    while not pause.wait(0.02):
        conversation.send(chunk("word "))


ROWS = (
    Row("G12", "window shown, no SDK imported", "bare QMainWindow", starting, Goal(3), nodes=(1_000,)),
    Row("quit", "window gone, 8 streams", "a second", quitting, Goal(1), nodes=(1_000, 100_000)),
)
