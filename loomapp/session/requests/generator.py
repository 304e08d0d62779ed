"""Generations in flight: starts runs, drains them on the GUI thread, and turns ended ones into nodes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Container, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.generation.drafts import Draft, LiveDraft, fail
from loomapp.core.generation.events import Adjusted, Provider, StreamEvent
from loomapp.core.generation.request import ProviderError, Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.prose.fill_in import suffix_of
from loomapp.core.sent.trial import Trial
from loomapp.providers.engine.engine import Engine
from loomapp.providers.refusal import Refusal
from loomapp.providers.registry import provider_for, silence_s
from loomapp.providers.run.fan_out import Room, start
from loomapp.providers.run.run import Ended, Retrying
from loomapp.providers.run.watchdog import REMOTE_S
from loomapp.session.document import Document
from loomapp.session.initiator import WHOLE_AGAIN
from loomapp.session.plan import (
    Plan,
    all_planned,
    estimate_of,
    planned,
    refuse_large,
    refuse_over_limit,
    tried,
)
from loomapp.session.requests.commit_answers import adrift, fault, is_landed, land
from loomapp.session.requests.empty_answers import wordless_answers
from loomapp.session.requests.engine_watch import EngineWatch
from loomapp.session.requests.failed_answers import FailedAnswers
from loomapp.session.requests.head_start import HeadStart, Showing
from loomapp.session.requests.running_request import Place, RunningRequest
from loomapp.session.requests.running_requests import Fleet
from loomapp.session.requests.stall_notice import Patience
from loomapp.session.restored_path import read_again
from loomapp.store.identity import new_id

TICK_MS = 33  # 30 Hz: text is shown as it comes, the GUI thread stays free
NEWS_MS = (
    8  # no idle turn: what else waits for one, the preview, has been painted when the drafts are told of
)


class Generator(QObject):
    """Runs on the GUI thread; its timer ticks only while something is in flight."""

    drafts_changed = Signal()  # drafts came or went
    drafts_grew = Signal(object)  # tuple of LiveDraft
    started = Signal()  # something new is asked for: what failed before is over
    committed = Signal(object)  # Change: an ended run became nodes
    ending = Signal(object)  # Flight: no more comes, and what came is about to become nodes
    landed = Signal(object)  # Flight: it has ended, and is nodes if it has text and the file took it
    unanswered = Signal(str, object)  # tree id, Sources: nothing came of what was asked
    wordless = Signal(object)  # Sentence: answers ended well without a word, and nothing was added for them
    failed = Signal(object)  # LoomError: an answer broke off, or could not be saved
    retrying = Signal(object)  # Retrying: the next attempt begins in a while
    learned = Signal(object, str)  # Agent, what its model was found to refuse; it was asked without that

    def __init__(self, document: Document, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._engine = engine
        self.engine_watch = EngineWatch(engine, self)
        self._fleet, self._failed = Fleet(), FailedAnswers()
        self._numbers = count(1)
        self._asked_last: tuple[str, ...] = ()
        self._is_adrift = False  # while an answer hangs on what another program took back
        self.committing = ""  # the key of the request whose answers are becoming nodes just now
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.on_tick)
        self._news = QTimer(self)  # what is asked is shown a turn later: what asked had enough to show itself
        self._news.setSingleShot(True)
        self._news.setInterval(NEWS_MS)
        self._news.timeout.connect(self._tell_drafts)
        self._showing = Showing(self)
        document.tree_changed.connect(self.on_tree_changed)
        document.tree_opened.connect(self.on_tree_opened)

    # Wishes

    def start(
        self,
        sources: Sources,
        number: int,
        *,
        agents: Sequence[Agent] = (),
        over_limit: bool = False,
        ask_above: int | None = None,
        follows: bool = True,
        action: str = "",
        back: ActivePath | None = None,
    ) -> None:
        """Ask each of `agents`, else those that are checked, for `number` continuations; the path goes on
        with the first of them, unless it is not to follow. What fills a gap is asked with what follows that;
        `action` names what it belongs to, if something was done for it already. `back` is what is read
        until the text is cut for the answers: undo leads there, and it is read again if nothing comes.

        Raises: AssemblyError if there is nothing that can be sent; OverLimit if it is too much, unless
        `over_limit` allows that; LargeAsk if all of it may come to more than `ask_above` tokens. Nothing is
        started then. An agent that can't be reached fails alone, on its card.
        """
        document = self._document
        asked = tuple(agents) or document.agents.asked()
        plans = all_planned(document.tree, [self._question(agent, sources) for agent in asked])
        place = Place(action, is_read=True, follows=follows, back=back)
        self._start(plans, sources, number, place, over_limit=over_limit, ask_above=ask_above)

    def try_out(
        self,
        trials: Sequence[tuple[Agent, Trial]],
        sources: Sources,
        number: int,
        *,
        over_limit: bool = False,
        ask_above: int | None = None,
        follows: bool = True,
        action: str = "",
        back: ActivePath | None = None,
    ) -> None:
        """Ask each agent for `number` continuations of its trial; what is sent is what the trials say, and
        each answer's record names its own. All of them are one step of undo. The rest is as for `start`.

        Raises: as `start`.
        """
        tree = self._document.tree
        plans = [tried(tree, self._question(agent, sources), trial) for agent, trial in trials]
        place = Place(action, is_read=True, follows=follows, back=back)
        self._start(plans, sources, number, place, over_limit=over_limit, ask_above=ask_above)

    def _start(
        self,
        plans: Sequence[Plan],
        sources: Sources,
        number: int,
        place: Place,
        *,
        over_limit: bool,
        ask_above: int | None,
    ) -> None:
        document = self._document
        if not over_limit:
            refuse_over_limit(plans)
        if ask_above is not None:
            refuse_large(estimate_of(plans, number), ask_above)
        asked = {(plan.question.agent.id, plan.variant) for plan in plans}
        self._failed.asked_again(sources.primary_id, asked, self._path)
        group = place.group or new_id()
        self._asked_last = tuple(
            self._fly(
                plan,
                sources,
                plan.request(document.tree, number),
                replace(place, group=group, is_read=index == 0),
            )
            for index, plan in enumerate(plans)
        )
        self.started.emit()
        self._news.start()

    def retry(self, key: str) -> None:
        """Ask again: for what failed, as many continuations of the same node by the same agent; for what is
        silent, in its stead; for what is to be tried again in a while, now. Or save again.

        Raises: GroveError if what was to be saved still cannot be.
        """
        flight = self._fleet.of_draft(key)
        if flight is not None:
            self._retry_waiting(flight, int(key.rpartition(":")[2]))
            return
        unsaved = self._failed.unsaved_flight(key)
        if unsaved is not None:
            self._save(unsaved)
            return
        flight = self._failed.failed_flight(key)
        assert flight is not None, "only what is shown can be asked for again"
        if flight.is_adrift:
            raise adrift()
        back = flight.place.back if self.cut_again(key) else None
        number = sum(not draft.text for draft in flight.drafts.values()) or flight.request.n
        agent = self._document.agents.by_id().get(flight.agent.id, flight.agent)  # as it is by now
        if flight.trial is not None:
            follows = self._is_read(flight)
            self.try_out([(agent, flight.trial)], flight.sources, number, follows=follows, back=back)
        else:
            self.start(self._sources(flight), number, agents=(agent,), back=back)

    def _retry_waiting(self, flight: RunningRequest, index: int) -> None:
        wait = flight.drafts[index].waits
        if wait is None:
            return  # it has come to life meanwhile
        if wait.again_in_s is not None:
            flight.run.hurry(index)
            return
        if flight.is_adrift:
            raise adrift()
        silent = [i for i, draft in flight.drafts.items() if draft.waits is not None and not draft.ended]
        document, place = self._document, flight.place
        agent = document.agents.by_id().get(flight.agent.id, flight.agent)
        trial = flight.trial
        sources = self._sources(flight) if trial is None else flight.sources
        follows = place.follows and (trial is None or self._is_read(flight))
        question = self._question(agent, sources)
        plan = planned(document.tree, question) if trial is None else tried(document.tree, question, trial)
        # What is asked instead of the choice that is read is what will be read.
        is_read = place.is_read and flight.read_index in silent
        flight.place = replace(place, is_read=place.is_read and not is_read)
        request = plan.request(document.tree, len(silent))
        ids = [flight.ids[number] for number in silent]  # what is written behind the silent ones waits on
        flight.ids = {**flight.ids, **{number: new_id() for number in silent}}
        self._fly(plan, sources, request, replace(place, is_read=is_read, follows=follows), ids)
        for number in silent:
            self.stop(f"{flight.key}:{number}")
        self.started.emit()
        self._tell_drafts()

    def save_again(self) -> None:
        """Save the answers that the file did not take. Raises: GroveError if it still does not."""
        for flight in self._failed.unsaved:
            self._save(flight)

    def dismiss(self, key: str) -> None:
        """Take the card of a failed draft away."""
        if self._failed.dismiss(key):
            self._tell_drafts()

    def read_draft(self, key: str, *, follows: bool | None = None) -> None:
        """One choice is read of those that stream: when they become nodes, the path goes on with it. What was
        only offered is taken if `follows`.
        """
        self._fleet.read(key, follows=follows)

    def stop(self, key: str) -> None:
        """Stop one choice; its text so far becomes a node when its request ends."""
        flight = self._fleet.of_draft(key)
        assert flight is not None, "only what streams can be stopped"
        index = int(key.rpartition(":")[2])
        flight.drafts[index] = fail(flight.drafts[index], _cancelled())
        self._tell_grown([flight.live_draft(index, self._path)])
        if all(draft.ended for draft in flight.drafts.values()):
            self._stop_flight(flight)

    def stop_request(self, key: str) -> None:
        """Stop all choices of a request, given one of them: their texts so far become nodes at once."""
        flight = self._fleet.of_draft(key)
        if flight is not None:
            self._stop_flight(flight)

    def stop_tree(self, tree_id: str) -> None:
        """Stop everything that streams in one tree."""
        for flight in self._fleet.in_tree(tree_id):
            self._stop_flight(flight)

    def stop_path(self, tree_id: str, node_ids: Collection[str]) -> None:
        """Stop what streams under the nodes of a path."""
        for flight in self._fleet.in_tree(tree_id):
            if flight.above(node_ids) in node_ids:
                self._stop_flight(flight)

    def stop_all(self) -> None:
        """Stop everything."""
        for flight in self._fleet:
            self._stop_flight(flight)

    def close(self) -> None:
        """Stop everything and the timer: the window closes. Text so far is kept as interrupted nodes."""
        self.stop_all()
        for timer in (self._timer, self._news, self.engine_watch):
            timer.stop()
        self._showing.let_begin()
        self._engine.close()

    # Facts

    def cut_again(self, key: str) -> str:
        """The node at which the text was cut for what failed, if it reads still as it was read again then:
        a retry cuts it there once more. "" elsewhere.
        """
        failed = self._failed.failed_flight(key)
        back = None if failed is None else failed.place.back
        if failed is None or back is None or back != self._document.tree.path:
            return ""
        return failed.above(self._path)

    @property
    def engine(self) -> Engine:
        """The embedded engine."""
        return self._engine

    def drafts(self, tree_id: str) -> tuple[LiveDraft, ...]:
        """Return the drafts that stream or failed in a tree, in the order they were asked for."""
        streaming = [live for flight in self._fleet.in_tree(tree_id) for live in flight.live(self._path)]
        return (*self._failed.cards(tree_id, self._path, committing=self.committing), *streaming)

    def asked_last(self) -> tuple[str, ...]:
        """The keys of the requests that were made together last; a draft's key begins with its request's."""
        return self._asked_last

    def flights(self) -> tuple[RunningRequest, ...]:
        """Every answer that is no node yet: under way, or not taken by the file."""
        return (*self._failed.unsaved, *self._fleet)

    def unsaved_text(self) -> str:
        """Text of answers that ended and that the file did not take."""
        return self._failed.unsaved_text

    def is_coming(self, node_id: str) -> bool:
        """True if a node is to be made of an answer that has text or may get some."""
        drafts = (f.drafts[index] for f in self.flights() for index, i in f.ids.items() if i == node_id)
        return any(draft.text or not draft.ended for draft in drafts)

    def is_streaming(self) -> bool:
        """True while any request is under way."""
        return len(self._fleet) > 0

    def stream_count(self) -> int:
        """Return the number of choices that are being written."""
        return self._fleet.choices_being_written

    def waiting_count(self) -> int:
        """Of these, for how many nothing has come yet."""
        return self._fleet.choices_waiting

    def guard_undo(self, change: Change) -> None:
        """Raises: LoomError if an undo would take away a node that a live run hangs on."""
        self._fleet.guard_undo(change)

    # On the clock

    def on_tick(self) -> None:
        """Drain every run; grown drafts are told once a tick, however many pieces came.

        At most one run ends in a tick: each shows its nodes everywhere. What others say waits for the next.
        """
        grown: list[LiveDraft] = []
        for flight in self._fleet:
            lives, ended = self._drain(flight)
            if ended is not None:  # its nodes come with all of its text
                self._tell_grown(grown)
                self._end(flight, ended)
                return
            grown += lives
        self._tell_grown(grown)

    def on_tree_changed(self, change: Change) -> None:
        """Hang drafts on the new version of the node that they continue; hear that the node went or came
        back.
        """
        flights, was_adrift = self.flights(), self._is_adrift
        self._is_adrift = any(flight.is_adrift for flight in flights)
        is_version = any(node.edited_from is not None for node in change.added_nodes())
        if was_adrift or self._is_adrift or (is_version and flights):
            self._news.start()

    def on_tree_opened(self, tree: Tree) -> None:
        """The tree that answers will hang in was read anew."""
        for flight in self.flights():
            if flight.tree.loom.id == tree.loom.id:
                flight.tree = tree

    # Behind it

    def _question(self, agent: Agent, sources: Sources) -> AskedQuestion:
        document = self._document
        suffix = "" if sources.gap_id is None else suffix_of(document.tree, sources.gap_id)
        return AskedQuestion(
            agent,
            sources,
            defaults=document.context_defaults,
            media=document.media,
            suffix=suffix,
            selections=document.place.choices_reading(sources.primary_id),
        )

    def _sources(self, flight: RunningRequest) -> Sources:
        """Return the sources of a request now: of a node that was edited since, the version that is read."""
        return replace(flight.sources, primary_id=flight.above(self._path))

    def _is_read(self, flight: RunningRequest) -> bool:
        """Tell whether a trial goes on from a node that is read: the same is sent again, and hangs on the
        node it was asked of, if that was edited since.
        """
        return flight.above(self._path) == flight.sources.primary_id

    @property
    def _path(self) -> Container[str]:
        return self._document.path if self._document.has_tree else ()

    def _tell_drafts(self) -> None:
        self._news.stop()
        self.drafts_changed.emit()
        self._showing.begins()

    def _tell_grown(self, grown: Sequence[LiveDraft]) -> None:
        if grown:
            self.drafts_grew.emit(tuple(grown))

    def _drain(self, flight: RunningRequest) -> tuple[list[LiveDraft], Ended | None]:
        """Take in what came of a run: the drafts that grew, and its last word if it was said."""
        ended: Ended | None = None
        came: list[StreamEvent] = []
        for event in flight.run.drain():
            flight.patience.note(event)
            match event:
                case Ended():
                    ended = event
                case Retrying():
                    self.retrying.emit(event)
                case Adjusted(note=note):
                    self.learned.emit(flight.agent, note)
                case _:
                    came.append(event)
        return [flight.live_draft(index, self._path) for index in flight.take_in(came)], ended

    def _fly(
        self,
        plan: Plan,
        sources: Sources,
        request: Request,
        place: Place,
        ids: Sequence[str] = (),
    ) -> str:
        """Ask for one plan; the key of its flight. The ids of its nodes are these, and new ones."""
        key = f"run{next(self._numbers)}"
        provider: Provider
        patience = Patience(request.n, REMOTE_S)
        try:
            patience = Patience(request.n, silence_s(request.model_ref))
            provider = provider_for(request.model_ref, self._engine)
        except LoomError as error:
            provider = Refusal(error)  # it fails as it would have on its way: alone, and on its card
        run = start(
            request,
            HeadStart(provider, self._showing.shown),
            room=Room(plan.rules.max_choices, plan.rules.caches),
            new_id=new_id,
        )
        drafts = {index: Draft(index) for index in range(request.n)}
        agent, tree = plan.question.agent, self._document.tree
        flight = RunningRequest(
            key, tree, sources, agent, request, run, drafts, place, patience, self._document.current_id,
            trial=plan.trial, ids=dict(zip(drafts, chain(ids, iter(new_id, "")), strict=False)),
        )  # fmt: skip
        self._fleet.add(flight)
        self._timer.start()
        return key

    def _stop_flight(self, flight: RunningRequest) -> None:
        flight.run.stop()  # the run's last word is in its queue from here on
        lives, ended = self._drain(flight)
        if ended is not None:
            self._end(flight, ended)
        else:
            self._tell_grown(lives)

    def _end(self, flight: RunningRequest, ended: Ended) -> None:
        self._fleet.remove(flight)
        if not self._fleet:
            self._timer.stop()
        if ended.error is not None:
            for index, draft in flight.drafts.items():
                flight.drafts[index] = fail(draft, ended.error)
            if ended.error.code != "cancelled":
                self._failed.keep_failed(flight, self._path)
                self.failed.emit(ended.error)
        flight.evidence = ended.evidence
        self.ending.emit(flight)
        try:
            self._commit(flight)
        except LoomError as error:
            self._keep(flight, adrift() if flight.is_adrift else error)
        except Exception as error:  # told as every fault of ours is; the words stay, and others go on
            sys.excepthook(type(error), error, error.__traceback__)
            self._keep(flight, fault())
        self.landed.emit(flight)
        self._read_again(flight)
        if flight.is_empty and not self._fleet.mates(flight):
            self.unanswered.emit(flight.tree.loom.id, flight.sources)
        if ended.error is None and (said := wordless_answers(flight)) is not None:
            self.wordless.emit(said)
        self._tell_drafts()

    def _keep(self, flight: RunningRequest, why: LoomError) -> None:
        """Keep on their cards the answers that the file did not take."""
        with suppress(GroveError):  # who cannot tell keeps it: a retry looks again
            if is_landed(self._document, flight):
                return
        self._failed.keep_unsaved(flight, why)
        self.failed.emit(why)

    def _read_again(self, flight: RunningRequest) -> None:
        """The text that was cut for answers is whole again if none came."""
        place = flight.place
        if place.back is None or not flight.is_empty or self._fleet.mates(flight):
            return
        try:
            way = read_again(self._document, flight.tree, place.back, flight.ends, WHOLE_AGAIN)
            flight.place = replace(place, back=way)
        except LoomError as error:
            self.failed.emit(error)

    def _save(self, flight: RunningRequest) -> None:
        if not is_landed(self._document, flight):  # no answer comes twice
            self._commit(flight)
        self._failed.saved(flight)
        self.landed.emit(flight)
        self._tell_drafts()

    def _commit(self, flight: RunningRequest) -> None:
        follows = flight.place.follows and not self._fleet.is_another_read(flight)
        self.committing = flight.key
        try:
            change = land(self._document, flight, follows=follows)
        finally:
            self.committing = ""
        if change is not None:
            self.committed.emit(change)


def _cancelled() -> ProviderError:
    return ProviderError("cancelled", "Stopped.")
