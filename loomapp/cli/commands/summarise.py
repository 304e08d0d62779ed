"""`loomapp summarise`: asks a model for the summary of a conversation up to a node, and saves it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from loomapp.cli.answers.agent_run import engine_for
from loomapp.cli.arguments import DONE, INTERRUPTED, Namespace, NotFound, Parser, ended_in_order
from loomapp.cli.chosen_model import ChosenModel, add_endpoint_arguments, asked, asked_agent
from loomapp.cli.groves import node_named, open_named, tree_named
from loomapp.cli.output import BY, ProgressLine, say_json, tell
from loomapp.core.context.settings import effective
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.coverage import text_of
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import GroveError, StaleChange
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import Economy
from loomapp.core.model.entities import ContextSettings, ContextSummary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import node_not_found
from loomapp.core.summarisers import changes
from loomapp.core.summarisers.plan import SummaryPlan, plan_at
from loomapp.core.summarisers.prompts import SummaryTask, summary_task
from loomapp.core.tree_json import context_summary_to_json
from loomapp.providers.run.run import MAX_ATTEMPTS, Retrying
from loomapp.providers.run.summary import Progress, SummaryAnswer, SummaryRun
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.usage import keep_spent

MOST_TRIES = 5  # to save what others save too


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--tree", required=True, metavar="ID", help="the tree")
    parser.add_argument("--at", required=True, metavar="NODE", help="the last node that is summarised")
    parser.add_argument("--agent", metavar="ID", help="who is asked (default: the grove's choice)")
    add_endpoint_arguments(parser)
    parser.add_argument("--again", action="store_true", help="replace a summary that is there and holds")


@dataclass(frozen=True, slots=True)
class _Subject:
    grove: Grove
    tree: Tree
    plan: SummaryPlan
    task: SummaryTask


def run(arguments: Namespace) -> int:
    """Saves a summary and prints its record. Raises: AssemblyError, BlankSummary, ProviderError, GroveError,
    NotFound.
    """
    whom = asked(arguments)
    with open_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        node_id = node_named(tree, arguments.at)
        economy = effective(read_settings().settings.context, tree.loom.context_settings, ContextSettings())
        plan = plan_at(tree, node_id, economy.economy.min_recent_messages, again=arguments.again)
        agent = _agent(grove, whom, arguments.agent, economy.economy)
        rules = whom.rules(agent.model_ref or "")
        before = "" if plan.based_on is None else text_of(plan.based_on)
        task = summary_task(plan, agent, rules, economy.economy, before)
        return _summarise(_Subject(grove, tree, plan, task), whom)


def _agent(grove: Grove, whom: ChosenModel, agent_id: str | None, economy: Economy) -> Agent:
    """The agent that was named, with the model that was; else the one that summarises this tree."""
    if agent_id is None:
        return asked_agent(grove, whom.model_ref or economy.summary_model)
    agent = next((one for one in grove.agents() if one.id == agent_id and one.type == "model"), None)
    if agent is None:
        raise NotFound(f"there is no agent {agent_id} that is a model", agentId=agent_id)
    return agent if whom.model_ref is None else replace(agent, model_ref=whom.model_ref)


def _summarise(subject: _Subject, whom: ChosenModel) -> int:
    model_ref = subject.task.agent.model_ref or ""
    progress = ProgressLine()
    with ended_in_order() as ending, engine_for(model_ref) as engine:
        engine.listen(progress.show_state)
        asking = SummaryRun(
            subject.task,
            whom.provider(model_ref, engine),
            new_id=new_id,
            watchdog=lambda: whom.watchdog(model_ref),
            tell=_tell,
        )
        ending.watch(asking)
        answer = asking.result()
        progress.show("")
        if answer.error is not None:
            _keep_spent(subject, answer, answer.evidence)
            if (
                isinstance(answer.error, ProviderError)
                and answer.error.code == "cancelled"
                and ending.is_asked
            ):
                return INTERRUPTED
            raise answer.error
        say_json(context_summary_to_json(_saved(subject, answer)))
        if answer.is_cut:
            tell("the summary was cut at its model's limit: its end is missing; --again makes another")
        return DONE


def _tell(progress: Progress) -> None:
    if isinstance(progress, Retrying):
        seconds = max(1, round(progress.delay_ms / 1000))
        again = f"Trying again in {seconds} s ({progress.attempt} of {MAX_ATTEMPTS})."
        tell(f"{progress.error.message} {again}")
    elif progress.count > 1:
        tell(f"part {progress.number} of {progress.count}")


def _saved(subject: _Subject, answer: SummaryAnswer) -> ContextSummary:
    """The row, saved with its response; in place of one of the same messages that others saved just now.

    Raises: AssemblyError if its node is gone meanwhile; StaleChange where others are quicker every time.
    """
    grove, tree, plan, response = subject.grove, subject.tree, subject.plan, answer.response
    model_ref = subject.task.agent.model_ref
    for tries_left in reversed(range(MOST_TRIES)):
        grove.catch_up(tree)
        if plan.anchor_node_id not in tree.nodes:
            _keep_spent(subject, answer, answer.evidence)
            raise node_not_found(plan.anchor_node_id)
        pen = EditContext(grove.owner.id, now(), new_id, by=BY)
        made = changes.summary_row(plan, answer.text, origin="manual", model=model_ref, at=pen.now)
        row = made if response is None else replace(made, response_id=response.id)
        change = changes.make(tree, row, pen)
        try:
            grove.commit(tree, change if response is None else replace(change, evidence=(response,)))
            break
        except StaleChange:
            if not tries_left:
                _keep_spent(subject, answer, answer.evidence)
                raise
    _keep_spent(subject, answer, answer.others)
    return row


def _keep_spent(subject: _Subject, answer: SummaryAnswer, calls: Sequence[Evidence]) -> None:
    """Keep what calls took that no summary rests on; whether that is kept fails no command."""
    tree_id, model_ref = subject.tree.loom.id, subject.task.agent.model_ref or ""
    silent = silent_calls(tree_id, model_ref, now(), answer.silent_calls)
    with suppress(GroveError):
        keep_spent(subject.grove, (*wordless_calls(tree_id, model_ref, (), calls), *silent))


COMMANDS = {"summarise": (add_arguments, run)}
