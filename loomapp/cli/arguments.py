"""Arguments: a parser whose complaints are one line, shared options, and the files that they name."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TypeVar

from loomapp.cli.failures import UsageError
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.context.truncation import FAULTS
from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import ALL_OFF, ASSEMBLERS, NOTHING_OWN, EconomySettings
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sent.calls import calls_of
from loomapp.files import MOST_TREE_BYTES, check_regular, read_regular

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


NEVER = "never"
SWITCH = ("on", "off")


def add_economy_options(parser: Parser) -> None:
    parser.add_argument(
        "--assembler", choices=ASSEMBLERS, help="summaries: branch summaries for what they cover"
    )
    parser.add_argument("--summaries", choices=SWITCH, help="use summaries of the conversation")
    parser.add_argument("--compression", choices=SWITCH, help="shorten long documents and results")
    parser.add_argument("--compress-text", choices=SWITCH, help="shorten long plain text too")
    text = "how full the effective window is, as a fraction; left out: from the responses"
    parser.add_argument("--utilization", type=fraction, metavar="X", help=text)
    text = "seconds since the last call, or never; left out: from the responses"
    parser.add_argument("--idle", type=idle_time, metavar="S", help=text)
    parser.add_argument("--state", action="store_true", help="print the state of the thresholds too")


def fraction(text: str) -> float:
    """Reads a number from 0 on."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return number


def idle_time(text: str) -> float | str:
    """Reads seconds, or the word `never`."""
    if text == NEVER:
        return NEVER
    number = fraction(text)
    return int(number) if number == int(number) else number


def economy_settings(arguments: Namespace) -> EconomySettings:
    """The settings that a command line asks for; for a file all that it does not name is off."""
    rest = NOTHING_OWN if arguments.file is None else ALL_OFF
    return EconomySettings(
        assembler=arguments.assembler or rest.assembler,
        use_summaries=_switched(arguments.summaries, rest.use_summaries),
        make_summaries=rest.make_summaries,
        compression=_switched(arguments.compression, rest.compression),
        compress_text=_switched(arguments.compress_text, rest.compress_text),
    )


def _switched(asked: str | None, otherwise: bool | None) -> bool | None:
    return otherwise if asked is None else asked == "on"


def with_load(
    request: ContextRequest,
    arguments: Namespace,
    tree: Tree,
    agent: Agent | None,
    evidence: Iterable[Evidence],
) -> ContextRequest:
    """The request with all that tells how full its window is: of an agent that was named the calls of its
    model, else all.
    """
    idle: float | str | None = arguments.idle
    seconds = None if isinstance(idle, str) else idle
    return replace(
        request,
        model=None if agent is None else agent.model_ref,
        can_read=agent is not None and agent.type == "model" and agent.loom_aware,
        calls=calls_of(tree, evidence),
        now=now_ms(),
        load=GivenLoad(arguments.utilization, seconds, idle is not None),
    )


def now_ms() -> int:
    """The time now, in milliseconds."""
    return time.time_ns() // 1_000_000
