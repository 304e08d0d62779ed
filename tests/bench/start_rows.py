"""G12: the start of the program from outside."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench import floors
from tests.bench.table import Goal, Place, Rivals, Row

STARTING = """
import gc, os, sys

def is_shown():
    from PySide6.QtWidgets import QApplication
    windows = [w for w in QApplication.topLevelWidgets() if w.objectName() == "mainWindow"]
    return any(w.isVisible() and w.windowHandle().isExposed() for w in windows)

def leave(*_):
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication
    while not is_shown():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    QApplication.processEvents()
    slow = {"anthropic", "openai", "httpx2", "alembic", "xllamacpp"}
    heavy = sorted(slow & sys.modules.keys())
    os.write(2, " ".join(heavy).encode())
    os._exit(3 if heavy else 0)

def freeze(freeze=gc.freeze):
    freeze()
    if "PySide6.QtWidgets" in sys.modules:  # after what comes before Qt in a start
        from PySide6.QtWidgets import QApplication
        QApplication.exec = leave

gc.freeze = freeze
from loomapp.__main__ import main
main([sys.argv[1]])
"""


@contextmanager
def starting(place: Place) -> Iterator[Rivals]:
    """G12: the real command until its window is on the screen, beside a bare one."""
    os.environ["PYTHONPYCACHEPREFIX"] = str(place.groves.folder / "compiled")  # as after an installation
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    path = place.grove()
    start = [sys.executable, "-c", STARTING, str(path)]
    floors.run_ms(start)
    floors.bare_window_ms()
    yield Rivals(lambda: floors.run_ms(start), floors.bare_window_ms)


ROWS = (Row("G12", "window shown, no SDK imported", "bare QMainWindow", starting, Goal(3), nodes=(1_000,)),)
