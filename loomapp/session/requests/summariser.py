"""Summaries on their way in the open grove: asked for on worker threads, saved where they are anchored."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field, replace

from PySide6.QtCore import QObject, Signal

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import ProposedSummary
from loomapp.core.economy.coverage import text_of
from loomapp.core.errors import GroveError, LoomError, StaleChange
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import Economy
from loomapp.core.model.entities import ContextSummary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence
from loomapp.core.progress import Progress
from loomapp.core.summarisers import changes
from loomapp.core.summarisers.changes import SummaryOrigin
from loomapp.core.summarisers.plan import SummaryPlan
from loomapp.core.summarisers.prompts import summary_task
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import loads_model, provider_for, rules_for, silence_s
from loomapp.providers.run.run import Watchdog
from loomapp.providers.run.summary import PortionBegun, SummaryAnswer, SummaryRun
from loomapp.providers.run.summary import Progress as RunProgress
from loomapp.session.background.background_work import BackgroundTask
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.store.identity import new_id, now
from loomapp.store.queries.usage import keep_spent

Then = Callable[[LoomError | None], None]
Takes = Callable[[SummaryAnswer], None]
MADE = Initiator("summary")
FIRST = PortionBegun(1, 1)


class _Asking:
    """The part of a summary's run that its worker and whoever stops it share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._run: SummaryRun | None = None
        self._is_stopped = False

    def begin(self, run: SummaryRun) -> SummaryAnswer:
        """Run it to its end, on the worker's thread."""
        with self._lock:
            self._run = run
            if self._is_stopped:
                run.stop()
        return run.result()

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            run = self._run
        if run is not None:
            run.stop()


@dataclass(slots=True)
class RunningSummary:
    """A summary that is being made: what it covers, who is asked, since when, and how far it is."""

    tree: Tree
    plan: SummaryPlan
    agent: Agent
    origin: SummaryOrigin
    asking: _Asking
    task: BackgroundTask
    began_s: float
    then: list[Then] = field(default_factory=list)  # told once it has ended, with what went wrong
    portion: PortionBegun = FIRST
    send_anyway: Callable[[], None] | None = None  # of an answer that waits for it
    told: str = ""  # the sentence that says so to people, where one does
    takes: Takes | None = None  # a proposal: it is not saved, but handed over

    @property
    def tree_id(self) -> str:
        return self.plan.tree_id


@dataclass(frozen=True, slots=True)
class SummaryFailure:
    """A summary that failed, by where it was to be anchored."""

    tree_id: str
    anchor_node_id: str
    error: LoomError


