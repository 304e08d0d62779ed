"""Errors of the command line itself, and the exit status of every error."""

from __future__ import annotations

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
