"""A command of Loomapp's own, done in a process beside the window: large files stop nothing there."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, Signal

from loomapp.core.errors import LoomError
from loomapp.core.sentences import worded

END_WAIT_MS = 400


class SubprocessCommand(QObject):
    """One run of `loomapp …`. What it writes into a grove comes whole or not at all, so it may be stopped.

    `into`: a file for what it prints; one that stood there stays until the new one is whole. With
    `line_by_line` its lines are told as they come, and not again at the end; `words` are its stdin.
    """

    done = Signal(str)  # what it printed
    printed = Signal(list)  # list[str]: lines, once they are whole
    failed = Signal(object)  # LoomError
    ended = Signal()  # in whatever way, also when it was stopped

    def __init__(
        self,
        arguments: Sequence[str],
        parent: QObject | None = None,
        *,
        into: Path | None = None,
        line_by_line: bool = False,
        words: str = "",
    ) -> None:
        super().__init__(parent)
        self._words, self._rest = words, b""
        self._into = into
        self._part = into.with_name(f".{into.name}.part") if into is not None else None
        self._is_stopped = False
        self._process = QProcess(self)
        if self._part is not None:
            self._process.setStandardOutputFile(str(self._part))
        self._process.finished.connect(self.on_finished)
        self._process.errorOccurred.connect(self.on_error)
        if line_by_line:
            self._process.readyReadStandardOutput.connect(self.on_printed)
        self._arguments = [*_program(), *arguments, "--json"]

    @property
    def is_under_way(self) -> bool:
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self) -> None:
        self._process.start(self._arguments[0], self._arguments[1:])
        if self._words:
            self._process.write(self._words.encode())
        self._process.closeWriteChannel()

    def stop(self) -> None:
        self._is_stopped = True
        self._process.kill()

    def close(self) -> None:
        self.stop()
        self._process.waitForFinished(END_WAIT_MS)

    def on_printed(self) -> None:
        """Tell the lines that are whole by now."""
        *lines, self._rest = (self._rest + self._process.readAllStandardOutput().data()).split(b"\n")
        if lines and not self._is_stopped:
            self.printed.emit([line.decode("utf-8", "replace") for line in lines])

    def on_finished(self, status: int) -> None:
        if not self._is_stopped:
            if status == 0:
                self._finish()
            else:
                self.failed.emit(_error(bytes(self._process.readAllStandardError().data())))
        self._clear_up()
        self.ended.emit()

    def on_error(self, error: QProcess.ProcessError) -> None:
        """Tell that the command could not even begin."""
        if error == QProcess.ProcessError.FailedToStart and not self._is_stopped:
            self.failed.emit(
                LoomError(
                    worded("Loomapp could not start itself again: {why}.", why=self._process.errorString())
                )
            )
            self._clear_up()
            self.ended.emit()

    def _finish(self) -> None:
        if self._part is not None and self._into is not None:
            try:
                self._part.replace(self._into)
            except OSError as error:
                words = worded(
                    "{into} cannot be written ({why}). Choose another place.",
                    into=self._into,
                    why=error.strerror,
                )
                self.failed.emit(LoomError(words))
                return
        printed = bytes(self._process.readAllStandardOutput().data())
        self.done.emit(printed.decode("utf-8", "replace"))

    def _clear_up(self) -> None:
        if self._part is not None:
            with contextlib.suppress(OSError):
                self._part.unlink(missing_ok=True)


def start_apart(arguments: Sequence[str]) -> None:
    """Start a run of `loomapp …` that goes on when this program has ended, and says nothing to it."""
    process = QProcess()
    program, *more = _program()
    process.setProgram(program)
    process.setArguments([*more, *arguments])
    for redirect in (process.setStandardOutputFile, process.setStandardErrorFile):
        redirect(QProcess.nullDevice())
    process.startDetached()


def _program() -> list[str]:
    """A packaged program has no `python -m`. -P: never code from the current folder."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-P", "-m", "loomapp"]


def _error(told: bytes) -> LoomError:
    """Read the error that a command printed last, as JSON or in plain words."""
    last = next(reversed(told.decode("utf-8", "replace").strip().splitlines()), "")
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return LoomError(str(json.loads(last)["error"]["message"]))
    return LoomError(last or "It ended without saying why. Try again.")
