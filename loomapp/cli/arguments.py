"""Arguments: a parser, shared options, files that they name; every error in one line with its exit status."""

from __future__ import annotations

import argparse
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn, Protocol, TypeVar

from loomapp.core.context.truncation import FAULTS
from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.files import MOST_TREE_BYTES, check_regular, read_regular

Namespace = argparse.Namespace
MOST_SECONDS = 86_400


class Parser(argparse.ArgumentParser):
    """Parser that raises UsageError where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        """Raises: UsageError, always."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def parser_for(name: str, summary: str) -> Parser:
    parser = Parser(prog=f"loomapp {name}".strip(), description=summary, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--grove", metavar="GROVE", help="the grove file (default: the last opened)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser


def at_least(least: int) -> Callable[[str], int]:
    """Reads a whole number that is not below `least`."""

    def whole_number(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is less than {least}")
        return number

    return whole_number


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= number <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds from 0 to {MOST_SECONDS:,}")
    return number


def sound_text(setting: str) -> Callable[[str], str]:
    """Reads a text that the assembler puts into contexts, by the name of its setting."""

    def read(text: str) -> str:
        wrong = FAULTS[setting](clean_text(text))
        if wrong is not None:
            raise argparse.ArgumentTypeError(f"{text!r} {wrong}")
        return text

    return read


def clean_text(text: str) -> str:
    """Reads a text from the command line; bytes that are not UTF-8 arrive as lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("the text is not UTF-8") from None
    return text


def add_working_buffer(parser: Parser) -> None:
    """Add the option for words that are sent after the node's own."""
    parser.add_argument(
        "--working-buffer",
        type=clean_text,
        default="",
        metavar="TEXT",
        help="words after the node that are in no node yet",
    )


T = TypeVar("T")


def read_file(name: str, read: Callable[[bytes], T]) -> T:
    """Read a file's bytes with `read`. Raises: InvalidInput, naming the file and the place."""
    return read_path(name, lambda path: read(read_regular(path, MOST_TREE_BYTES)))


def read_path(name: str, read: Callable[[Path], T]) -> T:
    """Read a file with `read`, which opens it itself. Raises: InvalidInput, as `read_file`."""
    try:
        check_regular(Path(name), MOST_TREE_BYTES)
        return read(Path(name))
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.message}", file=name, **error.details) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{name}: cannot be read: {why}", file=name) from error


def now_ms() -> int:
    return time.time_ns() // 1_000_000


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
