"""Open answers: those that are no nodes yet, drained on the GUI thread until they are, or failed."""

from __future__ import annotations

import sys
import time
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.context.awareness import aware_agent
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.drafts import LiveDraft, fail
from loomapp.core.generation.provider import Adjusted, StreamEvent
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.prose.fill_in import suffix_of
from loomapp.providers.run.run import Ended, Retrying
from loomapp.runs.asked_model import too_late
from loomapp.session.background.background_work import Showing
from loomapp.session.document import Document
from loomapp.session.open_tree import WHOLE_AGAIN
from loomapp.session.requests.ended_answers import (
    FailedAnswers,
    adrift,
    commands_of_trial,
    fault,
    is_landed,
    land,
    told_end,
)
from loomapp.session.requests.running_request import Fleet, Loop, RunningRequest, asked_place
from loomapp.session.restored import read_again
from loomapp.store.identity import now
from loomapp.store.queries.usage import keep_spent

ABREAST_S, BEING_WRITTEN_S = 5.0, 10.0  # for which one waits for those before it: without a word, and with
TICK_MS = 33  # 30 Hz: text is shown as it comes, the GUI thread stays free
NEWS_MS = 8  # no idle turn: the preview, which waits for one, has been painted when drafts are told of


class OpenAnswers(QObject):
    """Answers of requests that are under way, and of those that ended without becoming nodes. Runs on the GUI
    thread; its timer ticks only while something is in flight.
    """

    drafts_changed = Signal()  # drafts came or went
    drafts_grew = Signal(object)  # tuple of LiveDraft
    committed = Signal(object)  # Change: an ended run became nodes
    ending = Signal(object)  # Flight: no more comes, and what came is about to become nodes
    landed = Signal(object)  # Flight: it has ended, and is nodes if it has text and the file took it
    unanswered = Signal(str, object)  # tree id, Sources: nothing came of what was asked
    wordless = Signal(object)  # Sentence: what came of an answer that did not fail
    run_stopped = Signal(
        str, int, str
    )  # a run's agent, after how many steps, and its action: what it did stays
    failed = Signal(object)  # LoomError: an answer broke off, had no word, or could not be saved
    learned = Signal(object, str)  # Agent, what its model was found to refuse; it was asked without that

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.fleet, self.failed_answers = Fleet(), FailedAnswers()
        self._is_adrift = False  # while an answer hangs on what another program took back
        self.committing = ""  # the key of the request whose answers are becoming nodes just now
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.on_tick)
        self._news = QTimer(self)  # what is asked is shown a turn later: what asked had enough to show itself
        self._news.setSingleShot(True)
        self._news.setInterval(NEWS_MS)
        self._news.timeout.connect(self.tell_drafts)
        self.showing = Showing(self)
        document.tree_changed.connect(self.on_tree_changed)
        document.tree_opened.connect(self.on_tree_opened)

    def begin(self, flight: RunningRequest) -> None:
        self.fleet.add(flight)
        self._timer.start()

    def close(self) -> None:
        """Stop everything and the timers. Text so far is kept as interrupted nodes."""
        self.stop_all()
        self._timer.stop()
        self._news.stop()
        self.showing.let_begin()

    # Facts

    @property
    def path(self) -> Container[str]:
        """The path that is read, by which answers hang on this version or that; empty where no tree is."""
        return self._document.path if self._document.has_tree else ()

    def drafts(self, tree_id: str) -> tuple[LiveDraft, ...]:
        """Return the drafts that stream or failed in a tree, in the order they were asked for."""
        streaming = [live for flight in self.fleet.in_tree(tree_id) for live in flight.live(self.path)]
        cards = self.failed_answers.cards(tree_id, self.path, committing=self.committing)
        return tuple(sorted((*cards, *streaming), key=lambda live: asked_place(live.key)))

    def flights(self) -> tuple[RunningRequest, ...]:
        """Return every answer that is no node yet: under way, or not taken by the file."""
        return (*self.failed_answers.unsaved, *self.fleet)

    def unsaved_text(self) -> str:
        """Text of answers that ended and that the file did not take."""
        return self.failed_answers.unsaved_text

    def is_coming(self, node_id: str) -> bool:
        """True if a node is to be made of an answer that has text or may get some."""
        drafts = (f.drafts[index] for f in self.flights() for index, i in f.ids.items() if i == node_id)
        return any(draft.text or not draft.ended for draft in drafts)

    def is_streaming(self) -> bool:
        return len(self.fleet) > 0

    def stream_count(self) -> int:
        return self.fleet.choices_being_written

    def guard_undo(self, change: Change) -> None:
        """Raises: LoomError if an undo would take away a node that a live run hangs on."""
        self.fleet.guard_undo(change)

    # Wishes

    def save_again(self) -> None:
        """Save the answers that the file did not take. Raises: GroveError if it still does not."""
        for flight in self.failed_answers.unsaved:
            self.save(flight)

    def save(self, flight: RunningRequest) -> None:
        """Save the answers of one request, unless the file has them by now. Raises: LoomError."""
        if not is_landed(self._document, flight):  # no answer comes twice
            self._commit(flight)
        self.failed_answers.saved(flight)
        self.landed.emit(flight)
        self.tell_drafts()

    def dismiss(self, key: str) -> None:
        if self.failed_answers.dismiss(key):
            self.tell_drafts()

    def dismiss_all(self, tree_id: str) -> None:
        self.failed_answers.dismiss_all(tree_id)
        self.tell_drafts()

    def read_draft(self, key: str, *, follows: bool | None = None) -> None:
        """One choice is read of those that stream: when they become nodes, the path goes on with it. What was
        only offered is taken if `follows`.
        """
        self.fleet.read(key, follows=follows)

    def stop(self, flight: RunningRequest) -> None:
        """Stop all choices of a request: their texts so far become nodes."""
        if flight.loop is not None:
            loop, flight = flight.loop, flight.loop.stopped(flight)
            if loop.is_carrying_out:
                self._went_on(loop, loop.carry_on())
                return
        flight.run.stop()  # the run's last word is in its queue from here on
        lives, ended = self._drain(flight)
        if ended is not None:
            self._end(flight, ended)
        else:
            self.tell_grown(lives)

    def stop_several(self, flights: Iterable[RunningRequest]) -> None:
        """Stop all of these. None of them is sent any more while the texts of the others become nodes."""
        stopped = tuple(flights)
        for flight in stopped:
            flight.run.halt()
        for flight in stopped:
            if flight in self.fleet:  # with the run of an agent goes what that asked
                self.stop(flight)

    def stop_all(self) -> None:
        self.stop_several(self.fleet)

    def tell_soon(self) -> None:
        """Say a turn later that drafts came or went."""
        self._news.start()

    def tell_drafts(self) -> None:
        """Say that drafts came or went."""
        self._news.stop()
        self.drafts_changed.emit()
        self.showing.begins()

    def tell_grown(self, grown: Sequence[LiveDraft]) -> None:
        """Say which drafts are others now, if any are."""
        if grown:
            self.drafts_grew.emit(tuple(grown))

    # On the clock

    def on_tick(self) -> None:
        """Drain every run; grown drafts are told once a tick, however many pieces came.

        At most one run ends in a tick: each shows its nodes everywhere. What others say waits for the next.
        """
        grown: list[LiveDraft] = []
        for flight in self.fleet:
            if flight.loop is not None and flight is flight.loop.own and flight.loop.is_carrying_out:
                self.tell_grown(grown)
                self._went_on(flight.loop, flight.loop.carry_on())
                return
            if flight.is_paused:
                continue
            if flight.is_late:
                flight.run.stop(too_late())
            lives, ended = self._drain(flight)
            if ended is not None and not self._is_to_wait(flight, ended):
                self.tell_grown(grown)  # its nodes come with all of its text
                self._end(flight, ended)
                return
            if flight.ended is not None and flight.evidence is not flight.ended.evidence:
                flight.evidence = flight.ended.evidence  # it waits: the journal keeps the whole response
                lives = list(flight.live(self.path))
            grown += lives
        self.tell_grown(grown)

    def on_tree_changed(self, change: Change) -> None:
        """Hang drafts on the new version of the node that they continue; hear that the node went or came
        back. What failed of a request goes as its answers are undone.
        """
        if change.action and change.removed_nodes() and self.failed_answers.taken_back(change.action):
            self._news.start()
        flights, was_adrift = self.flights(), self._is_adrift
        self._is_adrift = any(flight.is_adrift for flight in flights)
        is_version = any(node.edited_from is not None for node in change.added_nodes())
        if was_adrift or self._is_adrift or (is_version and flights):
            self._news.start()

    def on_tree_opened(self, tree: Tree) -> None:
        """Follow the tree that answers will hang in, for it was read anew."""
        for flight in self.flights():
            if flight.tree.loom.id == tree.loom.id:
                flight.tree = tree
                if flight.loop is not None:
                    flight.loop.follow(tree)

    # Behind it

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
                    pass  # its drafts say so by the patience
                case Adjusted(note=note):
                    self.learned.emit(flight.agent, note)
                case _:
                    came.append(event)
        lives = [flight.live_draft(index, self.path) for index in flight.take_in(came)]
        return lives, ended or flight.ended

    def _is_to_wait(self, flight: RunningRequest, ended: Ended) -> bool:
        """Tell whether an answer waits a while to stand as it was asked for: not the one that is read."""
        if flight.loop is not None or ended.error is not None or flight.is_empty:
            return False
        if flight.ended is None:
            flight.ended, flight.ended_at = ended, time.monotonic()
        ahead = () if flight.place.is_read else self.fleet.ahead(flight)
        drafts = [draft for mate in ahead for draft in mate.drafts.values() if draft.waits is None]
        waited_s = time.monotonic() - flight.ended_at
        return any(waited_s < (BEING_WRITTEN_S if d.text or d.reasoning else ABREAST_S) for d in drafts)

    def _end(self, flight: RunningRequest, ended: Ended) -> None:
        loop = flight.loop
        if loop is None:
            self._land(flight, ended)
            self.keep_spent(flight, ended)
            return
        if flight is not loop.own:
            self.fleet.remove(flight)
            self.ending.emit(flight)
        last = loop.go_on(flight, ended)
        self._keep_unsaved(loop)
        if flight is not loop.own:
            self.landed.emit(flight)
        self._went_on(loop, last)

    def _went_on(self, loop: Loop, last: Ended | None) -> None:
        """Show how far a run is, or its end."""
        self._keep_unsaved(loop)
        if last is None or loop.own is None:
            self.tell_soon()
            return
        self._land(loop.own, last)
        if loop.outcome is None:
            return
        if loop.outcome.reason == "stopped" and loop.steps_done:
            self.run_stopped.emit(loop.own.agent.name, loop.steps_done, loop.own.place.group)
        elif (said := told_end(loop.own, loop.outcome)) is not None:
            self.wordless.emit(said)

    def _land(self, flight: RunningRequest, ended: Ended) -> None:
        """Make nodes of the answers of a request, or cards that say why there are none."""
        self.fleet.remove(flight)
        if not self.fleet:
            self._timer.stop()
        if ended.error is not None:
            for index, draft in flight.drafts.items():
                flight.drafts[index] = fail(draft, ended.error)
            if ended.error.code != "cancelled":
                self.failed_answers.keep_failed(flight, self.path)
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
        if flight.is_empty and not self.fleet.mates(flight):
            self.unanswered.emit(flight.tree.loom.id, flight.sources)
        why = self.failed_answers.keep_wordless(flight, self.path)
        if why is not None and ended.error is None:  # beside an error only its card tells it
            self.failed.emit(why)
        elif ended.error is None and (said := commands_of_trial(flight)) is not None:
            self.wordless.emit(said)
        self.tell_drafts()

    def _keep_unsaved(self, loop: Loop) -> None:
        """Keep on their cards the answers of a model that a run asked and that the file did not take."""
        if loop.unsaved is not None:
            unsaved, loop.unsaved = loop.unsaved, None
            self._keep(*unsaved)

    def _keep(self, flight: RunningRequest, why: LoomError) -> None:
        """Keep on their cards the answers that the file did not take."""
        with suppress(GroveError):  # who cannot tell keeps it: a retry looks again
            if is_landed(self._document, flight):
                return
        self.failed_answers.keep_unsaved(flight, why)
        self.failed.emit(why)

    def keep_spent(self, flight: RunningRequest, ended: Ended) -> None:
        """Keep what calls took that ended before their first word; a file that takes nothing has said so."""
        tree_id, model_ref = flight.tree.loom.id, flight.request.model_ref
        spent = (
            *wordless_calls(tree_id, model_ref, flight.drafts.values(), ended.evidence),
            *silent_calls(tree_id, model_ref, now(), ended.silent_calls),
        )
        with suppress(GroveError):
            keep_spent(self._document.grove, spent)

    def _read_again(self, flight: RunningRequest) -> None:
        """Read the text that was cut for answers whole again if none came."""
        place = flight.place
        if place.back is None or not flight.is_empty or self.fleet.mates(flight):
            return
        try:
            way = read_again(self._document, flight.tree, place.back, flight.ends, WHOLE_AGAIN)
            flight.place = replace(place, back=way)
        except LoomError as error:
            self.failed.emit(error)

    def _commit(self, flight: RunningRequest) -> None:
        follows = flight.place.follows and not self.fleet.is_another_read(flight)
        self.committing = flight.key
        try:
            change = land(self._document, flight, follows=follows, mates=self.fleet.mates(flight))
        finally:
            self.committing = ""
        if change is not None:
            self.committed.emit(change)


def open_question(document: Document, agent: Agent, sources: Sources) -> AskedQuestion:
    """Return what an agent is asked for continuations of some nodes of the open tree."""
    tree, at = document.tree, sources.primary_id
    selections = document.place.choices_reading(at)
    return AskedQuestion(
        agent,
        sources,
        defaults=document.context_defaults,
        media=document.media,
        suffix="" if sources.gap_id is None else suffix_of(tree, sources.gap_id),
        selections=selections,
        calls=document.calls.calls(document.context_defaults, document.path.nodes),
        now=document.calls.now,
        aware=aware_agent(agent, document.agents.by_id().values(), can_ask=True),
        estimator=document.counts.estimator(tree, at, selections, agent.model_ref),
    )
