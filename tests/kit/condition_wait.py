"""A qtbot that waits for a condition and not for a time: a busy machine makes no test fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEventLoop, QTimer
from pytestqt.qtbot import QtBot

PATIENCE_MS = 150_000
"""A wait ends as soon as what is waited for is there; only one that is in vain lasts so long."""


class PatientBot(QtBot):
    """Every wait may take minutes, whatever the test thought would be enough."""

    def wait(self, ms: int) -> None:
        """Let the window go on: what `waitUntil` does a hundred times a second, so without much ado."""
        loop = QEventLoop()
        QTimer.singleShot(ms, loop.quit)
        loop.exec()

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=max(timeout, PATIENCE_MS))

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **how: Any) -> Any:
        return super().waitSignal(signal, timeout=max(timeout, PATIENCE_MS), **how)

    def waitSignals(self, signals: list[Any], *, timeout: int = PATIENCE_MS, **how: Any) -> Any:
        return super().waitSignals(signals, timeout=max(timeout, PATIENCE_MS), **how)

    def waitExposed(self, widget: Any, *, timeout: int = PATIENCE_MS) -> Any:
        return super().waitExposed(widget, timeout=max(timeout, PATIENCE_MS))

    def waitActive(self, widget: Any, *, timeout: int = PATIENCE_MS) -> Any:
        return super().waitActive(widget, timeout=max(timeout, PATIENCE_MS))
