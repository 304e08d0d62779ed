"""The tool that asks a model: answers stream with progress, are stopped by cancelling, and become nodes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import anyio
import anyio.to_thread

from loomapp.core.errors import GroveError
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.crashed_run import place_of
from loomapp.core.generation.drafts import Draft, fail, grow
from loomapp.core.generation.events import StreamEvent, TextDelta, joined
from loomapp.core.generation.request import Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.core.prose.answer_anchor import AnswerAnchor, anchor_at
from loomapp.core.sent.calls import calls_for
from loomapp.core.sent.record import recorded_request
from loomapp.core.text.token_estimates import estimate
from loomapp.mcp.arguments import Parameter
from loomapp.mcp.errors import ToolError
from loomapp.mcp.lists import Reply
from loomapp.mcp.tools.agent_run_call import run_agent
from loomapp.mcp.tools.asked_model import asked_agent, check_allowed, watchdog_of
from loomapp.mcp.tools.tool import TREE, Call, Report, Tool, written
from loomapp.providers.registry import rules_for
from loomapp.providers.run.fan_out import FanOut, Room, start
from loomapp.providers.run.run import Ended, Retrying, Watchdog
from loomapp.store.files.media import MediaFolder
from loomapp.store.files.settings_file import read_settings
from loomapp.store.identity import new_id, now
from loomapp.store.queries.steps import changes_naming
from loomapp.store.queries.usage import keep_spent

MOST = 8  # answers at once
PROGRESS_S = 0.5  # between two reports


@dataclass(frozen=True, slots=True)
class _Target:
    """The node that answers go to, and the agent who writes them."""

    tree_id: str
    at: str
    agent: Agent
    standing: AnswerAnchor


@dataclass(slots=True)
class _Streamed:
    """The events that came so far: the follower's thread appends, the server's reads."""

    events: list[StreamEvent]
    characters: int = 0
    ended: Ended = field(default_factory=lambda: Ended(()))

    def drafts(self, count: int) -> list[Draft]:
        """The drafts that came of it, all ended."""
        drafts = [Draft(index) for index in range(count)]
        for event in joined(self.events):
            drafts = [grow(draft, event) for draft in drafts]
        error = self.ended.error
        return drafts if error is None else [fail(draft, error) for draft in drafts]


async def generate(call: Call) -> Reply:
    """Continue a node with a model, or run an agent that sees the tree; what came before a cancel stays."""
    call.served.writable()
    tree, at = call.place("at")
    agent = asked_agent(call.served.grove(), call.arguments.optional_text("agent"))
    check_allowed(agent, call.settings.mcp_ask_models)
    if agent.loom_aware and tree.loom.mode == "dialogue":
        return await run_agent(call, tree.loom.id, at, agent)
    model_ref = agent.model_ref or ""
    target = _Target(tree.loom.id, at, agent, anchor_at(tree, at))
    request = _request(call, target)
    rules = rules_for(model_ref)
    provider = call.engine.provider(model_ref)
    run = start(request, provider, room=Room(rules.max_choices, rules.caches), new_id=new_id)
    came = _Streamed([])
    node_ids: Sequence[str] = ()
    try:
        await _followed(run, watchdog_of(model_ref), came, call.report)
    finally:  # also where it was cancelled: nothing that was written is lost
        node_ids = _kept(call, target, request, came)
    error = came.ended.error
    if not node_ids:
        raise ToolError("The model wrote nothing" if error is None else error.message)
    reply = written(node_ids[0], "generated", None if error is None else error.message)
    return reply if len(node_ids) == 1 else {**reply, "ids": list(node_ids)}


def _request(call: Call, target: _Target) -> Request:
    served = call.served
    tree, grove, agent = served.tree(target.tree_id), served.grove(), target.agent
    defaults = read_settings().settings.context
    question = AskedQuestion(
        agent,
        Sources(target.at),
        defaults=defaults,
        media=MediaFolder(grove.path),
        calls=calls_for(tree, defaults, partial(grove.all_evidence, tree.loom.id)),
        now=now(),
    )
    rules = rules_for(agent.model_ref or "")
    assembled = assembled_for(tree, question, rules)
    return recorded_request(tree, question, rules, assembled, call.arguments.number("n"))


async def _followed(run: FanOut, watchdog: Watchdog, came: _Streamed, report: Report) -> None:
    """Wait for the end of a run, reporting how much was written; a cancel stops it first."""
    done = anyio.Event()

    async def follow() -> None:
        with anyio.CancelScope(shield=True):  # it ends by itself once the run is stopped
            await anyio.to_thread.run_sync(_follow, run, watchdog, came)
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
                    await report(float(tokens), None, f"about {tokens} tokens written")
        except BaseException:
            run.stop()
            raise


def _follow(run: FanOut, watchdog: Watchdog, came: _Streamed) -> None:
    for event in run.follow(watchdog):
        if isinstance(event, Ended):
            came.ended = event
        elif not isinstance(event, Retrying):
            came.events.append(event)
            if isinstance(event, TextDelta):
                came.characters += len(event.text)


def _kept(call: Call, target: _Target, request: Request, came: _Streamed) -> Sequence[str]:
    """Save the drafts with text as nodes, in one Change, and return their ids."""
    served, agent = call.served, target.agent
    drafts = came.drafts(request.n)
    evidence: tuple[Evidence, ...] = came.ended.evidence
    node_ids: Sequence[str] = ()
    if any(draft.text for draft in drafts):
        grove, tree = served.writable(), served.tree(target.tree_id)
        if grove.agent(agent.id) is None:
            grove.put_agent(agent, by=call.client)
        at = place_of(tree, target.at, partial(changes_naming, grove, tree.loom.id))
        if at is None:
            raise ToolError("The node that was continued is gone: nothing was kept")
        change = nodes_from_drafts(
            tree,
            drafts,
            sources=Sources(at),
            agent_id=agent.id,
            evidence=evidence,
            now=now(),
            new_id=new_id,
            follow=False,
            by=call.client,
            record=request.record,
            standing=target.standing if at == target.at else anchor_at(tree, at),
        )
        assert change is not None, "one of them has text"
        served.commit(tree, change)
        node_ids = [node.id for node in change.added_nodes()]
    model_ref = agent.model_ref or ""
    spent = (
        *wordless_calls(target.tree_id, model_ref, drafts, evidence),
        *silent_calls(target.tree_id, model_ref, now(), came.ended.silent_calls),
    )
    with suppress(GroveError):  # whether they are kept fails no call
        keep_spent(served.grove(), spent)
    return node_ids


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
