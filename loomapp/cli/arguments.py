"""Arguments: a parser whose complaints are one line, shared options, and the files that they name."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from loomapp.cli.failures import UsageError
from loomapp.core.context.truncation import FAULTS
from loomapp.core.errors import InvalidInput
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
