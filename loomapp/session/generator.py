"""Generations in flight: starts runs, drains them on the GUI thread, and turns ended ones into nodes."""

from __future__ import annotations

import threading
from collections.abc import Collection, Container, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import count

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.agent import Agent
from loomapp.core.asking import Question
from loomapp.core.change import Change
from loomapp.core.choosing import way_back
from loomapp.core.errors import LoomError
from loomapp.core.filling import suffix_of
from loomapp.core.generation import (
    Adjusted,
    Draft,
    LiveDraft,
    Provider,
    ProviderError,
    Request,
    Sources,
    StreamEvent,
    fail,
    grow,
    joined,
    nodes_from_drafts,
)
from loomapp.core.rows import ActivePath
from loomapp.core.sent.trial import Trial
from loomapp.core.tree import Tree
from loomapp.providers.engine import Engine
from loomapp.providers.engine_state import EngineState
from loomapp.providers.fan_out import Room, start
from loomapp.providers.refusal import Refusal
from loomapp.providers.registry import provider_for, silence_s
from loomapp.providers.run import Ended, Retrying
from loomapp.providers.silence import REMOTE_S
from loomapp.session import going_back
from loomapp.session.document import Document
from loomapp.session.flight import Flight, Place
from loomapp.session.head_start import HeadStart
from loomapp.session.patience import Patience
from loomapp.session.plan import (
    Plan,
    all_planned,
    estimate_of,
    planned,
    refuse_large,
    refuse_over_limit,
    tried,
)
from loomapp.store.identity import new_id, now

