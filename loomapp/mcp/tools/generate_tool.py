"""The tool that asks a model: answers stream with progress, are stopped by cancelling, and become nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import anyio
import anyio.to_thread

from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.generation.events import StreamEvent, TextDelta
from loomapp.core.generation.request import Request
from loomapp.core.prose.answer_anchor import anchor_at
from loomapp.core.sent.calls import calls_for
from loomapp.core.sent.record import best_estimator, recorded_request
from loomapp.core.text.token_estimates import estimate
from loomapp.mcp.arguments import Parameter
from loomapp.mcp.errors import ToolError, in_sentences, told_with_errors
from loomapp.mcp.lists import Reply
from loomapp.mcp.tools.agent_run_call import run_agent
from loomapp.mcp.tools.asked_model import asked_agent, check_allowed, watchdog_of
from loomapp.mcp.tools.tool import TREE, Call, Tool, written
from loomapp.providers.registry import rules_for
from loomapp.providers.run.fan_out import Room, start
from loomapp.providers.run.run import Retrying
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.runs.streamed_answers import (
    AnswerTarget,
    StreamedAnswers,
    commit_answers,
    followed,
    journal_of,
)
from loomapp.store.files.media import MediaFolder
from loomapp.store.files.settings_file import read_settings
from loomapp.store.identity import new_id, now

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
