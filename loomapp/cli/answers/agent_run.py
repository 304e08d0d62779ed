"""A run of a loom-aware agent on the command line: its steps as they come, and what it came to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

from loomapp.cli.arguments import (
    DONE,
    FAILED,
    INTERRUPTED,
    Ending,
    LibraryMissing,
    Namespace,
    UsageError,
    ended_in_order,
)
from loomapp.cli.chosen_model import ChosenModel
from loomapp.cli.output import OutputFailed, forget_stdout, one_line, say, say_json, tell, tell_error
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.calls import Calls
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.provider import Finished, Provider, Request, StreamEvent, TextDelta
from loomapp.core.json_values import Json
from loomapp.core.loom_commands.trace import action
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.model.content import Media
from loomapp.core.model.tree import Tree
from loomapp.preflight import apt_get, missing_engine_libraries
from loomapp.providers.engine.engine import Engine
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.registry import loads_model
from loomapp.providers.run.fan_out import FanOut, Room, start
from loomapp.providers.run.run import MAX_ATTEMPTS, Retrying, Watchdog
from loomapp.runs.agent_run import AgentRun
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.runs.asked_model import AskedModel
from loomapp.runs.events import CommandBegan, CommandEnded, RunEvent, RunOutcome, StepBegan
from loomapp.runs.place import RunPlace, place_in
from loomapp.runs.streamed_answers import AnswerTarget, StreamedAnswers, commit_answers, followed
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now


@dataclass(frozen=True, slots=True)
class AgentRunSubject:
    """A tree, of a grove or of a file (then nothing is saved), and the agent that is asked in it."""

    tree: Tree
    grove: Grove | None
    agents: Sequence[Agent]
    agent: Agent
    whom: ChosenModel
    media: Media
    calls: Calls

    def asked_as(self, agent: Agent, engine: Engine) -> AskedModel:
        """Tell how an agent of the run is asked: a server that was named answers for all of them."""
        ref = agent.model_ref or self.whom.model_ref or ""
        return AskedModel(
            self.whom.provider(ref, engine), self.whom.rules(ref), partial(self.whom.watchdog, ref)
        )

    def place(self, engine: Engine) -> RunPlace:
        tree, defaults = self.tree, read_settings().settings.context
        agents = {**{one.id: one for one in self.agents}, self.agent.id: self.agent}
        model_of = partial(self.asked_as, engine=engine)
        if self.grove is not None:
            return place_in(
                self.grove, tree, agents, model_of, defaults=defaults, calls=self.calls, tell=tell
            )
        return RunPlace(
            tree,
            agents,
            commit=lambda _, change: apply(tree, change),
            catch_up=lambda: None,
            model_of=model_of,
            now=now,
            new_id=new_id,
            defaults=defaults,
            calls=self.calls,
            media=self.media,
        )


def run_agent(subject: AgentRunSubject, arguments: Namespace) -> int:
    """Runs it, prints what happens, and returns the exit status. Raises: AssemblyError, LoomError."""
    if arguments.n != 1:
        raise UsageError("--n: an agent that sees the tree gives one answer")
    with ended_in_order() as ending, engine_for(subject.agent.model_ref or "") as engine:
        screen = _Screen(_show_json if arguments.json else _show, ending)
        at = subject.tree.find(arguments.at) or arguments.at
        run = AgentRun(subject.place(engine), subject.agent, Sources(at), screen.show)
        ending.watch(run)
        outcome = run.result()
        if screen.unheard is not None:
            raise screen.unheard
        if not screen.is_left:
            _tell_end(subject.tree, outcome, as_json=arguments.json)
        if outcome.reason == "stopped":
            return INTERRUPTED
        return FAILED if outcome.reason == "failed" else DONE


class _Screen:
    """Shows what happens until nobody reads it any more; that ends the run."""

    def __init__(self, show: Callable[[RunEvent], None], ending: Ending) -> None:
        self._show, self._ending = show, ending
        self.unheard: OutputFailed | None = None
        self.is_left = False  # by its reader

    def show(self, event: RunEvent) -> None:
        if self.is_left or self.unheard is not None:
            return
        try:
            self._show(event)
        except BrokenPipeError:
            self.is_left = True
            forget_stdout()
            self._ending.ask()
        except OutputFailed as error:
            self.unheard = error
            self._ending.ask()


def _show_json(event: RunEvent) -> None:
    match event:
        case StepBegan(step):
            say_json({"event": "step", "step": step})
        case CommandBegan(step, line):
            say_json({"event": "command", "step": step, "line": line})
        case CommandEnded(step, line, code, text, node_ids):
            result: Json = {"event": "result", "step": step, "line": line, "ok": code is None, "code": code}
            say_json({**result, "text": text, "nodeIds": list(node_ids)})
        case TextDelta(index, text):
            say_json({"event": "delta", "index": index, "text": text})
        case Retrying():
            pass


def _show(event: RunEvent) -> None:
    match event:
        case StepBegan(step) if step > 1:
            say()
        case CommandEnded(_, line, None, _, _):
            tell(action(line, is_done=True))
        case CommandEnded(_, line, _, text, _):
            tell(f"{action(line, is_done=False)} {text.partition(chr(10))[0].removeprefix('✗ ')}")
        case TextDelta(_, text):
            say(text, end="")
        case Retrying():
            seconds = max(1, round(event.delay_ms / 1000))
            again = f"Trying again in {seconds} s ({event.attempt} of {MAX_ATTEMPTS})."
            tell(f"{event.error.message} {again}")
        case _:
            pass


ENDS = {
    "steps": "the run took all of its steps",
    "tokens": "the run took all of its tokens",
    "seconds": "the run took all of its seconds",
    "stopped": "stopped; what was done stays",
}


def _tell_end(tree: Tree, outcome: RunOutcome, *, as_json: bool) -> None:
    if as_json:
        say_json(_last_event(outcome))
        return
    say()
    if outcome.reason in ENDS:
        tell(ENDS[outcome.reason])
    if outcome.node_id is not None:
        tell(f"added {tree.nodes[outcome.node_id].local_id} {outcome.node_id}")
    if outcome.error is not None:
        tell_error(outcome.error, as_json=False)


def _last_event(outcome: RunOutcome) -> Json:
    if outcome.reason == "failed":
        return {
            "event": "failed",
            "index": 0,
            "error": _error(outcome.error),
            "nodeId": outcome.node_id,
            "partial": outcome.node_id is not None,
        }
    return {
        "event": "finished",
        "nodeId": outcome.node_id,
        "reason": outcome.reason,
        "steps": outcome.steps,
        "usage": outcome.usage.to_json(),
    }


def _error(error: LoomError | None) -> Json:
    if error is None:
        return {"code": "unknown", "message": ""}
    plain = {k: v for k, v in error.details.items() if v is None or isinstance(v, str | int | float)}
    return {"code": error.code, "message": one_line(error.message), **plain}


NO_ROOM = {  # by the code of an error
    "full": "could not be saved: the disk is full",
    "ioError": "could not be written: the disk reports a fault or is full",
}
Show: TypeAlias = Callable[[TextDelta | Finished], None]


@dataclass(frozen=True, slots=True)
class PrintedAnswers:
    """The outcome of a request that was printed as it came, and why it could not be to its end."""

    streamed: StreamedAnswers
    unheard: OutputFailed | None = None


@contextmanager
def engine_for(model_ref: str) -> Iterator[Engine]:
    """The engine behind local models, not started yet; it ends with the block. Raises: LibraryMissing."""
    if loads_model(model_ref) and (missing := missing_engine_libraries()):
        raise LibraryMissing(f"the embedded engine needs system libraries; install them: {apt_get(missing)}")
    engine = Engine()
    try:
        yield engine
    finally:
        engine.close()


def stream(
    request: Request,
    provider: Provider,
    rules: ModelRules,
    show: Show,
    *,
    ending: Ending,
    journal: AnswerJournal | None = None,
    watchdog: Watchdog | None = None,
    on_retry: Callable[[Retrying], None] | None = None,
) -> PrintedAnswers:
    """Streams a request to its end; `show` is called with each piece of text and each end.

    It stops when `ending` is asked, when the reader of stdout goes away or its disk is full, and by a
    watchdog that has heard nothing for long.
    """
    run = start(request, provider, room=Room(rules.max_choices, rules.caches), new_id=new_id)
    ending.watch(run)
    screen = _AnswerScreen(show, ending, run, on_retry)
    streamed = followed(run, screen.show, journal, watchdog)
    return PrintedAnswers(streamed, screen.unheard)


class _AnswerScreen:
    """Shows text until nobody reads it any more; that ends the run."""

    def __init__(
        self, show: Show, ending: Ending, run: FanOut, on_retry: Callable[[Retrying], None] | None
    ) -> None:
        self.unheard: OutputFailed | None = None
        self._show, self._on_retry = show, on_retry
        self._ending = ending
        self._run = run

    def show(self, event: StreamEvent | Retrying) -> None:
        if isinstance(event, Retrying):
            if self._on_retry is not None:
                self._on_retry(event)
            return
        if self._ending.is_asked or self.unheard is not None:
            return
        if not isinstance(event, TextDelta | Finished):
            return
        try:
            self._show(event)
        except BrokenPipeError:
            self._ending.ask()
        except OutputFailed as error:
            self.unheard = error
            self._run.stop()


def commit(
    target: AnswerTarget, outcome: StreamedAnswers, journal: AnswerJournal | None = None
) -> dict[int, str]:
    """Save the drafts with text as nodes; their ids by choice index.

    Raises: GroveError; on a full disk one that promises no second try, for the answer does not come again.
    """
    try:
        return commit_answers(target, outcome, tell, journal)
    except GroveError as error:
        raise _for_good(target.grove, error) from error


def _for_good(grove: Grove, error: GroveError) -> GroveError:
    """Return the error of an answer that the disk did not take: it does not come again."""
    if error.code not in NO_ROOM:
        return error
    sentence = f"{grove.path} {NO_ROOM[error.code]}. The answer is not in it; all of it was printed."
    return GroveError(error.code, sentence, **error.details)
