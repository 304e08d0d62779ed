"""Summaries in the open grove: which is due unasked, and candidates, held until one of them is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.economy import stages_on
from loomapp.core.context.settings import effective
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.coverage import valid_on
from loomapp.core.economy.thresholds import Due, due_summary
from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import COMPACT, OFF, THRESHOLDS, Economy
from loomapp.core.model.entities import ContextSettings
from loomapp.core.paths.path import Path
from loomapp.core.summarisers.changes import Candidate, Candidates
from loomapp.core.summarisers.plan import SummaryPlan, newly_covered, plan_for
from loomapp.providers.run.summary import SummaryAnswer
from loomapp.session.document import Document
from loomapp.session.requests.summariser import RunningSummary, Summariser
from loomapp.store.grove.model_agents import new_agent

COUNT = 3
Place: TypeAlias = tuple[str, str]
"""A tree, and the key of a summary in it: copies of a tree have summaries of the same keys."""


class SummaryCandidates(QObject):
    """Candidates by the summary that they may replace. Runs on the GUI thread."""

    changed = Signal(object)  # Candidates, with nothing in them once they are put away
    failed = Signal(object)  # LoomError of one that did not come

    def __init__(self, summariser: Summariser, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._summariser = summariser
        self._held: dict[Place, Candidates] = {}
        self._running: dict[Place, list[RunningSummary]] = {}

    def of(self, place: Place) -> Candidates | None:
        """The candidates for a summary, also while none has come yet; None if none were asked for."""
        return self._held.get(place)

    def missing(self, place: Place) -> int:
        """Count those that are still being written."""
        return len(self._running.get(place, ()))

    def ask(self, plan: SummaryPlan, agent: Agent, economy: Economy) -> None:
        """Ask for three candidates, beside those that are there."""
        empty = Candidates(plan.tree_id, plan.anchor_node_id, plan.covered_hash)
        place = empty.place
        self._held.setdefault(place, empty)
        running = self._running.setdefault(place, [])
        for _ in range(COUNT):
            made: list[RunningSummary] = []
            proposed = self._summariser.propose(
                plan, agent, economy, self._taker(place, agent), self._ender(place, made)
            )
            made.append(proposed)
            running.append(proposed)
        self.changed.emit(self._held[place])

    def turn(self, place: Place, step: int) -> None:
        """Show the one before or after."""
        self._put(self._held[place].turned(step))

    def edit(self, place: Place, text: str) -> None:
        """Note what the one that is shown says by now."""
        held = self._held.get(place)
        if held is not None and held.current is not None and held.current.text != text:
            self._put(held.edited(text))

    def take_up(self, kept: Iterable[Candidates]) -> None:
        for candidates in kept:
            self._held.setdefault(candidates.place, candidates)
            self.changed.emit(candidates)

    def put_away(self, place: Place) -> None:
        """Forget the candidates for a summary, and stop those that are being written."""
        for running in self._running.pop(place, []):
            self._summariser.stop(running)
        held = self._held.pop(place, None)
        if held is not None:
            self.changed.emit(replace(held, items=()))

    def _put(self, candidates: Candidates) -> None:
        self._held[candidates.place] = candidates
        self.changed.emit(candidates)

    def _taker(self, place: Place, agent: Agent) -> Callable[[SummaryAnswer], None]:
        def take(answer: SummaryAnswer) -> None:
            held = self._held.get(place)
            if held is not None:
                one = Candidate(answer.text, agent.model_ref, answer.response, answer.text)
                self._put(held.with_one(one))

        return take

    def _ender(self, place: Place, made: list[RunningSummary]) -> Callable[[LoomError | None], None]:
        def ended(error: LoomError | None) -> None:
            running = self._running.get(place)
            if running is None:
                return
            self._running[place] = [one for one in running if one not in made]
            held = self._held.get(place)
            if error is not None and not (isinstance(error, ProviderError) and error.code == "cancelled"):
                self.failed.emit(error)
            if held is not None and not held.items and not self._running[place]:
                self.put_away(place)  # none came: nothing is to be chosen
            elif held is not None:
                self.changed.emit(held)

        return ended


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
