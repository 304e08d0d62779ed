"""What the command line prints: results to stdout, messages to stderr, each message one line."""

from __future__ import annotations

import io
import json
import os
import sys
import unicodedata
from collections.abc import Mapping

from loomapp.core.errors import LoomError

PROGRAM = "loomapp"


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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


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
    say(json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS))


_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


def tell(message: str) -> None:
    """A message for the person, on stderr."""
    print(f"{PROGRAM}: {one_line(message)}", file=sys.stderr, flush=True)


def tell_error(error: LoomError, *, as_json: bool) -> None:
    """An error as the one line on stderr that it gets."""
    if not as_json:
        return tell(error.message)
    value = {"code": error.code, "message": one_line(error.message), **_plain(error.details)}
    return print(json.dumps({"error": value}, ensure_ascii=True), file=sys.stderr, flush=True)


def one_line(text: str) -> str:
    """A text without line breaks and control characters, which are written as escapes."""
    return "".join(c if _is_harmless(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def for_reading(text: str) -> str:
    """A user's text for a person: on a terminal without the control characters that would command it."""
    if not sys.stdout.isatty():
        return text
    return "".join(c if c in "\n\t" or _is_harmless(c) else one_line(c) for c in text)


def _is_harmless(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")


def _plain(details: Mapping[str, object]) -> Mapping[str, object]:
    """Details as JSON can hold them."""
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
