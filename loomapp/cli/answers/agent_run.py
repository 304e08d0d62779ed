"""A run of a loom-aware agent on the command line: its steps as they come, and what it came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from loomapp.cli.answers.stream import engine_for
from loomapp.cli.arguments import Namespace
from loomapp.cli.chosen_model import ChosenModel
from loomapp.cli.failures import DONE, FAILED, INTERRUPTED, UsageError
from loomapp.cli.output import OutputFailed, forget_stdout, one_line, say, say_json, tell, tell_error
from loomapp.cli.signals import Ending, ended_in_order
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.calls import Calls
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.events import TextDelta
from loomapp.core.json_values import Json
from loomapp.core.loom_commands.trace import action
from loomapp.core.media import Media
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.model.tree import Tree
from loomapp.providers.engine.engine import Engine
from loomapp.providers.run.run import MAX_ATTEMPTS, Retrying
from loomapp.runs.agent_run import AgentRun
from loomapp.runs.asked_model import AskedModel
from loomapp.runs.events import CommandBegan, CommandEnded, RunEvent, RunOutcome, StepBegan
from loomapp.runs.place import RunPlace, place_in
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
        """Return the place of the run."""
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