WATCH_MS = 200
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
    unanswered = Signal(str, object)  # tree id, Sources: nothing came of what was asked
    failed = Signal(object)  # LoomError: an answer broke off, or could not be saved
    retrying = Signal(object)  # Retrying: the next attempt begins in a while
    learned = Signal(object, str)  # Agent, what its model was found to refuse; it was asked without that
    engine_changed = Signal(object)  # EngineState

    def __init__(self, document: Document, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._engine = engine
        self._engine_state = engine.state
        self._flights: dict[str, Flight] = {}
        self._unsaved: dict[str, Flight] = {}  # ended, but the file did not take them
        self._failures: dict[str, tuple[Flight, LiveDraft]] = {}  # cards that say why, until retried
        self._numbers = count(1)
        self._asked_last: tuple[str, ...] = ()
        self._is_adrift = False  # while an answer hangs on what another program took back
        self.is_going_back = False  # while what was cut for answers is read again
        self.committing = ""  # the key of the request whose answers are becoming nodes just now
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.on_tick)
        self._news = QTimer(self)  # what is asked is shown a turn later: what asked had enough to show itself
        self._news.setSingleShot(True)
        self._news.setInterval(NEWS_MS)
        self._news.timeout.connect(self._tell_drafts)
        self._shown = threading.Event()  # of those that were asked last: set once the window shows them
        self._painted = QTimer(self)
        self._painted.setSingleShot(True)
        self._painted.setInterval(0)
        self._painted.timeout.connect(self._let_begin)
        self._watch = QTimer(self)  # the engine changes on threads that may not touch a QObject
        self._watch.setInterval(WATCH_MS)
        self._watch.timeout.connect(self.on_watch)
        self._watch.start()
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
        asked = tuple(agents) or document.asked_agents()
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
        self._forget_failures(sources.primary_id, {(p.question.agent.id, p.variant) for p in plans})
        group = place.group or new_id()
        flying = set(self._flights)
        for index, plan in enumerate(plans):
            where = replace(place, group=group, is_read=index == 0)
            self._fly(plan, sources, plan.request(document.tree, number), where)
        self._asked_last = tuple(key for key in self._flights if key not in flying)
        self.started.emit()
        self._news.start()

    def retry(self, key: str) -> None:
        """Ask again: for what failed, as many continuations of the same node by the same agent; for what is
        silent, in its stead; for what is to be tried again in a while, now. Or save again.

        Raises: GroveError if what was to be saved still cannot be.
        """
        flight = self._flights.get(key.rpartition(":")[0])
        if flight is not None:
            self._retry_waiting(flight, int(key.rpartition(":")[2]))
            return
        unsaved = self._unsaved.get(key.rpartition(":")[0])
        if unsaved is not None:
            self._save(unsaved)
            return
        flight, _ = self._failures[key]
        if flight.is_adrift:
            raise _adrift()
        back = flight.place.back if self.cut_again(key) else None
        number = sum(not draft.text for draft in flight.drafts.values()) or flight.request.n
        agent = self._document.agents().get(flight.agent.id, flight.agent)  # as it is by now
        if flight.trial is not None:
            follows = self._is_read(flight)
            self.try_out([(agent, flight.trial)], flight.sources, number, follows=follows, back=back)
        else:
            self.start(self._sources(flight), number, agents=(agent,), back=back)

    def _retry_waiting(self, flight: Flight, index: int) -> None:
        wait = flight.drafts[index].waits
        if wait is None:
            return  # it has come to life meanwhile
        if wait.again_in_s is not None:
            flight.run.hurry(index)
            return
        if flight.is_adrift:
            raise _adrift()
        silent = [i for i, draft in flight.drafts.items() if draft.waits is not None and not draft.ended]
        document, place = self._document, flight.place
        agent = document.agents().get(flight.agent.id, flight.agent)
        trial = flight.trial
        sources = self._sources(flight) if trial is None else flight.sources
        follows = place.follows and (trial is None or self._is_read(flight))
        question = self._question(agent, sources)
        plan = planned(document.tree, question) if trial is None else tried(document.tree, question, trial)
        # What is asked instead of the choice that is read is what will be read.
        is_read = place.is_read and flight.read_index in silent
        flight.place = replace(place, is_read=place.is_read and not is_read)
        request = plan.request(document.tree, len(silent))
        self._fly(plan, sources, request, replace(place, is_read=is_read, follows=follows))
        for number in silent:
            self.stop(f"{flight.key}:{number}")
        self.started.emit()
        self._tell_drafts()

    def save_again(self) -> None:
        """Save the answers that the file did not take. Raises: GroveError if it still does not."""
        for flight in list(self._unsaved.values()):
            self._save(flight)

    def dismiss(self, key: str) -> None:
        """Take the card of a failed draft away."""
        if self._failures.pop(key, None) is not None:
            self._tell_drafts()

    def read_draft(self, key: str, *, follows: bool | None = None) -> None:
        """One choice is read of those that stream: when they become nodes, the path goes on with it. What was
        only offered is taken if `follows`.
        """
        flight = self._flights.get(key.rpartition(":")[0])
        if flight is None:
            return
        for other in self._flights.values():
            if other.place.group == flight.place.group:
                wanted = other.place.follows if follows is None else follows
                other.place = replace(other.place, is_read=other is flight, follows=wanted)
        flight.read_index = int(key.rpartition(":")[2])

    def stop(self, key: str) -> None:
        """Stop one choice; its text so far becomes a node when its request ends."""
        flight = self._flights[key.rpartition(":")[0]]
        index = int(key.rpartition(":")[2])
        flight.drafts[index] = fail(flight.drafts[index], _cancelled())
        self._tell_grown([flight.live_draft(index, self._path)])
        if all(draft.ended for draft in flight.drafts.values()):
            self._stop_flight(flight)

    def stop_request(self, key: str) -> None:
        """Stop all choices of a request, given one of them: their texts so far become nodes at once."""
        flight = self._flights.get(key.rpartition(":")[0])
        if flight is not None:
            self._stop_flight(flight)

    def stop_tree(self, tree_id: str) -> None:
        """Stop everything that streams in one tree."""
        for flight in [f for f in self._flights.values() if f.tree.loom.id == tree_id]:
            self._stop_flight(flight)

    def stop_path(self, tree_id: str, node_ids: Collection[str]) -> None:
        """Stop what streams under the nodes of a path."""
        for flight in [f for f in self._flights.values() if f.tree.loom.id == tree_id]:
            if flight.above(node_ids) in node_ids:
                self._stop_flight(flight)

    def stop_all(self) -> None:
        """Stop everything."""
        for flight in list(self._flights.values()):
            self._stop_flight(flight)

    def close(self) -> None:
        """Stop everything and the timer: the window closes. Text so far is kept as interrupted nodes."""
        self.stop_all()
        for timer in (self._timer, self._news, self._painted, self._watch):
            timer.stop()
        self._let_begin()
        self._engine.close()

    # Facts

    def cut_again(self, key: str) -> str:
        """The node at which the text was cut for what failed, if it reads still as it was read again then:
        a retry cuts it there once more. "" elsewhere.
        """
        failed = self._failures.get(key)
        back = None if failed is None else failed[0].place.back
        if failed is None or back is None or back != self._document.tree.path:
            return ""
        return failed[0].above(self._path)

    @property
    def engine(self) -> Engine:
        """The embedded engine."""
        return self._engine

    @property
    def engine_state(self) -> EngineState:
        """How the embedded engine was when it was looked at last."""
        return self._engine_state

    def drafts(self, tree_id: str) -> tuple[LiveDraft, ...]:
        """What streams or failed in a tree, in the order it was asked for."""
        flights = (f for f in self._flights.values() if f.tree.loom.id == tree_id)
        streaming = [live for flight in flights for live in flight.live(self._path)]
        failed = [
            replace(live, parent_id=flight.stands_at(self._path))
            for flight, live in self._failures.values()
            if flight.tree.loom.id == tree_id
        ]
        unsaved = [
            live
            for flight in self._unsaved.values()
            if flight.tree.loom.id == tree_id and flight.key != self.committing
            for live in flight.live(self._path)
            if live.draft.text
        ]
        return (*failed, *unsaved, *streaming)

    def asked_last(self) -> tuple[str, ...]:
        """The keys of the requests that were made together last; a draft's key begins with its request's."""
        return self._asked_last

    def flights(self) -> tuple[Flight, ...]:
        """Every answer that is no node yet: under way, or not taken by the file."""
        return (*self._unsaved.values(), *self._flights.values())

    def unsaved_text(self) -> str:
        """What ended and the file did not take."""
        drafts = (draft for flight in self._unsaved.values() for draft in flight.drafts.values())
        return "\n\n".join(draft.text for draft in drafts if draft.text)

    def is_streaming(self) -> bool:
        """True while any request is under way."""
        return bool(self._flights)

    def stream_count(self) -> int:
        """How many choices are being written."""
        return sum(not d.ended for flight in self._flights.values() for d in flight.drafts.values())

    def guard_undo(self, change: Change) -> None:
        """Raises: LoomError if an undo would take away a node that a live run hangs on."""
        going = {node.id for node in change.removed_nodes()}
        for flight in self._flights.values():
            sources = flight.sources
            if going & {sources.gap_id, *(source.node_id for source in sources.as_edge_sources())}:
                raise LoomError("An answer to this is being written. Stop it first (Esc), then undo.")

    # On the clock

    def on_tick(self) -> None:
        """Drain every run; grown drafts are told once a tick, however many pieces came.

        At most one run ends in a tick: each shows its nodes everywhere. What others say waits for the next.
        """
        grown: list[LiveDraft] = []
        for flight in list(self._flights.values()):
            lives, ended = self._drain(flight)
            if ended is not None:  # its nodes come with all of its text
                self._tell_grown(grown)
                self._end(flight, ended)
                return
            grown += lives
        self._tell_grown(grown)

    def on_tree_changed(self, change: Change) -> None:
        """What is continued got a version: its drafts hang on that now. Or it went, or came back."""
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

    def on_watch(self) -> None:
        """Tell when the engine's state is another."""
        state = self._engine.state
        if state != self._engine_state:
            self._engine_state = state
            self.engine_changed.emit(state)

    # Behind it

    def _question(self, agent: Agent, sources: Sources) -> Question:
        document = self._document
        suffix = "" if sources.gap_id is None else suffix_of(document.tree, sources.gap_id)
        return Question(
            agent,
            sources,
            defaults=document.context_defaults,
            media=document.media,
            suffix=suffix,
            selections=document.choices_reading(sources.primary_id),
        )

    def _sources(self, flight: Flight) -> Sources:
        """What a request hangs on now: of what was edited since, the version that is read."""
        return replace(flight.sources, primary_id=flight.above(self._path))

    def _is_read(self, flight: Flight) -> bool:
        """Whether what was tried goes on from what is read: the same is sent again, and hangs on what it was
        asked of, if that was edited since.
        """
        return flight.above(self._path) == flight.sources.primary_id

    @property
    def _path(self) -> Container[str]:
        return self._document.path if self._document.has_tree else ()

    def _tell_drafts(self) -> None:
        self._news.stop()
        self.drafts_changed.emit()
        self._painted.start()

    def _let_begin(self) -> None:
        """What was asked is on the screen: its workers need not hold back any longer."""
        self._shown.set()
        self._shown = threading.Event()

    def _tell_grown(self, grown: Sequence[LiveDraft]) -> None:
        if grown:
            self.drafts_grew.emit(tuple(grown))

    def _drain(self, flight: Flight) -> tuple[list[LiveDraft], Ended | None]:
        """Take in what came of a run: the drafts that grew, and its last word if it was said."""
        before = dict(flight.drafts)
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
        for event in joined(came):
            flight.drafts = {index: grow(draft, event) for index, draft in flight.drafts.items()}
        for index, draft in flight.drafts.items():
            waits = None if draft.ended else flight.patience.wait(index)
            if waits != draft.waits:
                flight.drafts[index] = replace(draft, waits=waits)
        changed = [index for index, draft in flight.drafts.items() if draft is not before[index]]
        return [flight.live_draft(index, self._path) for index in changed], ended

    def _fly(self, plan: Plan, sources: Sources, request: Request, place: Place) -> None:
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
            HeadStart(provider, self._shown),
            room=Room(plan.rules.max_choices, plan.rules.caches),
            new_id=new_id,
        )
        drafts = {index: Draft(index) for index in range(request.n)}
        agent, tree = plan.question.agent, self._document.tree
        self._flights[key] = Flight(
            key, tree, sources, agent, request, run, drafts, place, patience, self._document.current_id,
            trial=plan.trial,
        )  # fmt: skip
        self._timer.start()

    def _stop_flight(self, flight: Flight) -> None:
        flight.run.stop()  # the run's last word is in its queue from here on
        lives, ended = self._drain(flight)
        if ended is not None:
            self._end(flight, ended)
        else:
            self._tell_grown(lives)

    def _end(self, flight: Flight, ended: Ended) -> None:
        del self._flights[flight.key]
        if not self._flights:
            self._timer.stop()
        if ended.error is not None:
            for index, draft in flight.drafts.items():
                flight.drafts[index] = fail(draft, ended.error)
            self._keep_failures(flight, ended.error)
        flight.evidence = ended.evidence
        try:
            self._commit(flight)
        except LoomError as error:
            self._keep_unsaved(flight, _adrift() if flight.is_adrift else error)
        self._read_again(flight)
        if flight.is_empty and not self._mates(flight):
            self.unanswered.emit(flight.tree.loom.id, flight.sources)
        self._tell_drafts()

    def _read_again(self, flight: Flight) -> None:
        """The text that was cut for answers is whole again if none came."""
        place = flight.place
        if place.back is None or not flight.is_empty or self._mates(flight):
            return
        self.is_going_back = True
        try:
            way = going_back.read_again(self._document, flight.tree, place.back, flight.ends)
            flight.place = replace(place, back=way)
        except LoomError as error:
            self.failed.emit(error)
        finally:
            self.is_going_back = False

    def _keep_unsaved(self, flight: Flight, error: LoomError) -> None:
        """Text that the file did not take stays on its cards, which say why, until it does."""
        flight.drafts = {index: replace(draft, error=error) for index, draft in flight.drafts.items()}
        self._failures = {key: card for key, card in self._failures.items() if card[0] is not flight}
        self._unsaved[flight.key] = flight
        self.failed.emit(error)

    def _save(self, flight: Flight) -> None:
        self._commit(flight)
        del self._unsaved[flight.key]
        self._tell_drafts()

    def _commit(self, flight: Flight) -> None:
        if flight.is_adrift and not flight.is_empty:
            raise _adrift()
        change = nodes_from_drafts(
            flight.tree,
            list(flight.drafts.values()),
            sources=flight.sources,
            agent_id=flight.agent.id,
            evidence=flight.evidence,
            read_index=flight.read_index,
            now=now(),
            new_id=new_id,
            follow=flight.place.follows and not self._is_another_read(flight),
            record=flight.request.record,
            standing=flight.standing,
            back=self._way_back(flight),
        )
        if change is None:
            return
        self.committing = flight.key
        try:
            # Who chose another node meanwhile keeps it.
            is_elsewhere = self._document.current_id != flight.asked_at
            change = replace(change, action=flight.place.group)
            fills = flight.sources.gap_id is not None  # then the path ends where it did
            self._document.commit_to(flight.tree, change, keeps_current=is_elsewhere or fills)
            read = next((n.id for n in change.added_nodes() if n.id in self._document.path), None)
            if fills and not is_elsewhere and flight.tree is self._document.tree and read is not None:
                self._document.set_current(read)
        finally:
            self.committing = ""
        self.committed.emit(change)

    def _keep_failures(self, flight: Flight, error: LoomError) -> None:
        """Cards that say why: one for each draft without text, at least one for the request."""
        if error.code == "cancelled":
            return
        failed = [live for live in flight.live(self._path) if live.draft.error is not None]
        empty = [live for live in failed if not live.draft.text]
        for live in empty or failed[:1]:
            self._failures[live.key] = (flight, replace(live, draft=replace(live.draft, text="")))
        self.failed.emit(error)

    def _is_another_read(self, flight: Flight) -> bool:
        """Of those asked together one that still streams is being read: the path is to go on there."""
        return not flight.place.is_read and any(mate.place.is_read for mate in self._mates(flight))

    def _mates(self, flight: Flight) -> list[Flight]:
        """The others that were asked together with it and are under way."""
        group = flight.place.group
        return [f for f in self._flights.values() if f.place.group == group and f is not flight]

    def _way_back(self, flight: Flight) -> ActivePath | None:
        back = flight.place.back
        return None if back is None else way_back(flight.tree, back, flight.ends)

    def _forget_failures(self, parent_id: str, asked: AbstractSet[tuple[str, str | None]]) -> None:
        """What was asked of these agents there failed before, and is asked again: what the tree says, or a
        variant by name.
        """
        gone = [
            key
            for key, (flight, live) in self._failures.items()
            if parent_id in (live.parent_id, flight.above(self._path), flight.sources.primary_id)
            and (live.agent_id, None if flight.trial is None else flight.trial.name) in asked
        ]
        for key in gone:
            del self._failures[key]


def _adrift() -> LoomError:
    return LoomError(
        "What this answer continues was taken back by another program. Redo brings it back; "
        "then press Retry to save the answer. It is kept until then."
    )


def _cancelled() -> ProviderError:
    return ProviderError("cancelled", "Stopped.")
