"""`loomapp generate`: continues a node with a model, and adds what it wrote to the tree."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from loomapp.cli.answers.agent_run import (
    AgentRunSubject,
    PrintedAnswers,
    commit,
    engine_for,
    run_agent,
    stream,
)
from loomapp.cli.arguments import (
    DONE,
    FAILED,
    INTERRUPTED,
    Ending,
    Namespace,
    Parser,
    UsageError,
    add_working_buffer,
    at_least,
    ended_in_order,
    now_ms,
    read_file,
)
from loomapp.cli.chosen_model import (
    ChosenModel,
    add_endpoint_arguments,
    asked,
    asked_agent,
    configured,
    named_agent,
)
from loomapp.cli.groves import BRING_BACK, open_named, tree_named
from loomapp.cli.output import BY, ProgressLine, forget_stdout, one_line, say, say_json, tell, tell_error
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.calls import Calls
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.generation.drafts import Draft
from loomapp.core.generation.provider import Finished, Request, TextDelta
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Media
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import check_lives
from loomapp.core.prose.fill_in import anchor_at
from loomapp.core.sent.calls import calls_for
from loomapp.core.sent.record import best_estimator, recorded_request
from loomapp.core.text.token_counts import Scaled
from loomapp.formats import loom_json
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.run.run import MAX_ATTEMPTS, Retrying
from loomapp.runs.streamed_answers import AnswerTarget, journal_of
from loomapp.store.files.media import MediaFolder, MediaOfFile
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import new_agent

MOST = 8  # continuations at once
PAST_HARD = (
    "The context takes {percent} % of its budget. No summary is made here: what does not fit is left out; "
    "loomapp summarise makes one."
)


@dataclass(frozen=True, slots=True)
class PastAnswers:
    """Answers of a tree, as far as they decide what is sent: their calls, and what was counted for each."""

    calls: Calls
    evidence_of: Callable[[str], Evidence | None]

    def estimator(self, tree: Tree, at: str, model_ref: str) -> Scaled:
        """Return the best estimator for what continues a node; the engine is not started to count."""
        return best_estimator(tree, at, model_ref, self.evidence_of)


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a Loom JSON file in place of a tree: the answers are only printed",
    )
    parser.add_argument("--tree", metavar="ID", help="a tree of the grove, in which the answers are saved")
    parser.add_argument("--at", required=True, metavar="NODE", help="the node to continue")
    parser.add_argument("--agent", metavar="ID", help="who is asked; one that sees the tree acts in it")
    add_endpoint_arguments(parser)
    parser.add_argument(
        "--n", type=_count, default=1, metavar="N", help=f"how many answers, 1 to {MOST} (default: 1)"
    )
    parser.add_argument("--max-tokens", type=at_least(1), metavar="N", help="the longest answer, in tokens")
    parser.add_argument("--temperature", type=_temperature, metavar="T", help="higher is more random")
    add_working_buffer(parser)


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
    whom = asked(arguments)
    if (arguments.file is None) == (arguments.tree is None):
        raise UsageError("give --tree ID for a tree of the grove, or a Loom JSON file (one of the two)")
    media: Media
    with ExitStack() as stack:
        if arguments.file is not None:
            imported = read_file(arguments.file, lambda data: loom_json.read(data, lenient=True))
            grove, tree, media = None, imported.tree, MediaOfFile(imported.media)
            calls = calls_for(tree, read_settings().settings.context, lambda: imported.evidence)
            agents = imported.agents
            at_node = {node_id: one for one in imported.evidence for node_id in one.choices}
            past = PastAnswers(calls, at_node.get)
            agent = new_agent(whom.model_ref or DEFAULT_MODEL_REF)
        else:
            grove = stack.enter_context(open_named(arguments))
            opened, tree = grove, tree_named(grove, arguments.tree)
            media = MediaFolder(grove.path)
            evidence = partial(opened.all_evidence, tree.loom.id)
            calls = calls_for(tree, read_settings().settings.context, evidence)
            past = PastAnswers(calls, partial(opened.evidence, tree.loom.id))
            agents = tuple(opened.agents())
            agent = asked_agent(grove, whom.model_ref)
            if (at := tree.find(arguments.at)) is not None:
                check_lives(tree, at, BRING_BACK)
        if arguments.agent is not None:
            agent = named_agent(agents, arguments.agent, whom)
        if agent.loom_aware and tree.loom.mode == "dialogue":
            subject = AgentRunSubject(tree, grove, agents, configured(agent, arguments), whom, media, calls)
            return run_agent(subject, arguments)
        return _generate(tree, grove, agent, whom, arguments, media, past)


def _generate(
    tree: Tree,
    grove: Grove | None,
    agent: Agent,
    whom: ChosenModel,
    arguments: Namespace,
    media: Media,
    past: PastAnswers,
) -> int:
    at = tree.find(arguments.at) or arguments.at
    agent_now = configured(agent, arguments)
    rules = whom.rules(agent_now.model_ref or "")
    request = _request(tree, at, agent_now, rules, arguments, media, past)
    target = None if grove is None else _target(grove, tree, agent, at)
    progress = ProgressLine()
    show = _Lines(arguments.n) if not arguments.json else _show_json
    with ended_in_order() as ending, journal_of(target, request, tell) as journal:
        with engine_for(request.model_ref) as engine:
            engine.listen(progress.show_state)
            printed = stream(
                request,
                whom.provider(request.model_ref, engine),
                rules,
                show,
                ending=ending,
                journal=journal,
                watchdog=whom.watchdog(request.model_ref),
                on_retry=None if arguments.json else _tell_retry,
            )
        progress.show("")
        outcome = printed.streamed
        try:
            node_ids = {} if target is None else commit(target, outcome, journal)
        except LoomError:
            if isinstance(show, _Lines):
                show.finish()  # it is nowhere else
            raise
        try:
            _tell(tree, printed, node_ids, show, as_json=arguments.json, was_stopped=ending.is_asked)
        except BrokenPipeError:
            forget_stdout()
        return _status(printed, ending)


def _target(grove: Grove, tree: Tree, agent: Agent, at: str) -> AnswerTarget:
    return AnswerTarget(grove, tree, agent, at, anchor_at(tree, at), BY, grove.commit)


def _status(printed: PrintedAnswers, ending: Ending) -> int:
    if printed.unheard is not None:
        raise printed.unheard
    outcome = printed.streamed
    if ending.is_asked:
        return INTERRUPTED
    return FAILED if outcome.error or any(draft.error for draft in outcome.drafts) else DONE


def _request(
    tree: Tree,
    at: str,
    agent: Agent,
    rules: ModelRules,
    arguments: Namespace,
    media: Media,
    past: PastAnswers,
) -> Request:
    written = arguments.working_buffer if tree.loom.mode == "buffer" else ""
    question = AskedQuestion(
        agent,
        Sources(at),
        written,
        read_settings().settings.context,
        media=media,
        calls=past.calls,
        now=now_ms(),
        estimator=past.estimator(tree, at, agent.model_ref or ""),
    )
    assembled = assembled_for(tree, question, rules)
    if assembled.economy is not None and assembled.economy.is_past_hard:
        tell(PAST_HARD.format(percent=assembled.economy.state.percent))
    return recorded_request(tree, question, rules, assembled, arguments.n)


class _Lines:
    """Text as it comes, one choice after the other: those whose turn it is not yet wait."""

    def __init__(self, count: int) -> None:
        self._waiting = [""] * count
        self._ended = [False] * count
        self._turn = 0
        self._has_begun = False

    def __call__(self, event: TextDelta | Finished) -> None:
        """Shows what is to be seen of an event now."""
        if isinstance(event, Finished):
            self._ended[event.index] = True
        elif event.index == self._turn:
            self._print(event.text)
        else:
            self._waiting[event.index] += event.text
        while self._turn < len(self._ended) - 1 and self._ended[self._turn]:
            self._next()

    def finish(self) -> None:
        """Prints what waits, when all have ended."""
        while self._turn < len(self._ended) - 1:
            self._next()
        if self._has_begun:
            say()

    def _next(self) -> None:
        if self._has_begun:
            say("\n")
            self._has_begun = False
        self._turn += 1
        self._print(self._waiting[self._turn])

    def _print(self, text: str) -> None:
        if text and not self._has_begun and len(self._ended) > 1:
            say(f"[{self._turn + 1}]")
        self._has_begun = self._has_begun or bool(text)
        say(text, end="")


def _tell_retry(retrying: Retrying) -> None:
    seconds = max(1, round(retrying.delay_ms / 1000))
    tell(f"{retrying.error.message} Trying again in {seconds} s ({retrying.attempt} of {MAX_ATTEMPTS}).")


def _show_json(event: TextDelta | Finished) -> None:
    if isinstance(event, TextDelta):
        say_json({"event": "delta", "index": event.index, "text": event.text})


def _tell(
    tree: Tree,
    printed: PrintedAnswers,
    node_ids: dict[int, str],
    show: object,
    *,
    as_json: bool,
    was_stopped: bool,
) -> None:
    outcome = printed.streamed
    if as_json:
        for draft in outcome.drafts:
            say_json(_event(draft, node_ids.get(draft.index)))
    elif isinstance(show, _Lines):
        show.finish()
    for draft in () if as_json else outcome.drafts:
        if draft.reason is not None and not draft.text:
            tell(_wordless(draft, len(outcome.drafts)))
    for node_id in () if as_json else node_ids.values():
        tell(f"added {tree.nodes[node_id].local_id} {node_id}")
    if outcome.error is not None and printed.unheard is None and not was_stopped:
        tell_error(outcome.error, as_json=as_json)


def _wordless(draft: Draft, count: int) -> str:
    """Return what an answer came to that ended well and has no text: no failure, but nothing to add
    either.
    """
    which = "the answer" if count == 1 else f"answer {draft.index + 1}"
    if draft.reason == "length":
        return f"{which} used all of its tokens without a word of text; nothing was added, try --max-tokens"
    return f"{which} is empty: the model ended it ({draft.reason}) without a word; nothing was added"


def _event(draft: Draft, node_id: str | None) -> Json:
    if draft.error is not None:
        details = {key: value for key, value in draft.error.details.items() if _is_plain(value)}
        error = {"code": draft.error.code, "message": one_line(draft.error.message), **details}
        failed: Json = {"event": "failed", "index": draft.index, "error": error}
        return {**failed, "nodeId": node_id, "partial": bool(draft.text)}
    usage = draft.usage
    counted = {} if usage is None else usage.to_json()
    finished: Json = {"event": "finished", "index": draft.index, "nodeId": node_id}
    return {**finished, "reason": draft.reason, "usage": counted}


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


COMMANDS = {"generate": (add_arguments, run)}
