"""A run of an agent that sees the tree, asked for by a client: its steps as progress, a cancel as Stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.sent.calls import calls_for
from loomapp.mcp.engine import LocalEngine
from loomapp.mcp.errors import ToolError, told_with_errors
from loomapp.mcp.tools.asked_model import check_allowed, watchdog_of
from loomapp.mcp.tools.tool import Call, written
from loomapp.providers.registry import rules_for
from loomapp.runs.agent_run import AgentRun
from loomapp.runs.asked_model import AskedModel
from loomapp.runs.events import RunEvent, RunOutcome, StepBegan
from loomapp.runs.grove_place import place_in
from loomapp.runs.place import RunPlace
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove

LOOK_S = 0.2  # between two looks at how far it has come


@dataclass(slots=True)
class _Live:
    """A run as two threads see it: the worker that runs it, and the server that tells of it and stops it."""

    step: int = 0
    is_stopped: bool = False
    run: AgentRun | None = None
    outcomes: list[RunOutcome] = field(default_factory=list)
    error: LoomError | None = None

    def tell(self, event: RunEvent) -> None:
        """Note how far it has come."""
        if isinstance(event, StepBegan):
            self.step = event.step

    def begin(self, run: AgentRun) -> None:
        """Know the run; stop it if that was asked for before."""
        self.run = run
        if self.is_stopped:
            run.stop()

    def stop(self) -> None:
        self.is_stopped = True
        if self.run is not None:
            self.run.stop()


@dataclass(frozen=True, slots=True)
class _Setting:
    """The facts that a run needs of the call that asked for it."""

    path: Path
    tree_id: str
    at: str
    agent: Agent
    allowed: str
    engine: LocalEngine


async def run_agent(call: Call, tree_id: str, at: str, agent: Agent) -> Json:
    """Run an agent that continues a node, and tell what it came to. What it did stays, also after a cancel.

    Raises: ToolError if it failed, or more than one answer is wanted; AssemblyError, LoomError.
    """
    if call.arguments.number("n") != 1:
        raise ToolError(f"'n' must be 1: {agent.name} sees the tree and gives one answer")
    path = call.served.writable().path
    setting = _Setting(path, tree_id, at, agent, call.settings.mcp_ask_models, call.engine)
    live = _Live()
    done = anyio.Event()

    async def work() -> None:
        try:
            with anyio.CancelScope(shield=True), told_with_errors() as told:
                await anyio.to_thread.run_sync(_run, setting, live, told)  # it ends by itself once stopped
        except LoomError as error:  # raised in the call itself: a group of tasks would wrap it up
            live.error = error
        finally:
            done.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        try:
            told = 0
            while not done.is_set():
                with anyio.move_on_after(LOOK_S):
                    await done.wait()
                if live.step > told:
                    told = live.step
                    await call.report(float(told), None, f"step {told}")
        except BaseException:
            live.stop()
            raise
    if live.error is not None:
        raise live.error
    return _told(live.outcomes[0], agent)


def _told(outcome: RunOutcome, agent: Agent) -> Json:
    if outcome.node_id is None:
        why = f"the run ended ({outcome.reason})" if outcome.error is None else outcome.error.message
        raise ToolError(f"{agent.name} gave no answer: {why}. What it did in the tree stays")
    ended_early = None if outcome.reason == "answered" else f"The run ended early: {outcome.reason}"
    return written(outcome.node_id, "generated", ended_early)


def _run(setting: _Setting, live: _Live, told: list[str]) -> None:
    """Run it on a worker's thread, which has the grove open for itself: one belongs to one thread."""
    with open_grove(setting.path) as grove:
        place, sources = _place(setting, grove, told.append), Sources(setting.at)
        run = AgentRun(place, setting.agent, sources, live.tell)
        live.begin(run)
        live.outcomes.append(run.result())


def _place(setting: _Setting, grove: Grove, tell: Callable[[str], None]) -> RunPlace:
    tree = grove.load_tree(setting.tree_id)
    defaults = read_settings().settings.context
    return place_in(
        grove,
        tree,
        {**{agent.id: agent for agent in grove.agents()}, setting.agent.id: setting.agent},
        partial(_model_of, setting),
        defaults=defaults,
        calls=calls_for(tree, defaults, partial(grove.all_evidence, tree.loom.id)),
        tell=tell,
    )


def _model_of(setting: _Setting, agent: Agent) -> AskedModel:
    """Tell how an agent of the run is asked. Raises: ToolError where it may not be."""
    if agent.model_ref is None:
        raise ToolError(f"{agent.name} stands for another program, and cannot be asked")
    check_allowed(agent, setting.allowed)
    ref = agent.model_ref
    return AskedModel(setting.engine.provider(ref), rules_for(ref), partial(watchdog_of, ref))
