"""Options of context economy, and what is known of the calls of a tree, for commands that assemble."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterable
from dataclasses import replace

from loomapp.cli.arguments import Namespace, Parser
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import (
    ALL_OFF,
    ASSEMBLERS,
    NOTHING_OWN,
    EconomySettings,
)
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sent.calls import calls_of

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
