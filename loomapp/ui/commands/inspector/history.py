"""History in a window: points gone to and named; and the request of a node, looked up in its past."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from functools import partial

from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, request_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.paths.siblings import followed_too
from loomapp.core.prose.fill_in import suffix_of
from loomapp.core.prose.path_choice import path_reading
from loomapp.core.sent.inputs import inputs_of
from loomapp.core.sent.record import Record, record_in
from loomapp.core.sent.replay import LONGEST_ANSWER, Difference, Replay, beside_words, replaying
from loomapp.providers.registry import rules_for, wire_body
from loomapp.session.restored import bring_step_back
from loomapp.ui.inspector.node.past_context import PastContext
from loomapp.ui.look import theme
from loomapp.ui.workbench import Workbench


def go_to(bench: Workbench, sequence: int) -> None:
    """Stand right after a step of the history, by as many undos or redos as lie between."""
    bench.work.document.walk.start(sequence, bench.work.generator.answers.guard_undo)


def stop(bench: Workbench) -> None:
    """Stay at the point of the history that was reached."""
    bench.work.document.walk.stop()


def name_point(bench: Workbench, sequence: int, name: str) -> None:
    bench.work.document.history.name_point(sequence, name)
    bench.views.inspector.show_history_of(bench.work.document.history)


def bring_back(bench: Workbench, sequence: int) -> None:
    """Add what a step wrote to the tree again and read it there."""
    bring_step_back(bench.work.document, sequence)
    bench.views.inspector.history.leave_text()


def show(bench: Workbench) -> None:
    bench.frame.bring_inspector()
    bench.views.inspector.show_history_tab()
    bench.views.inspector.history.setFocus()


def wire(bench: Workbench) -> None:
    run = bench.frame.run_command
    history, walk = bench.views.inspector.history, bench.work.document.walk
    history.go_asked.connect(lambda point: run(lambda w: go_to(w, point)))
    history.name_asked.connect(lambda point, name: run(lambda w: name_point(w, point, name)))
    history.bring_back_asked.connect(lambda point: run(lambda w: bring_back(w, point)))
    history.stop_asked.connect(walk.stop)
    history.set_tints(partial(tint_of, bench))
    walk.progressed.connect(history.show_progress)
    walk.ended.connect(history.end_progress)
    walk.failed.connect(bench.frame.show_error)


def tint_of(bench: Workbench, maker: str) -> str:
    """Return the colour role of who made a step: the tint of the model of that name, if there is one."""
    agents = bench.work.document.agents.by_id().values()
    agent = next((one for one in agents if one.type == "model" and one.name == maker), None)
    return "text.muted" if agent is None else theme.agent_role(agent)


def rests_on(bench: Workbench, node: Node) -> object:
    """Return everything beside the tree that decides a node's request of today."""
    agent = bench.work.document.agents.by_id().get(node.author_agent_id or "")
    try:
        rules = None if agent is None else rules_for(agent.model_ref or "")
    except LoomError:  # endpoints that can't be read
        rules = None
    return agent, rules, bench.work.document.context_defaults


def past_of(bench: Workbench, node: Node, evidence: Evidence) -> Generator[None, None, PastContext]:
    """Return the request of a node and that of today, with a rest wherever a long path takes its time."""
    record = record_in(evidence, bench.work.document.tree)
    agent = bench.work.document.agents.by_id().get(node.author_agent_id or "")
    name = agent.name if agent is not None else evidence.model or evidence.provider
    if record is None:
        return PastContext(node, name, evidence)
    asked = agent or Agent("", record.agent_name, "model", record.model_ref)
    question = _question(bench, node, record, asked)
    try:
        today = inputs_of(bench.work.document.tree, question, rules_for(asked.model_ref or ""))
    except AssemblyError:  # there is no way to the node any more
        return PastContext(node, name, evidence, None, record.variant)
    yield
    replayed = yield from replaying(bench.work.document.tree, record, today)
    yield
    beside = _beside_words(question, evidence, replayed)
    return PastContext(node, name, evidence, replayed, record.variant, beside, rests_on(bench, node))


def _question(bench: Workbench, node: Node, record: Record, asked: Agent) -> AskedQuestion:
    document, then = bench.work.document, record.inputs
    sources = Sources(_continued(bench, node, then.at), then.context_ids, then.instruction_ids)
    suffix = suffix_of(document.tree, node.edited_from) if then.suffix and node.edited_from else then.suffix
    question = AskedQuestion(
        asked, sources, then.text, document.context_defaults, media=document.media, suffix=suffix,
        aware=then.awareness, estimator=then.estimator,
    )  # fmt: skip
    if then.economy is None or then.economy.numbers is None:
        return question
    return replace(question, load=then.economy.load)  # what else is otherwise by now is to be seen


def _continued(bench: Workbench, node: Node, at: str) -> str:
    """Return the node that is continued in that place today: the version through which the node is read."""
    tree = bench.work.document.tree
    versions = {at, *followed_too(tree, at)}
    try:
        path = path_reading(tree, bench.work.document.path, node.id)
    except AssemblyError:
        return at
    return next((node_id for node_id in reversed(path.node_ids[:-1]) if node_id in versions), at)


def _beside_words(question: AskedQuestion, evidence: Evidence, replayed: Replay) -> tuple[Difference, ...]:
    """Return the differences of the request today, apart from its words and from those told of them."""
    if replayed.now is None:
        return ()
    try:
        then = json.loads(evidence.request_body)
        now = wire_body(request_for(replayed.now, question, 1))
    except (ValueError, LoomError):  # evidence from elsewhere; endpoints that can't be read
        return ()
    told = {one.name for one in replayed.differences}
    left_out = LONGEST_ANSWER if told & {"max_tokens", "token_buffer", "context_window"} else frozenset()
    found = beside_words(then, now) if isinstance(then, dict) else ()
    return tuple(one for one in found if one.name not in left_out)
