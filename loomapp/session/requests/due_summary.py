"""The summary that a path is due unasked, by the context that would be sent; none after failures in a row."""

from __future__ import annotations

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.economy import stages_on
from loomapp.core.context.settings import effective
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.coverage import valid_on
from loomapp.core.economy.thresholds import Due, due_summary
from loomapp.core.errors import AssemblyError
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import COMPACT, OFF, THRESHOLDS, Economy
from loomapp.core.model.entities import ContextSettings
from loomapp.core.paths.path import Path
from loomapp.core.summarisers.plan import SummaryPlan, newly_covered, plan_for
from loomapp.session.document import Document
from loomapp.session.requests.summariser import Summariser
from loomapp.store.grove.model_agents import new_agent


@dataclass(frozen=True, slots=True)
class DueSummary:
    """A summary that is due: its plan, and whether it is made before anything is sent; one that compacts is
    only made then.
    """

    plan: SummaryPlan
    economy: Economy
    due: Due


def economy_of(document: Document) -> Economy:
    """The economy settings in force for the open tree."""
    own = document.tree.loom.context_settings
    return effective(document.context_defaults, own, ContextSettings()).economy


def summarising_agent(document: Document, economy: Economy, asked: Agent) -> Agent:
    """The agent that summarises: of the model that the settings name, else the one that is asked."""
    if not economy.summary_model or economy.summary_model == asked.model_ref:
        return asked
    known = (one for one in document.agents.by_id().values() if one.model_ref == economy.summary_model)
    return next(known, None) or new_agent(economy.summary_model)


def due_of(document: Document, summariser: Summariser, assembled: Assembled) -> DueSummary | None:
    """Find the summary that is due for an assembled context of the open tree; None if there is none, or the
    path has failed too often. Cheap below the soft threshold.
    """
    context, tree = assembled.economy, document.tree
    if context is None or context.tree is not tree or not context.stages.summary:
        return None
    economy, path = context.settings, context.path
    if economy.make_summaries == OFF:
        return None
    if _has_given_up(document, summariser, economy, path):
        return None
    least = economy.min_recent_messages
    try:
        if economy.make_summaries == COMPACT:
            is_due = context.is_compaction_due
            return DueSummary(plan_for(tree, path, least), economy, "blocking") if is_due else None
        state = context.state
        if not state.is_soft_exceeded:
            return None
        new_units = newly_covered(tree, path, least)
        due = due_summary(state, economy, new_units, has_valid=bool(valid_on(tree, path)))
        return None if due == "none" else DueSummary(plan_for(tree, path, least), economy, due)
    except AssemblyError:  # there are not enough messages, or the reserve leaves nothing of the window
        return None


def due_without_room(document: Document, summariser: Summariser) -> DueSummary | None:
    """Find the summary that is due because a server had no room for the open tree's path; None if none would
    be used, or the path has failed too often.
    """
    tree, path = document.tree, document.path
    settings = effective(document.context_defaults, tree.loom.context_settings, ContextSettings())
    economy = settings.economy
    if economy.make_summaries != THRESHOLDS or not stages_on(tree, settings).summary:
        return None
    if _has_given_up(document, summariser, economy, path):
        return None
    try:
        return DueSummary(plan_for(tree, path, economy.min_recent_messages), economy, "blocking")
    except AssemblyError:  # there are not enough messages
        return None


def _has_given_up(document: Document, summariser: Summariser, economy: Economy, path: Path) -> bool:
    return len(summariser.failures(document.tree.loom.id, path)) >= economy.most_failures
