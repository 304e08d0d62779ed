"""The tool that asks a model, or an agent that sees the tree: progress as it answers, a cancel as Stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.generation.provider import Request, StreamEvent, TextDelta
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.prose.fill_in import anchor_at
from loomapp.core.sent.calls import calls_for
from loomapp.core.sent.record import best_estimator, recorded_request
from loomapp.core.text.token_counts import estimate
from loomapp.mcp.arguments import Parameter, ToolError, in_sentences, quoted, told_with_errors
from loomapp.mcp.lists import Reply
from loomapp.mcp.permissions import PLACE
from loomapp.mcp.served_grove import LocalEngine
from loomapp.mcp.tools.tool import TREE, Call, Tool, written
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.registry import PROVIDERS, loads_model, rules_for, silence_s
from loomapp.providers.run.fan_out import Room, start
from loomapp.providers.run.run import Retrying, Watchdog
from loomapp.runs.agent_run import AgentRun
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.runs.asked_model import AskedModel
from loomapp.runs.events import RunEvent, RunOutcome, StepBegan
from loomapp.runs.place import RunPlace, place_in
from loomapp.runs.streamed_answers import (
    AnswerTarget,
    StreamedAnswers,
    commit_answers,
    followed,
    journal_of,
)
from loomapp.store.files.media import MediaFolder
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import CHOSEN, new_agent
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now


def asked_agent(grove: Grove, named: str | None) -> Agent:
    """The model agent of a name or id; without one that which was chosen in the window, else the first.

    Raises: ToolError if there is none of that name.
    """
    models = [a for a in grove.agents() if a.type == "model" and a.model_ref and a.archived_at is None]
    if named is None:
        chosen = grove.setting(CHOSEN)
        wanted = [agent for agent in models if agent.id == chosen] or models
        return wanted[0] if wanted else new_agent(DEFAULT_MODEL_REF)
    folded = named.strip().casefold()
    found = [a for a in models if a.id == named] or [a for a in models if a.name.casefold() == folded]
    if not found:
        raise ToolError(f"Agent {quoted(named)} not found. Agents: {[agent.name for agent in models]}")
    return found[0]


def check_allowed(agent: Agent, allowed: str) -> None:
    """Raises: ToolError where the user lets a client ask no models, or none beyond this computer."""
    if allowed == "never":
        raise ToolError(f"Asking models is switched off in {PLACE}")
    if allowed == "local" and not is_here(agent.model_ref or ""):
        raise ToolError(
            f"{agent.name} is a remote model, and only local ones may be asked: allow it in {PLACE}"
        )


PASSED_ON = (":cloud", "-cloud")  # ends of the names of models that Ollama does not run here, but passes on


def is_here(model_ref: str) -> bool:
    """Tell whether a model answers on this computer."""
    prefix, _, model = model_ref.partition(":")
    if prefix in PROVIDERS:
        return True
    setting = endpoint_settings().get(prefix)
    return setting is not None and setting.is_here and not model.endswith(PASSED_ON)


def watchdog_of(model_ref: str) -> Watchdog:
    """A watchdog that ends an answer that says nothing: nobody is asked here whether to wait."""
    begin = Watchdog.from_start if loads_model(model_ref) else Watchdog
    return begin(silence_s(model_ref), model_ref)


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
        follows=False,
    )


def _model_of(setting: _Setting, agent: Agent) -> AskedModel:
    """Tell how an agent of the run is asked. Raises: ToolError where it may not be."""
    if agent.model_ref is None:
        raise ToolError(f"{agent.name} stands for another program, and cannot be asked")
    check_allowed(agent, setting.allowed)
    ref = agent.model_ref
    return AskedModel(setting.engine.provider(ref), rules_for(ref), partial(watchdog_of, ref))


MOST = 8  # answers at once
PROGRESS_S = 0.5  # between two reports


async def generate(call: Call) -> Reply:
    """Continue a node with a model, or run an agent that sees the tree; what came before a cancel stays."""
    grove = call.served.writable()
    tree, at = call.living_place("at")
    agent = asked_agent(call.served.grove(), call.arguments.optional_text("agent"))
    check_allowed(agent, call.settings.mcp_ask_models)
    if agent.loom_aware and tree.loom.mode == "dialogue":
        return await run_agent(call, tree.loom.id, at, agent)
    standing = anchor_at(tree, at)
    target = AnswerTarget(grove, tree, agent, at, standing, call.client, call.served.commit, follows=False)
    request = _request(call, target)
    with told_with_errors() as told, journal_of(target, request, told.append) as journal:
        came = _Coming()
        try:
            await _streamed(call, request, journal, came)
        finally:  # also where it was cancelled: nothing that was written is lost
            node_ids = _committed(call, target, came, told, journal)
    error = came.error
    if not node_ids:
        raise ToolError("The model wrote nothing" if error is None else error.message)
    words = [*(() if error is None else (error.message,)), *told]
    reply = written(node_ids[0], "generated", in_sentences(words) or None)
    return reply if len(node_ids) == 1 else {**reply, "ids": node_ids}


@dataclass(slots=True)
class _Coming:
    """Answers that come: the follower's thread writes, the server's reads."""

    characters: int = 0
    answers: StreamedAnswers | None = None  # once it has ended

    @property
    def error(self) -> LoomError | None:
        return None if self.answers is None else self.answers.error

    def note(self, event: StreamEvent | Retrying) -> None:
        """Note how much was written by an event."""
        if isinstance(event, TextDelta):
            self.characters += len(event.text)


def _request(call: Call, target: AnswerTarget) -> Request:
    tree, grove, agent = target.tree, target.grove, target.agent
    defaults = read_settings().settings.context
    question = AskedQuestion(
        agent,
        Sources(target.at),
        defaults=defaults,
        media=MediaFolder(grove.path),
        calls=calls_for(tree, defaults, partial(grove.all_evidence, tree.loom.id)),
        now=now(),
        estimator=best_estimator(
            tree, target.at, agent.model_ref or "", partial(grove.evidence, tree.loom.id)
        ),
    )
    rules = rules_for(agent.model_ref or "")
    assembled = assembled_for(tree, question, rules)
    return recorded_request(tree, question, rules, assembled, call.arguments.number("n"))


async def _streamed(call: Call, request: Request, journal: AnswerJournal | None, came: _Coming) -> None:
    """Wait for the end of a request, reporting how much was written; a cancel stops it first."""
    rules, provider = rules_for(request.model_ref), call.engine.provider(request.model_ref)
    run = start(request, provider, room=Room(rules.max_choices, rules.caches), new_id=new_id)
    done = anyio.Event()

    def follow_here() -> None:
        came.answers = followed(run, came.note, journal, watchdog_of(request.model_ref))

    async def follow() -> None:
        with anyio.CancelScope(shield=True):  # it ends by itself once the run is stopped
            await anyio.to_thread.run_sync(follow_here)
        done.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(follow)
        try:
            told = 0
            while not done.is_set():
                with anyio.move_on_after(PROGRESS_S):
                    await done.wait()
                tokens = estimate(" " * came.characters)
                if tokens > told:
                    told = tokens
                    await call.report(float(tokens), None, f"about {tokens} tokens written")
        except BaseException:
            run.stop()
            raise


def _committed(
    call: Call, target: AnswerTarget, came: _Coming, told: list[str], journal: AnswerJournal | None
) -> list[str]:
    """Save the answers that have text, and return the ids of their nodes. The file may have been opened anew
    while they came.
    """
    if came.answers is None:  # it never began
        return []
    if journal is not None:
        journal.settle(came.answers.drafts, came.answers.evidence)
    grove, tree = call.served.writable(), call.served.tree(target.tree.loom.id)
    now_there = replace(target, grove=grove, tree=tree)
    return list(commit_answers(now_there, came.answers, told.append, journal).values())


TOOLS = (
    Tool(
        "generate",
        "Continue a node with a model",
        generate,
        (
            Parameter("at", "the node to continue, by id or local id (default: the position)"),
            Parameter("n", "how many answers", "integer", default=1, least=1, most=MOST),
            Parameter("agent", "an agent's name or id (default: the one chosen in Loomapp)"),
            TREE,
        ),
        "{id, action, message}; of more than one answer also ids; message tells what broke off",
        "generate(at='A7X2KQ', n=3)",
        "Local models only, unless the user allows all. The position stays; a cancel keeps what came",
        writes=True,
    ),
)
