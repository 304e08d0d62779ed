"""`loomapp assemble`: the context of a node as JSON, from a Loom JSON file or a tree of a grove."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from loomapp.cli.arguments import (
    DONE,
    Namespace,
    NotFound,
    Parser,
    UsageError,
    add_working_buffer,
    at_least,
    clean_text,
    now_ms,
    read_file,
    sound_text,
    whole_number,
)
from loomapp.cli.output import say_json
from loomapp.core.context.assembly import assemble, to_json
from loomapp.core.context.awareness import aware_agent
from loomapp.core.context.provider_rules import PROVIDER_RULES
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import ALL_OFF, ASSEMBLERS, NOTHING_OWN, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sent.calls import calls_of, is_compressed
from loomapp.core.tree_json import INSTRUCTION_SCOPES
from loomapp.formats import loom_json

WINDOW = 128_000  # tokens, where nothing else is said
NEVER = "never"
SWITCH = ("on", "off")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help="a Loom JSON file")
    parser.add_argument("--tree", metavar="ID", help="a tree of the grove, in place of FILE")
    parser.add_argument("--at", required=True, metavar="NODE", help="the node to continue")
    parser.add_argument(
        "--window",
        type=whole_number,
        default=WINDOW,
        metavar="N",
        help=f"tokens of the context window (default: {WINDOW})",
    )
    parser.add_argument(
        "--strategy", choices=tuple(STRATEGIES), help="what is left out when it gets too long"
    )
    parser.add_argument(
        "--minimum-recent",
        type=at_least(1),
        metavar="N",
        help="newest messages or passages to keep, at least",
    )
    parser.add_argument(
        "--token-buffer", type=at_least(0), metavar="N", help="tokens kept free for the answer"
    )
    parser.add_argument(
        "--instruction-scope",
        choices=INSTRUCTION_SCOPES,
        help="instructions of the whole path, or of this request",
    )
    text = "put where messages are left out; {n} is how many"
    parser.add_argument("--dialogue-marker", type=sound_text("dialogue_marker"), metavar="TEXT", help=text)
    text = "put where a part of the document is left out"
    parser.add_argument("--buffer-marker", type=sound_text("buffer_marker"), metavar="TEXT", help=text)
    text = "said to a model that takes no unfinished message of its own"
    parser.add_argument("--continue-text", type=sound_text("continue_text"), metavar="TEXT", help=text)
    parser.add_argument("--agent", metavar="ID", help="whose system prompt and limits count")
    parser.add_argument(
        "--system-prompt", type=clean_text, metavar="TEXT", help="in place of that of the agent"
    )
    parser.add_argument(
        "--context", action="append", default=[], metavar="NODE", help="attach a node as context"
    )
    parser.add_argument(
        "--instruction", action="append", default=[], metavar="NODE", help="attach a node as instruction"
    )
    parser.add_argument(
        "--include-annotation",
        action="append",
        default=[],
        metavar="NODE",
        help="send a note with its message",
    )
    parser.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="TARGET=SOURCE",
        help="where branches meet, the source that the path takes",
    )
    add_working_buffer(parser)
    parser.add_argument(
        "--provider-rules",
        choices=tuple(PROVIDER_RULES),
        default="none",
        help="put it into the form that a provider takes",
    )
    _add_economy_options(parser)


def run(arguments: Namespace) -> int:
    """Prints the assembled context. Raises: AssemblyError, InvalidInput, GroveError."""
    tree, agents, defaults, evidence = _subject(arguments)
    agent = _agent(agents, arguments.agent)
    request = _with_load(_request(tree, agent, arguments, defaults), arguments, tree, agent, evidence)
    if agent is not None:
        request = replace(request, aware=aware_agent(agent, agents))
    assembled = assemble(tree, request)
    printed = to_json(assembled)
    if arguments.state and assembled.economy is not None:
        printed["state"] = assembled.economy.state.to_json()
    say_json(printed)
    return DONE


class _Subject(NamedTuple):
    """A tree that is assembled, and all that is known beside it."""

    tree: Tree
    agents: tuple[Agent, ...]
    defaults: AppContextSettings
    evidence: Sequence[Evidence]


def _subject(arguments: Namespace) -> _Subject:
    if (arguments.file is None) == (arguments.tree is None):
        raise UsageError("give a Loom JSON file, or --tree ID for a tree of the grove (one of the two)")
    if arguments.file is not None:
        imported = read_file(arguments.file, lambda data: loom_json.read(data, lenient=True))
        return _Subject(imported.tree, imported.agents, AppContextSettings(), imported.evidence)
    from loomapp.cli.groves import look_at_named, tree_named
    from loomapp.store.files.settings_file import read_settings

    with look_at_named(arguments) as grove:
        tree, defaults = tree_named(grove, arguments.tree), read_settings().settings.context
        needs_calls = arguments.state or arguments.compression == "on" or is_compressed(tree, defaults)
        evidence = grove.all_evidence(tree.loom.id) if needs_calls else ()
        return _Subject(tree, tuple(grove.agents()), defaults, evidence)


def _agent(agents: tuple[Agent, ...], agent_id: str | None) -> Agent | None:
    if agent_id is None:
        return None
    agent = next((agent for agent in agents if agent.id == agent_id), None)
    if agent is None:
        raise NotFound(f"there is no agent {agent_id}", agentId=agent_id)
    return agent


def _request(
    tree: Tree, agent: Agent | None, arguments: Namespace, defaults: AppContextSettings
) -> ContextRequest:
    def node(name: str) -> str:
        return tree.find(name) or name  # an unknown name is for the assembler to refuse, in its order

    def nodes(names: list[str]) -> tuple[str, ...]:
        return tuple(map(node, names))

    prompt, max_tokens = None, None
    if agent is not None:
        prompt, max_tokens = agent.configuration.system_prompt, agent.configuration.max_tokens
    if arguments.system_prompt is not None:
        prompt = arguments.system_prompt
    included = tree.included_annotations.node_ids
    return ContextRequest(
        at=node(arguments.at),
        window=arguments.window,
        overrides=ContextSettings(
            truncation_strategy=arguments.strategy,
            minimum_recent_nodes=arguments.minimum_recent,
            token_buffer=arguments.token_buffer,
            instruction_scope=arguments.instruction_scope,
            dialogue_marker=arguments.dialogue_marker,
            buffer_marker=arguments.buffer_marker,
            continue_text=arguments.continue_text,
            economy=_economy_settings(arguments),
        ),
        defaults=defaults,
        system_prompt=prompt,
        max_tokens=max_tokens,
        context_ids=nodes(arguments.context),
        instruction_ids=nodes(arguments.instruction),
        included_annotations=tuple(dict.fromkeys((*included, *nodes(arguments.include_annotation)))),
        selections={**tree.path.selections, **dict(_selection(tree, s) for s in arguments.select)},
        working_buffer=arguments.working_buffer,
        provider_rules=arguments.provider_rules,
    )


def _selection(tree: Tree, text: str) -> tuple[str, str]:
    """`TARGET=SOURCE`; ids may hold `=` themselves, so the split at which both ends are nodes is taken."""
    cuts = [i for i, character in enumerate(text) if character == "="]
    if not cuts:
        raise UsageError(f"--select takes TARGET=SOURCE, not {text!r}")
    ends = [(text[:i], text[i + 1 :]) for i in cuts]
    target, source = next(
        ((t, s) for t, s in ends if tree.find(t) is not None and tree.find(s) is not None), ends[0]
    )
    return tree.find(target) or target, tree.find(source) or source


COMMANDS = {"assemble": (add_arguments, run)}


# Economy, and what is known of the calls of a tree


def _add_economy_options(parser: Parser) -> None:
    parser.add_argument(
        "--assembler", choices=ASSEMBLERS, help="summaries: branch summaries for what they cover"
    )
    parser.add_argument("--summaries", choices=SWITCH, help="use summaries of the conversation")
    parser.add_argument("--compression", choices=SWITCH, help="shorten long documents and results")
    parser.add_argument("--compress-text", choices=SWITCH, help="shorten long plain text too")
    text = "how full the effective window is, as a fraction (default: as the kept responses say)"
    parser.add_argument("--utilization", type=_fraction, metavar="X", help=text)
    text = "seconds since the last call, or never (default: as the kept responses say)"
    parser.add_argument("--idle", type=_idle_time, metavar="S", help=text)
    parser.add_argument("--state", action="store_true", help="print the state of the thresholds too")


def _fraction(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return number


def _idle_time(text: str) -> float | str:
    """Reads seconds, or the word `never`."""
    if text == NEVER:
        return NEVER
    number = _fraction(text)
    return int(number) if number == int(number) else number


def _economy_settings(arguments: Namespace) -> EconomySettings:
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


def _with_load(
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
