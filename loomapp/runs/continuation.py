"""Continuations that an agent has other models write: asked as anybody would ask them, and committed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from loomapp.core.errors import AssemblyError, InvalidInput, LoomError, StaleChange
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.assemble_request import assembled_for
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.drafts import Draft
from loomapp.core.generation.provider import Request
from loomapp.core.loom_commands.results import AskModel, CommandError, shortened_text
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.fill_in import AnswerAnchor, anchor_at
from loomapp.core.sent.record import recorded_request
from loomapp.runs.asked_model import Answers, Asking, RunRequest, Steps
from loomapp.runs.events import RunOutcome
from loomapp.runs.place import RunPlace

RunWithin: TypeAlias = Callable[[Agent, str], Steps[RunOutcome]]
"""A run of an agent that sees the tree, within another one."""


def continued(
    place: RunPlace,
    wanted: AskModel,
    asking: Asking,
    waiting: frozenset[str],
    action_id: str,
    run_within: RunWithin,
) -> Steps[tuple[str, tuple[str, ...]]]:
    """Have a model continue a node; comes to what it wrote, and the new nodes. One that sees the tree has a
    run of its own. `waiting` are the agents whose run waits for it.

    Raises: CommandError MODEL_ERROR where it wrote nothing, CONFLICT where there is nobody to ask.
    """
    agent = place.agents[wanted.agent_id] if wanted.agent_id else default_agent(place, wanted.at, waiting)
    if agent.loom_aware:
        return (yield from _by_run(place, agent, wanted, run_within))
    asked = agent
    if wanted.tokens is not None:
        asked = replace(agent, configuration=replace(agent.configuration, max_tokens=wanted.tokens))
    question = place.question(asked, Sources(wanted.at))
    standing, name = anchor_at(place.tree, wanted.at), place.tree.nodes[wanted.at].local_id
    try:
        model = place.model_of(agent)
        assembled = assembled_for(place.tree, question, model.rules)
    except LoomError as error:
        raise CommandError("MODEL_ERROR", error.message) from error
    request = recorded_request(place.tree, question, model.rules, assembled, wanted.count)
    with place.journal_of(agent, wanted.at, request, None) as journal:
        answers = yield RunRequest(
            request, model, asked, Sources(wanted.at), asking.deadline, journal=journal
        )
        if journal is not None:
            journal.settle(answers.drafts, answers.evidence)
        has_words = any(draft.text for draft in answers.drafts)
        try:
            change = _committed(place, agent, request, answers, standing, action_id, at=wanted.at, name=name)
        except CommandError as error:
            is_kept = has_words and (journal is not None or place.keeps_answers())
            _spend(place, agent, answers.drafts if is_kept else (), answers)
            if journal is not None and not is_kept:
                journal.forget()  # else it stays beside the grove, for when it fits again
            fate = "is kept beside the grove" if is_kept else "was not kept"
            why = str(error.message).removesuffix(".")
            raise CommandError(error.code, f"{why}: what {agent.name} wrote after it {fate}") from error
        if journal is not None:
            journal.forget()
    _spend(place, agent, answers.drafts, answers)
    if change is None:
        why = "it answered without a word" if answers.error is None else answers.error.message
        raise CommandError("MODEL_ERROR", f"{agent.name}: {why}")
    nodes = change.added_nodes()
    texts = (
        f"[{node.local_id}] {agent.name}: "
        + shortened_text(node.text, f"→ view {node.local_id} full", share=len(nodes))
        for node in nodes
    )
    cut = "" if answers.error is None else f"\n✗ MODEL_ERROR: {answers.error.message}"
    return "\n".join(texts) + cut, tuple(node.id for node in nodes)


def _committed(
    place: RunPlace,
    agent: Agent,
    request: Request,
    answers: Answers,
    standing: AnswerAnchor,
    action_id: str,
    *,
    at: str,
    name: str,
) -> Change | None:
    """Commit answers below a node; None if they have no text. Raises: CommandError CONFLICT where they do not
    fit any more.
    """
    place.catch_up()
    if at not in place.tree.nodes:
        raise CommandError("CONFLICT", f"[{name}] is gone")
    change = nodes_from_drafts(
        place.tree,
        answers.drafts,
        sources=Sources(at),
        agent_id=agent.id,
        evidence=answers.evidence,
        now=place.now(),
        new_id=place.new_id,
        follow=False,
        by=agent.name,
        record=request.record,
        standing=standing,
        ids=answers.ids,
    )
    if change is not None:
        try:
            place.commit(agent, replace(change, action=action_id))
        except (StaleChange, InvalidInput) as error:
            raise CommandError("CONFLICT", error.message) from error
    return change


def _spend(place: RunPlace, agent: Agent, kept: Sequence[Draft], answers: Answers) -> None:
    """Count the calls of a question that no node rests on; `kept` are the drafts that became nodes."""
    tree_id, model_ref = place.tree.loom.id, agent.model_ref or ""
    silent = silent_calls(tree_id, model_ref, place.now(), answers.silent_calls)
    place.spend((*wordless_calls(tree_id, model_ref, kept, answers.evidence), *silent))


def _by_run(
    place: RunPlace, agent: Agent, wanted: AskModel, run_within: RunWithin
) -> Steps[tuple[str, tuple[str, ...]]]:
    if wanted.count > 1:
        raise CommandError(
            "LIMIT_EXCEEDED", f"n is {wanted.count}", f"{agent.name} gives one answer at a time"
        )
    asked = agent
    if wanted.tokens is not None:
        limits = agent.run_limits
        asked = replace(
            agent, run_limits=replace(limits, tokens=min(wanted.tokens, limits.tokens or wanted.tokens))
        )
    try:
        outcome = yield from run_within(asked, wanted.at)
    except LoomError as error:
        raise CommandError("MODEL_ERROR", error.message) from error
    if outcome.node_id is None:
        why = "it answered without a word" if outcome.error is None else outcome.error.message
        raise CommandError("MODEL_ERROR", f"{agent.name}: {why}")
    node = place.tree.nodes[outcome.node_id]
    text = shortened_text(node.text, f"→ view {node.local_id} full")
    cut = "" if outcome.error is None else f"\n✗ MODEL_ERROR: {outcome.error.message}"
    return f"[{node.local_id}] {agent.name}: {text}{cut}", (node.id,)


def default_agent(place: RunPlace, at: str, waiting: frozenset[str]) -> Agent:
    """The model that wrote last on the way to a node, else the first there is; none that waits for this, and
    one that stands for another program, which is no model, only where there is nobody else.
    """
    models = {a.id: a for a in place.agents.values() if a.type == "model" and a.archived_at is None}
    waitless = {agent_id: agent for agent_id, agent in models.items() if agent_id not in waiting}
    free = {agent_id: agent for agent_id, agent in waitless.items() if agent.model_ref} or waitless
    try:
        nodes = resolve(place.tree, at).nodes
    except AssemblyError:
        nodes = ()
    authors = (node.author_agent_id or "" for node in reversed(nodes))
    found = next((free[author] for author in authors if author in free), None) or next(
        iter(free.values()), None
    )
    if found is None:
        raise CommandError("CONFLICT", "there is no other agent to ask")
    return found