class Summariser(QObject):
    """Asks models for summaries of the open grove's trees. Runs on the GUI thread; its workers touch no tree.

    Failures and summaries under way belong to the paths through their anchors: another branch knows nothing
    of them.
    """

    changed = Signal()  # one began, went on or ended
    made = Signal(object)  # ContextSummary: it is saved
    cut_short = Signal(object)  # ContextSummary whose end is missing: its model's limit cut it
    failed = Signal(object)  # LoomError of one that was asked for by hand, or that an answer waited for

    def __init__(self, document: Document, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._engine = document, engine
        self._running: list[RunningSummary] = []
        self._failures: list[SummaryFailure] = []
        self.proposed: dict[tuple[str, str], ProposedSummary] = {}  # for a head, by tree and node
        document.tree_opened.connect(self.on_tree_opened)

    # Wishes

    def start(
        self,
        plan: SummaryPlan,
        agent: Agent,
        economy: Economy,
        origin: SummaryOrigin,
        then: Then | None = None,
    ) -> RunningSummary:
        """Ask for a summary; one that is made of the same already is waited for instead."""
        known = next((one for one in self._running if not one.takes and _is_same(one.plan, plan)), None)
        if known is None:
            known = self._begun(plan, agent, economy, origin)
        if then is not None:
            known.then.append(then)
        self.changed.emit()
        return known

    def propose(
        self, plan: SummaryPlan, agent: Agent, economy: Economy, takes: Takes, then: Then
    ) -> RunningSummary:
        """Ask for a summary that is not saved, but handed over; what it costs is counted."""
        running = self._begun(plan, agent, economy, "manual")
        running.takes = takes
        running.then.append(then)
        self.changed.emit()
        return running

    def stop(self, running: RunningSummary) -> None:
        """End it now; nothing is saved, and its calls are counted once its worker has ended."""
        running.asking.stop()

    def forgive(self, tree_id: str, path: NodeSequence) -> None:
        """Forget the failures of a path: its summaries are made again."""
        self._failures = [
            one for one in self._failures if one.tree_id != tree_id or one.anchor_node_id not in path
        ]
        self.changed.emit()

    def close(self) -> None:
        """Stop everything: the window closes."""
        for running in self._running:
            running.asking.stop()
            running.task.end()
        self._running.clear()

    # Facts

    def under_way(self, tree_id: str, path: NodeSequence) -> RunningSummary | None:
        return next(
            (
                one
                for one in self._running
                if one.takes is None and one.tree_id == tree_id and one.plan.anchor_node_id in path
            ),
            None,
        )

    def failures(self, tree_id: str, path: NodeSequence) -> tuple[SummaryFailure, ...]:
        """The failures in a row of a path, oldest first."""
        return tuple(one for one in self._failures if one.tree_id == tree_id and one.anchor_node_id in path)

    # Behind it

    def on_tree_opened(self, tree: Tree) -> None:
        """Follow a tree that was read anew: its summaries are saved there."""
        for running in self._running:
            if running.tree_id == tree.loom.id:
                running.tree = tree

    def _begun(
        self, plan: SummaryPlan, agent: Agent, economy: Economy, origin: SummaryOrigin
    ) -> RunningSummary:
        asking, engine = _Asking(), self._engine
        task = BackgroundTask(lambda tell: _answer(plan, agent, economy, engine, asking, tell), self)
        running = RunningSummary(self._document.tree, plan, agent, origin, asking, task, time.monotonic())
        self._running.append(running)
        task.progressed.connect(self._told(running))
        task.done.connect(self._ender(running))
        task.failed.connect(self._failer(running))
        task.start()
        return running

    def _told(self, running: RunningSummary) -> Callable[[int, int], None]:
        def on_progress(number: int, count: int) -> None:
            running.portion = PortionBegun(number, count)
            self.changed.emit()

        return on_progress

    def _ender(self, running: RunningSummary) -> Callable[[SummaryAnswer], None]:
        def on_done(answer: SummaryAnswer) -> None:
            error = answer.error
            if error is None and running.takes is not None:
                running.takes(answer)
            elif error is None:
                try:
                    self._tell_made(self._save(running, answer), answer)
                except LoomError as refused:
                    error = refused
            is_saved = error is None and running.takes is None
            counted = answer.others if is_saved else answer.evidence
            _keep_spent(self._document, running, counted, answer.silent_calls)
            self._end(running, error)

        return on_done

    def _tell_made(self, row: ContextSummary, answer: SummaryAnswer) -> None:
        self.made.emit(row)
        if answer.is_cut:
            self.cut_short.emit(row)

    def _failer(self, running: RunningSummary) -> Callable[[LoomError], None]:
        return lambda error: self._end(running, error)

    def _end(self, running: RunningSummary, error: LoomError | None) -> None:
        self._running.remove(running)
        running.task.deleteLater()
        is_stopped = isinstance(error, ProviderError) and error.code == "cancelled"
        if running.takes is None:
            self._note_end(running, error, is_stopped=is_stopped)
        self.changed.emit()
        for then in running.then:
            then(error)

    def _note_end(self, running: RunningSummary, error: LoomError | None, *, is_stopped: bool) -> None:
        """Count a failure of the path, or forget those that a summary makes up for."""
        plan = running.plan
        if error is None:
            covered = {*plan.covered_ids, plan.anchor_node_id}
            self._failures = [
                one
                for one in self._failures
                if one.tree_id != plan.tree_id or one.anchor_node_id not in covered
            ]
        elif not is_stopped:
            self._failures.append(SummaryFailure(plan.tree_id, plan.anchor_node_id, error))
            if running.origin != "background":
                self.failed.emit(error)

    def _save(self, running: RunningSummary, answer: SummaryAnswer) -> ContextSummary:
        """Commit a summary with its response; in place of one of the same messages that another program saved
        meanwhile. Raises: LoomError.
        """
        try:
            return self._commit(running, answer)
        except StaleChange:
            tree = running.tree
            self._document.catch_up() if tree is self._document.tree else self._document.grove.catch_up(tree)
            return self._commit(running, answer)

    def _commit(self, running: RunningSummary, answer: SummaryAnswer) -> ContextSummary:
        document, plan, tree = self._document, running.plan, running.tree
        if plan.anchor_node_id not in tree.nodes:
            raise LoomError("The message that the summary belongs to is gone, so it was not saved.")
        pen = document.pen()
        if running.origin != "manual":
            pen = replace(pen, by=running.agent.name)
        model = running.agent.model_ref
        made = changes.summary_row(plan, answer.text, origin=running.origin, model=model, at=pen.now)
        response = answer.response
        assert response is not None, "a text was taken from a response"
        row = replace(made, response_id=response.id)
        change = changes.make(tree, row, pen)
        change = replace(change, evidence=(response,), undoable=running.origin == "manual")
        document.commit_to(tree, change, MADE, keeps_current=True)
        return row


def _is_same(one: SummaryPlan, other: SummaryPlan) -> bool:
    """True if both cover the same, also by its flags: a summary of other messages would be out of date."""
    if (one.tree_id, one.anchor_node_id) != (other.tree_id, other.anchor_node_id):
        return False
    return one.covered_hash == other.covered_hash


def _answer(
    plan: SummaryPlan, agent: Agent, economy: Economy, engine: Engine, asking: _Asking, tell: Progress
) -> SummaryAnswer:
    """Ask for a summary, on a worker's thread. Raises: LoomError."""
    model_ref = agent.model_ref or ""
    before = "" if plan.based_on is None else text_of(plan.based_on)
    plan.measure()
    task = summary_task(plan, agent, rules_for(model_ref), economy, before)

    def on_progress(progress: RunProgress) -> None:
        if isinstance(progress, PortionBegun):
            tell(progress.number, progress.count)

    run = SummaryRun(
        task,
        provider_for(model_ref, engine),
        new_id=new_id,
        watchdog=lambda: _watchdog(model_ref),
        tell=on_progress,
    )
    return asking.begin(run)


def _watchdog(model_ref: str) -> Watchdog:
    begin = Watchdog.from_start if loads_model(model_ref) else Watchdog
    return begin(silence_s(model_ref), model_ref)


def _keep_spent(
    document: Document, running: RunningSummary, counted: tuple[Evidence, ...], silent: int
) -> None:
    """Keep what calls took on which no summary rests; a file that takes nothing has said so."""
    model_ref = running.agent.model_ref or ""
    spent = (
        *wordless_calls(running.tree_id, model_ref, (), counted),
        *silent_calls(running.tree_id, model_ref, now(), silent),
    )
    with suppress(GroveError):
        keep_spent(document.grove, spent)
