"""Standard input as lines of a bounded length: of one that is too long, only its ends stay in memory."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from anyio import AsyncFile, to_thread

MOST_CHARACTERS = 16 << 20  # of one message: twenty novels
_END = 400  # characters of each end of a longer one
_AT_ONCE = 1 << 16
# Stands before, between and behind the ends of such a line; no message can be read that holds it.
_CUT = "\0"


class MessageLines(AsyncFile[str]):
    """Lines of a file; in the place of one that is too long stands what `ends_of` takes apart."""

    async def readline(self) -> str:
        return await to_thread.run_sync(self._next)

    def _next(self) -> str:
        line = self.wrapped.readline(MOST_CHARACTERS + 1)
        if len(line) <= MOST_CHARACTERS or line.endswith("\n"):
            return line
        end = line
        while more := self.wrapped.readline(_AT_ONCE):
            end = end[-_END:] + more
            if more.endswith("\n"):
                break
        return _CUT.join(("", line[:_END], end[-_END:].removesuffix("\n"), "\n"))


def ends_of(line: str) -> tuple[str, str] | None:
    """The beginning and the end of a line that was too long; None for any other."""
    parts = line.removesuffix("\n").split(_CUT)
    return (parts[1], parts[2]) if len(parts) == 4 and not parts[0] and not parts[3] else None


def claim() -> MessageLines:
    """Take standard input for messages; whatever else reads it in this process or a child finds its end."""
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # Not closed with the file: a thread may wait in it till the process ends.
    binary = os.fdopen(private, "rb", closefd=False)
    return MessageLines(TextIOWrapper(binary, encoding="utf-8", errors="replace"))
