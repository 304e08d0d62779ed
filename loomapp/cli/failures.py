"""Errors of the command line itself, the exit status of every error, and the signals that end a command."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

from loomapp.core.errors import GroveError, InvalidInput, LoomError

DONE, FAILED, BAD_INPUT, LIBRARY_MISSING, NO_DISPLAY, INTERRUPTED = 0, 1, 2, 3, 4, 130
# The input is good; trying later may help.
FAILED_GROVE_CODES = frozenset({"locked", "full", "ioError", "noBackup"})


class UsageError(LoomError):
    """The command line itself is wrong."""

    code = "usage"


class NotFound(LoomError):
    """A tree, node or agent that the arguments name is not there."""

    code = "notFound"


class OutOfMemory(LoomError):
    """The system gives no more memory."""

    code = "outOfMemory"


class LibraryMissing(LoomError):
    """A system library that Qt needs is not installed."""

    code = "libraryMissing"


class ExtraMissing(LoomError):
    """An optional package that the command needs is not installed."""

    code = "extraMissing"


class NoDisplay(LoomError):
    """There is no screen to open a window on."""

    code = "noDisplay"


def exit_status(error: LoomError) -> int:
    """0 done, 1 the thing asked for failed, 2 bad input or usage, 3 library missing, 4 no display."""
    match error:
        case LibraryMissing():
            return LIBRARY_MISSING
        case NoDisplay():
            return NO_DISPLAY
        case GroveError(code=code):
            return FAILED if code in FAILED_GROVE_CODES else BAD_INPUT
        case UsageError() | NotFound() | InvalidInput():
            return BAD_INPUT
        case _:
            return FAILED


NUMBERS = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)


class Stoppable(Protocol):
    """A run, as far as a signal knows it."""

    def stop(self) -> None: ...


class Ending:
    """The ending that signals asked for since it is listened to."""

    def __init__(self) -> None:
        self.is_asked = False
        self._run: Stoppable | None = None

    def watch(self, run: Stoppable) -> None:
        """Stop this run when a signal comes, or now if one has come."""
        self._run = run
        if self.is_asked:
            run.stop()

    def ask(self) -> None:
        """End as if a signal had come."""
        self.is_asked = True
        if self._run is not None:
            self._run.stop()

    def on_signal(self, number: int) -> None:
        """The first stops the run; a second Ctrl+C leaves at once. A closed terminal often says so twice."""
        if self.is_asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.ask()


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let each of these signals raise KeyboardInterrupt in the block, as Ctrl+C does by itself."""

    def interrupt(_number: int) -> None:
        raise KeyboardInterrupt

    with _heard(interrupt):
        yield


@contextmanager
def ended_in_order() -> Iterator[Ending]:
    """Let signals interrupt nothing in the block: they are noted, and stop the run that is watched."""
    ending = Ending()
    with _heard(ending.on_signal):
        yield ending


@contextmanager
def _heard(hear: Callable[[int], None]) -> Iterator[None]:
    def on_signal(number: int, _frame: FrameType | None) -> None:
        hear(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # What was ignored from the start stays ignored: `nohup`, and what a script puts in the background.
    numbers = [number for number in NUMBERS if signal.getsignal(number) is not signal.SIG_IGN]
    before = [(number, signal.signal(number, on_signal)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
