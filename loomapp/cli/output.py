"""Output of the command line: results to stdout, messages and progress to stderr, each a line.

Trees hold foreign text. A terminal is shown it without what would command the terminal, a pipe or a file gets
it as it is: that is done where the streams are, so that nothing printed in any other way goes past it.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from loomapp.core.errors import InvalidInput, LoomError, server_words
from loomapp.core.sentences import worded
from loomapp.providers.engine.state import EngineState

PROGRAM = "loomapp"
BY = "command line"  # who changed a tree, as the change log names it


# Control characters of both sets but for tabs and line ends, the line ends that some terminals break at, and
# what turns the direction of the text around it. U+200E and U+200F are left alone: they turn nothing but
# themselves, and honest Hebrew has them.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Terminal(io.TextIOBase):
    """A stream to a terminal on which no text is more than text: `\\x1b` stands where an escape would be."""

    def __init__(self, stream: TextIO) -> None:
        self.bare = stream

    def write(self, text: str) -> int:
        """Write a text as it is to be read."""
        self.bare.write(visible(text))
        return len(text)

    def flush(self) -> None:
        self.bare.flush()

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.bare.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]  # an attribute there, asked anew here
        return self.bare.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]  # likewise
        return self.bare.errors


def visible(text: str) -> str:
    """A text with escapes in the place of what would command a terminal; it may have many lines."""
    return _COMMANDS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


class OutputFailed(LoomError):
    """Standard output cannot be written: its disk is full, for one."""

    code = "outputFailed"


def prepare_streams() -> None:
    """UTF-8 and plain line ends everywhere, so that what is printed can be read back byte by byte."""
    # Closed by the caller: without a stand-in, print() writes what is for stderr to stdout, and the next
    # file to be opened, a grove perhaps, would stand where output goes.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - open until the end
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
            if stream.isatty():
                setattr(sys, name, Terminal(stream))


def say(text: str = "", *, end: str = "\n") -> None:
    """A result, on stdout. Raises: OutputFailed; BrokenPipeError when its reader has gone."""
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_stdout()  # else it is tried once more at the end, and complained about
        raise OutputFailed(f"The output could not be written: {error.strerror}.") from error


def say_json(value: object) -> None:
    """A result as one line of JSON, on stdout. Readers that split lines in Unicode's way find one as well."""
    say_as_json(json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS) + "\n")


def say_as_json(text: str) -> None:
    """A result that is JSON already, on stdout; what a terminal shows of it is JSON of the same value."""
    if sys.stdout.isatty():
        text = _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    say(text, end="")


def say_bytes(data: bytes, suffix: str) -> None:
    """A result that is no text, on stdout. Raises: InvalidInput on a terminal; OutputFailed."""
    if sys.stdout.isatty():
        told = "it is no text for a terminal; send it to a file: > tree{suffix}"
        raise InvalidInput(worded(told, suffix=suffix))
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_stdout()
        raise OutputFailed(f"The output could not be written: {error.strerror}.") from error


_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


def tell(message: str) -> None:
    """A message for the person, on stderr. A terminal that was closed takes none, and that stops nothing."""
    _tell(f"{PROGRAM}: {one_line(message)}")


def tell_in_place(text: str, *, width: int) -> None:
    """A message over the one before on a terminal, which was so wide; an empty text takes that away."""
    stream = sys.stderr.bare if isinstance(sys.stderr, Terminal) else sys.stderr
    with suppress(OSError):
        stream.write("\r" + visible(one_line(text)).ljust(width) + ("" if text else "\r"))
        stream.flush()


def _tell(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def tell_error(error: LoomError, *, as_json: bool) -> None:
    """An error as the one line on stderr that it gets."""
    if not as_json:
        return tell(" ".join(filter(None, (error.message, server_words(error)))))
    value = {"code": error.code, "message": one_line(error.message), **_plain(error.details)}
    return _tell(json.dumps({"error": value}, ensure_ascii=True))


def one_line(text: str) -> str:
    """A text without line breaks and control characters, which are written as escapes."""
    return "".join(c if _is_harmless(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def _is_harmless(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")


def _plain(details: Mapping[str, object]) -> Mapping[str, object]:
    return {name: json.loads(json.dumps(value, default=str)) for name, value in details.items()}


def forget_stdout() -> None:
    """After the reader of stdout has gone: nothing more is written, and nothing complains at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is no file here
        sys.stdout = io.StringIO()
    finally:
        os.close(nowhere)


class ProgressLine:
    """A line on stderr, if that is a terminal; nothing at all otherwise."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._width = 0

    def show_state(self, state: EngineState) -> None:
        percent = "" if state.progress is None else f" {state.progress:.0%}"
        self.show(f"{state.message}{percent}" if state.name in ("fetching", "starting") else "")

    def show(self, text: str) -> None:
        """Replaces what stands there; an empty text takes the line away."""
        if not self._is_shown or (not text and not self._width):
            return
        line = f"{PROGRAM}: {one_line(text)}" if text else ""
        tell_in_place(line, width=self._width)
        self._width = len(line)
