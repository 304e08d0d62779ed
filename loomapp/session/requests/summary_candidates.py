"""Candidates of summaries in the open grove: asked for several at once, held until one of them is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal

from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import Economy
from loomapp.core.summarisers.changes import Candidate, Candidates
from loomapp.core.summarisers.plan import SummaryPlan
from loomapp.providers.run.summary import SummaryAnswer
from loomapp.session.requests.summariser import RunningSummary, Summariser

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
        """Hold what the last session left."""
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
