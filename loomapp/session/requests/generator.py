"""Generation: asks models for continuations, asks again, and stops; what comes is among the open answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from loomapp.core.context.awareness import aware_agent
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.drafts import Draft, LiveDraft, fail
from loomapp.core.generation.provider import Provider, ProviderError, Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.sent.trial import Trial
from loomapp.providers.engine.engine import Engine
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.registry import Refusal, provider_for, rules_for, silence_s
from loomapp.providers.run.fan_out import Room, start
from loomapp.providers.run.run import REMOTE_S, Ended
from loomapp.runs.asked_model import RunRequest
from loomapp.session.background.background_work import HeadStart
from loomapp.session.document import Document
from loomapp.session.local_engine import EngineWatch
from loomapp.session.plan import (
    Outcomes,
    Plan,
    estimate_of,
    left_out,
    outcomes_of,
    planned,
    plans_of,
    refuse_large,
    refuse_over_limit,
    tried,
)
from loomapp.session.requests.ended_answers import adrift, stand_as_asked
from loomapp.session.requests.one_liners import OneLiners
from loomapp.session.requests.open_answers import OpenAnswers, open_question
from loomapp.session.requests.open_summaries import SummaryCandidates
from loomapp.session.requests.proposals import Proposals
from loomapp.session.requests.running_request import RUN, Patience, Place, RunningRequest
from loomapp.session.requests.summariser import Summariser
from loomapp.store.identity import new_id

if TYPE_CHECKING:
    from loomapp.session.requests.agent_loop import AgentLoop


class Generator(QObject):
    """Continuations in the open tree. Runs on the GUI thread."""

    started = Signal()  # something new is asked for: what failed before is over
    not_asked = Signal(object, object)  # Agent, LoomError: nothing can be sent to it; the others are asked

    def __init__(self, document: Document, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.engine = engine
        self.engine_watch = EngineWatch(engine, self)
        self.answers = OpenAnswers(document, self)
        self.summaries = Summariser(document, engine, self)
        self.proposals = Proposals(document, engine, self.answers.fleet, self._ask_beside, self)
        self.candidates = SummaryCandidates(self.summaries, self)
        self.one_liners = OneLiners(document, engine, self)
        self._numbers = count(1)
        self._asked_last: tuple[str, ...] = ()

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

        Raises: AssemblyError if nothing can be sent to any of them; OverLimit if it is too much, unless
        `over_limit` allows that; LargeAsk if all of it may come to more than `ask_above` tokens. Nothing is
        started then. An agent that can't be reached fails alone, on its card.
        """
        outcomes = self._outcomes(sources, agents)
        place = Place(action, is_read=True, follows=follows, back=back)
        self._start(plans_of(outcomes), sources, number, place, over_limit=over_limit, ask_above=ask_above)
        for agent, why in left_out(outcomes):
            self.not_asked.emit(agent, why)

    def plans(self, sources: Sources, agents: Sequence[Agent] = ()) -> list[Plan]:
        """Plan what is sent to each agent to which anything can be. Raises: LoomError if that is none."""
        return plans_of(self._outcomes(sources, agents))

    def _outcomes(self, sources: Sources, agents: Sequence[Agent]) -> Outcomes:
        document = self._document
        document.calls.settle(document.context_defaults)
        asked = tuple(agents) or document.agents.asked()
        return outcomes_of(document.tree, [open_question(document, a, sources) for a in asked], document)

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
        self._document.calls.settle(self._document.context_defaults)
        document, counts = self._document, self._document.counts
        plans = [
            tried(tree, open_question(document, agent, sources), trial, counts) for agent, trial in trials
        ]
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
        if not over_limit:
            refuse_over_limit(plans)
        if ask_above is not None:
            refuse_large(estimate_of(plans, number), ask_above)
        asked = {(plan.question.agent.id, plan.variant) for plan in plans}
        self.answers.failed_answers.asked_again(sources.primary_id, asked, self.answers.path)
        place = replace(place, group=place.group or new_id())
        places = [replace(place, is_read=index == 0) for index in range(len(plans))]
        self._asked_last = tuple(
            key
            for plan, its_place in zip(plans, places, strict=True)
            for key in self._ask(plan, sources, number, its_place)
        )
        stand_as_asked([flight for flight in self.answers.fleet if flight.key in self._asked_last])
        self.started.emit()
        self.answers.tell_soon()

    def retry(self, key: str, *, follows: bool = True) -> None:
        """Ask again: for what failed, as many continuations of the same node by the same agent, with which
        the path goes on unless it is not to follow; for what is silent, in its stead; for what is to be tried
        again in a while, now. Or save again.

        Raises: GroveError if what was to be saved still cannot be.
        """
        flight = self.answers.fleet.of_draft(key)
        if flight is not None:
            self._retry_waiting(flight, int(key.rpartition(":")[2]))
            return
        unsaved = self.answers.failed_answers.unsaved_flight(key)
        if unsaved is not None:
            self.answers.save(unsaved)
            return
        flight = self.answers.failed_answers.failed_flight(key)
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
            self.start(self._sources(flight), number, agents=(agent,), follows=follows, back=back)

    def _retry_waiting(self, flight: RunningRequest, index: int) -> None:
        wait = flight.drafts[index].waits
        if wait is None:
            return  # it has come to life meanwhile
        if wait.again_in_s is not None:
            flight.run.hurry(index)
            return
        if flight.is_adrift:
            raise adrift()
        if flight.loop is not None:
            self._ask_step_again(flight, index)
            return
        silent = [i for i, draft in flight.drafts.items() if draft.waits is not None and not draft.ended]
        document, tree, place, trial = self._document, self._document.tree, flight.place, flight.trial
        agent = document.agents.by_id().get(flight.agent.id, flight.agent)
        sources = self._sources(flight) if trial is None else flight.sources
        follows = place.follows and (trial is None or self._is_read(flight))
        asked = open_question(document, agent, sources)
        plan = planned(tree, asked, document) if trial is None else tried(tree, asked, trial, document.counts)
        # What is asked instead of the choice that is read is what will be read.
        is_read = place.is_read and flight.read_index in silent
        flight.place = replace(place, is_read=place.is_read and not is_read)
        request = plan.request(tree, len(silent))
        ids = [flight.ids[number] for number in silent]  # what is written behind the silent ones waits on
        behind = [node_id for number, node_id in flight.ids.items() if number > silent[-1]]
        flight.ids = {**flight.ids, **{number: new_id() for number in silent}}
        place = replace(place, is_read=is_read, follows=follows, later=(*behind, *place.later))
        self._fly(plan, sources, request, place, ids)
        for number in silent:
            self.stop(f"{flight.key}:{number}")
        self.started.emit()
        self.answers.tell_drafts()

    def _ask_step_again(self, flight: RunningRequest, index: int) -> None:
        """Ask for a silent step of a run in its stead; what came of one is kept, and another run begins."""
        if flight.has_words:
            self.stop(f"{flight.key}:{index}")
            if flight.trace is not None and flight not in self.answers.fleet:
                self.start(self._sources(flight), 1, agents=(flight.agent,), follows=flight.place.follows)
            return
        request, old, rules = flight.request, flight.run, rules_for(flight.request.model_ref)
        again = self._flight(request, flight.agent, flight.sources, rules, flight.place, flight.tree)
        flight.take_over(again)
        old.stop(_cancelled())
        for ended in [event for event in old.drain() if isinstance(event, Ended)]:
            self.answers.keep_spent(flight, ended)
        self.answers.tell_drafts()

    def stop(self, key: str) -> None:
        """Stop one choice; its text so far becomes a node when its request ends."""
        flight = self.answers.fleet.of_draft(key)
        assert flight is not None, "only what streams can be stopped"
        index = int(key.rpartition(":")[2])
        flight.drafts[index] = fail(flight.drafts[index], _cancelled())
        self.answers.tell_grown([flight.live_draft(index, self.answers.path)])
        if all(draft.ended for draft in flight.drafts.values()):
            self.answers.stop(flight)
        else:
            flight.run.stop_choice(index)

    def stop_request(self, key: str) -> None:
        """Stop all choices of a request, given one of them: their texts so far become nodes at once."""
        flight = self.answers.fleet.of_draft(key)
        if flight is not None:
            self.answers.stop(flight)

    def stop_path(self, tree_id: str, node_ids: Collection[str], *, keeps_chosen: bool = False) -> None:
        """Stop what streams under the nodes of a path. With `keeps_chosen` a node that was selected since
        that was asked, be it the very one that it continues, stays the current one.
        """
        flights = [
            flight for flight in self.answers.fleet.in_tree(tree_id) if flight.above(node_ids) in node_ids
        ]
        for flight in flights:
            was_chosen = self._document.place.times_chosen != flight.times_chosen
            flight.keeps_current = keeps_chosen and was_chosen
        self.answers.stop_several(flights)

    def stop_all(self, *, keeps_proposals: bool = False) -> None:
        """Stop everything. What runs proposed is refused, or waits on, for the next start."""
        self.proposals.are_kept = keeps_proposals
        self.answers.stop_all()
        self.proposals.are_kept = False

    def close(self) -> None:
        """Stop everything and the timer: the window closes. Text so far is kept as interrupted nodes."""
        for part in (self.summaries, self.one_liners):
            part.close()
        self.proposals.close()
        self.answers.close()
        self.engine_watch.stop()
        self.engine.close()

    def cut_again(self, key: str) -> str:
        """The node at which the text was cut for what failed, if it reads still as it was read again then:
        a retry cuts it there once more. "" elsewhere.
        """
        failed = self.answers.failed_answers.failed_flight(key)
        back = None if failed is None else failed.place.back
        if failed is None or back is None or back != self._document.tree.path:
            return ""
        return failed.above(self.answers.path)

    def is_streaming(self) -> bool:
        return self.answers.is_streaming()

    def drafts(self, tree_id: str) -> tuple[LiveDraft, ...]:
        """Return the drafts that stream or failed in a tree, in the order they were asked for."""
        return self.answers.drafts(tree_id)

    def cards(self, tree_id: str) -> tuple[LiveDraft, ...]:
        """Return those drafts, and the proposals of agents that wait in a tree."""
        return (*self.drafts(tree_id), *self.proposals.cards(tree_id))

    def asked_last(self) -> tuple[str, ...]:
        """The keys of the requests that were made together last; a draft's key begins with its request's."""
        return self._asked_last

    def _sources(self, flight: RunningRequest) -> Sources:
        """Return the sources of a request now: of a node that was edited since, the version that is read."""
        return replace(flight.sources, primary_id=flight.above(self.answers.path))

    def _is_read(self, flight: RunningRequest) -> bool:
        """Tell whether a trial goes on from a node that is read: the same is sent again, and hangs on the
        node it was asked of, if that was edited since.
        """
        return flight.above(self.answers.path) == flight.sources.primary_id

    def _ask(self, plan: Plan, sources: Sources, number: int, place: Place) -> list[str]:
        """Ask for one plan; the keys of its requests. One that sees the tree has a run for each answer."""
        agent, tree = plan.question.agent, self._document.tree
        if plan.trial is not None or aware_agent(agent, ()) is None or tree.loom.mode == "buffer":
            return [self._fly(plan, sources, plan.request(tree, number), place)]
        from loomapp.session.requests.agent_loop import AgentLoop, RunSubject  # late: few agents see the tree

        keys = []
        for index in range(number):
            subject = RunSubject(agent, sources, place.group)
            proposals = self.proposals
            loop = AgentLoop(proposals.place_here(), self.answers.fleet, subject, proposals.refuse)
            own = loop.begin(partial(self._fly_step, replace(place, is_read=place.is_read and index == 0)))
            self.answers.begin(own)
            keys.append(own.key)
        return keys

    def _ask_beside(self, agent: Agent, sources: Sources, count: int, action: str) -> None:
        """Ask for continuations that an agent proposed; the path stays where it is."""
        self.start(sources, count, agents=(agent,), follows=False, action=action)

    def _fly_step(self, place: Place, wanted: RunRequest, loop: AgentLoop) -> RunningRequest:
        """Ask for one answer of a run: the agent's own, or one of a model that it asks."""
        if not wanted.is_own:
            place = Place(place.group, is_read=False, follows=False)
        flight = self._flight(
            wanted.request, wanted.agent, wanted.sources, wanted.model.rules, place, loop.tree
        )
        flight.loop, flight.trace, flight.deadline = loop, wanted.trace, wanted.deadline
        return flight

    def _fly(
        self, plan: Plan, sources: Sources, request: Request, place: Place, ids: Sequence[str] = ()
    ) -> str:
        """Ask for one plan; the key of its flight. The ids of its nodes are these, and new ones."""
        tree, agent = self._document.tree, plan.question.agent
        flight = self._flight(request, agent, sources, plan.rules, place, tree, ids, trial=plan.trial)
        if plan.trial is not None and agent.loom_aware and tree.loom.mode == "dialogue":
            flight.trace = ()  # as of a run without commands: only the words for people become a node
        self.answers.begin(flight)
        return flight.key

    def _flight(
        self,
        request: Request,
        agent: Agent,
        sources: Sources,
        rules: ModelRules,
        place: Place,
        tree: Tree,
        ids: Sequence[str] = (),
        *,
        trial: Trial | None = None,
    ) -> RunningRequest:
        key = f"{RUN}{next(self._numbers)}"
        provider: Provider
        patience = Patience(request.n, REMOTE_S)
        try:
            patience = Patience(request.n, silence_s(request.model_ref))
            provider = provider_for(request.model_ref, self.engine)
        except LoomError as error:
            provider = Refusal(error)  # it fails as it would have on its way: alone, and on its card
        run = start(
            request,
            HeadStart(provider, self.answers.showing.shown),
            room=Room(rules.max_choices, rules.caches),
            new_id=new_id,
        )
        drafts = {index: Draft(index) for index in range(request.n)}
        return RunningRequest(
            key, tree, sources, agent, request, run, drafts, place, patience, self._document.current_id,
            trial=trial, ids=dict(zip(drafts, chain(ids, iter(new_id, "")), strict=False)),
            times_chosen=self._document.place.times_chosen,
        )  # fmt: skip


def _cancelled() -> ProviderError:
    return ProviderError("cancelled", "Stopped.")
