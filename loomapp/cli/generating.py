"""`loomapp generate`: continues a node with a model, and adds what it wrote to the tree."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import replace

from loomapp.cli.agents import asked_agent, configured, new_agent
from loomapp.cli.arguments import Namespace, Parser, at_least, clean_text
from loomapp.cli.failures import DONE, FAILED, INTERRUPTED, UsageError
from loomapp.cli.files import read_file
from loomapp.cli.groves import open_named, tree_named
from loomapp.cli.output import for_reading, forget_stdout, one_line, say, say_json, tell, tell_error
from loomapp.cli.progress import ProgressLine
from loomapp.cli.streaming import Outcome, commit, provider_of, stream
from loomapp.core.asking import Question, assembled_for, request_for
from loomapp.core.encoding import Json
from loomapp.core.generation import Draft, Request, Sources, TextDelta
from loomapp.core.tree import Agent, Tree
from loomapp.formats import loom_json
from loomapp.providers.known_models import DEFAULT_MODEL_REF
from loomapp.providers.model_rules import rules_for
from loomapp.store.grove import Grove

MOST = 8  # continuations at once
LATER = ("endpoint", "api", "api_key_env")


def add_arguments(parser: Parser) -> None:
    """What `generate` takes."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="a Loom JSON file: only prints then")
    parser.add_argument("--tree", metavar="ID")
    parser.add_argument("--at", required=True, metavar="NODE", help="the node to continue")
    parser.add_argument("--model", metavar="REF", help="such as local:NAME (default: the grove's model)")
    parser.add_argument("--endpoint", metavar="URL", help=argparse.SUPPRESS)
    parser.add_argument("--api", metavar="PROTOCOL", help=argparse.SUPPRESS)
    parser.add_argument("--api-key-env", metavar="NAME", help=argparse.SUPPRESS)
    parser.add_argument(
        "--n", type=_count, default=1, metavar="N", help=f"how many, 1 to {MOST} (default: 1)"
    )
    parser.add_argument("--max-tokens", type=at_least(1), metavar="N")
    parser.add_argument("--temperature", type=_temperature, metavar="T")
    parser.add_argument("--working-buffer", type=clean_text, default="", metavar="TEXT")


def _count(text: str) -> int:
    number = at_least(1)(text)
    if number > MOST:
        raise argparse.ArgumentTypeError(f"{number} is more than {MOST}")
    return number


def _temperature(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= number <= 10:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 10")
    return number


def run(arguments: Namespace) -> int:
    """Streams, commits, and says what came of each choice. Raises: AssemblyError, LoomError."""
    if any(getattr(arguments, name) is not None for name in LATER):
        raise UsageError("endpoints of other providers are not there yet; this version asks local models")
    if (arguments.file is None) == (arguments.tree is None):
        raise UsageError("give --tree ID for a tree of the grove, or a Loom JSON file (one of the two)")
    with ExitStack() as stack:
        if arguments.file is not None:
            imported = read_file(arguments.file, lambda data: loom_json.read(data, lenient=True))
            grove, tree = None, imported.tree
            agent = new_agent(arguments.model or DEFAULT_MODEL_REF)
        else:
            grove = stack.enter_context(open_named(arguments))
            tree = tree_named(grove, arguments.tree)
            agent = asked_agent(grove, arguments.model)
        return _generate(tree, grove, agent, arguments)


def _generate(tree: Tree, grove: Grove | None, agent: Agent, arguments: Namespace) -> int:
    at = tree.find(arguments.at) or arguments.at
    request = _request(tree, at, agent, arguments)
    progress = ProgressLine()
    show = _Lines(arguments.n) if not arguments.json else _show_json
    with provider_of(request.model_ref) as (provider, engine):
        engine.listen(progress.show_state)
        outcome = stream(request, provider, show)
    progress.show("")
    node_ids: dict[int, str] = {}
    if grove is not None and any(draft.text for draft in outcome.drafts):
        if grove.agent(agent.id) is None:
            grove.put_agent(agent)
        node_ids = commit(grove, tree, outcome, agent.id, at, follow=True)
    try:
        _tell(tree, outcome, node_ids, show, as_json=arguments.json)
    except BrokenPipeError:
        forget_stdout()
    if outcome.interrupted:
        return INTERRUPTED
    return FAILED if any(draft.error for draft in outcome.drafts) else DONE


def _request(tree: Tree, at: str, agent: Agent, arguments: Namespace) -> Request:
    agent = configured(agent, arguments)
    question = Question(agent, Sources(at), arguments.working_buffer if tree.loom.mode == "buffer" else "")
    rules = rules_for(agent.model_ref or "")
    request = request_for(assembled_for(tree, question, rules), question, arguments.n)
    # Where nobody set a limit, the provider shares its room among the choices.
    return replace(request, max_tokens=agent.configuration.max_tokens)


class _Lines:
    """Text as it comes, one choice after the other: those that are not yet their turn wait."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._waiting = [""] * count
        self._now = -1

    def __call__(self, delta: TextDelta) -> None:
        if self._now < 0:
            self._begin(0)
        if delta.index == self._now:
            say(for_reading(delta.text), end="")
        else:
            self._waiting[delta.index] += delta.text

    def finish(self) -> None:
        """Prints what waits, when all have ended."""
        for index in range(max(self._now, 0), self._count):
            if index != self._now and self._waiting[index]:
                self._begin(index)
                say(for_reading(self._waiting[index]), end="")
        if self._now >= 0:
            say()

    def _begin(self, index: int) -> None:
        if self._now >= 0:
            say("\n")
        if self._count > 1:
            say(f"[{index + 1}]")
        self._now = index


def _show_json(delta: TextDelta) -> None:
    say_json({"event": "delta", "index": delta.index, "text": delta.text})


def _tell(tree: Tree, outcome: Outcome, node_ids: dict[int, str], show: object, *, as_json: bool) -> None:
    if as_json:
        for draft in outcome.drafts:
            say_json(_event(draft, node_ids.get(draft.index)))
    elif isinstance(show, _Lines):
        show.finish()
    for node_id in () if as_json else node_ids.values():
        tell(f"added {tree.nodes[node_id].local_id} {node_id}")
    if outcome.error is not None and not outcome.interrupted:
        tell_error(outcome.error, as_json=as_json)


def _event(draft: Draft, node_id: str | None) -> Json:
    if draft.error is not None:
        details = {key: value for key, value in draft.error.details.items() if _is_plain(value)}
        error = {"code": draft.error.code, "message": one_line(draft.error.message), **details}
        failed: Json = {"event": "failed", "index": draft.index, "error": error}
        return {**failed, "nodeId": node_id, "partial": bool(draft.text)}
    usage = draft.usage
    counted = (
        {} if usage is None else {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
    )
    finished: Json = {"event": "finished", "index": draft.index, "nodeId": node_id}
    return {**finished, "reason": draft.reason, "usage": counted}


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


COMMANDS = {"generate": (add_arguments, run)}
