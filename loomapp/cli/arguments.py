"""Arguments: a parser whose complaints are one line, and the options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from loomapp.cli.failures import UsageError
from loomapp.core.context.texts import FAULTS

Namespace = argparse.Namespace


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
