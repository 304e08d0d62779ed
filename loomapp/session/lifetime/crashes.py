"""Ends of the program: every way in which it fails, the marker of a bad end, and the quick good one."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import logging
import os
import platform
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Any, NoReturn

from PySide6.QtCore import (
    QLockFile,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
    qVersion,
)

from loomapp import __version__, logs, places
from loomapp.core.dataclass import dataclass
from loomapp.store.identity import new_id, now

_log = logging.getLogger(__name__)
_qt_log = logging.getLogger("loomapp.qt")

LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
LONGEST_QT_MESSAGE = 300


@dataclass(frozen=True, slots=True)
class CrashReport:
    """A report of how a session ended badly. Nothing in it is a key, or a word from a tree."""

    started_at: int  # milliseconds since 1970
    version: str
    trace: str  # what the process last did, if it had the time to say
    log: str  # the last lines of the log

    @property
    def text(self) -> str:
        """The whole report, to be shown and copied."""
        started = datetime.fromtimestamp(self.started_at / 1000, UTC).isoformat(timespec="seconds")
        facts = f"Loomapp {self.version}, started {started}, ended badly\n{machine()}"
        parts = [facts, "Last moments:\n" + (self.trace or "nothing was noted"), "Log:\n" + self.log]
        return logs.redacted("\n\n".join(parts))


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake of ours after which the program goes on; `text` can be shown and copied."""

    kind: str
    text: str


class Session(QObject):
    """Session of a window's process, from its first act to its last. Make one, on the GUI thread."""

    fault_found = Signal(object)  # Fault; from whichever thread it happened on

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = places.state_folder() / "sessions"
        self.last = last_session(self._folder)
        self._handler = logs.open_log()
        self._id = new_id()
        self._lock: QLockFile | None = None
        self._trace: IO[str] | None = None
        self._faults_were_traced = faulthandler.is_enabled()
        with contextlib.suppress(OSError):  # without room for a marker the window opens all the same
            self._mark()
        self._hooks: tuple[Any, ...] = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        sys.unraisablehook = self._on_unraisable
        self._qt_handler = qInstallMessageHandler(on_qt_message)
        _log.info("Loomapp %s began, %s", __version__, platform.system())

    def close(self) -> None:
        _log.info("Loomapp ended")
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._hooks
        qInstallMessageHandler(self._qt_handler)
        self._stop_tracing()
        for file in _files_of(self._folder, self._id):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.unlock()
        logs.close_log(self._handler)

    # The marker

    def _mark(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = _lock_of(self._folder, self._id)
        if not lock.tryLock(0):
            return
        self._lock = lock
        marker, trace = _files_of(self._folder, self._id)
        marker.write_text(json.dumps({"startedAt": now(), "version": __version__}), encoding="utf-8")
        self._trace = trace.open("w", encoding="utf-8")
        faulthandler.enable(self._trace)

    def _stop_tracing(self) -> None:
        faulthandler.disable()
        if self._faults_were_traced and sys.__stderr__ is not None:
            faulthandler.enable(sys.__stderr__)
        if self._trace is not None:
            self._trace.close()

    # The hooks

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            sys.__excepthook__(kind, error, trace)
        else:
            self._found(error.with_traceback(trace))

    def _on_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._found(arguments.exc_value)

    def _on_unraisable(self, arguments: sys.UnraisableHookArgs) -> None:
        if arguments.exc_value is not None:
            self._found(arguments.exc_value)

    def _found(self, error: BaseException) -> None:
        _log.error("A fault in Loomapp", exc_info=error)
        text = logs.redacted("\n".join([f"Loomapp {__version__}", machine(), *logs.told(error)]))
        if sys.stderr is not None:
            sys.stderr.write(f"a fault in Loomapp itself: {type(error).__name__} (see {logs.log_file()})\n")
        self.fault_found.emit(Fault(type(error).__name__, text))


def last_session(folder: Path) -> CrashReport | None:
    """Report how the last session ended, if it ended badly, and take its marker away; None if it ended well.
    Sessions that are still alive are left alone.
    """
    report: CrashReport | None = None
    for session_id in sorted(file.stem for file in folder.glob("*.json")):
        lock = _lock_of(folder, session_id)
        if not lock.tryLock(0):
            continue
        marker, trace = _files_of(folder, session_id)
        report = _report(marker, trace)
        for file in (marker, trace):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
        lock.unlock()
    return report


def machine() -> str:
    """Describe the computer for a bug report."""
    return f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"


def on_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    del context
    # In place of the message, not as its argument: the log takes longer arguments for somebody's words.
    _qt_log.log(LEVELS.get(kind, logging.WARNING), message[:LONGEST_QT_MESSAGE])


@contextlib.contextmanager
def ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """Ctrl+C, a logout and a polite kill close the window as a person would; a second one is not polite.

    Python's handlers run between any two steps of what the interpreter does, or never while the event loop
    waits: so each signal is also a byte that wakes the loop, and the end comes from there, never into the
    middle of something that is being built.
    """
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

    def on_signal(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)

    before = [(number, signal.signal(number, on_signal)) for number in numbers]
    try:
        with _woken_by_signals(frozenset(numbers), end):
            yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@contextlib.contextmanager
def _woken_by_signals(numbers: frozenset[int], end: Callable[[], None]) -> Iterator[None]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read)

        def on_byte(*_: object) -> None:
            if not numbers.isdisjoint(ours.recv(64)):  # each byte is the number of a signal
                end()

        notifier.activated.connect(on_byte)
        woken_before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(woken_before)
            notifier.setEnabled(False)
            notifier.deleteLater()


def _lock_of(folder: Path, session_id: str) -> QLockFile:
    lock = QLockFile(str(folder / f"{session_id}.lock"))
    lock.setStaleLockTime(0)  # however long a window stays open, its lock is its own while it lives
    return lock


def _files_of(folder: Path, session_id: str) -> tuple[Path, Path]:
    return folder / f"{session_id}.json", folder / f"{session_id}.trace"


def _report(marker: Path, trace: Path) -> CrashReport:
    try:
        value = json.loads(marker.read_text(encoding="utf-8"))
        started_at, version = int(value["startedAt"]), str(value["version"])
    except (OSError, ValueError, KeyError, TypeError):
        started_at, version = 0, "?"
    try:
        last_words = trace.read_text(encoding="utf-8", errors="replace")
    except OSError:
        last_words = ""
    return CrashReport(started_at, version, logs.redacted(last_words).strip(), logs.redacted(logs.excerpt()))


def end_process(status: int) -> NoReturn:
    """End this process here, without the interpreter's own way out.

    That way takes modules and widgets apart for half a second, of the one in which quitting is promised, and
    nobody needs the pieces. What it does that matters is done here. Call it last: the grove is closed, the
    locks are released, child processes have ended. Threads are cut off where they are: one that waits for a
    server that hangs, or a backup under way, whose unfinished copy the next one clears.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, full, or none at all
            stream.flush()
    os._exit(status)
