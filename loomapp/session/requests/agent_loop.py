"""Runs of loom-aware agents in the window: requests stream as others do, commands move the open trees."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol

from loomapp.core.context.awareness import aware_agent
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources, spoken_text
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.generation.cost import Spent
from loomapp.core.generation.drafts import Act, Draft, RunProgress, fail
from loomapp.core.generation.provider import Provider
from loomapp.core.loom_commands.results import AskModel
from loomapp.core.loom_commands.trace import WAITS, TraceEntry
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import Refusal, provider_for, rules_for
from loomapp.providers.run.run import Ended, Watchdog
from loomapp.runs.agent_run import AgentRun, LastAnswer
from loomapp.runs.asked_model import NO_ANSWERS, Answers, AskedModel, Pause, RunRequest, ended_answers
from loomapp.runs.continuation import default_agent
from loomapp.runs.events import CommandBegan, CommandEnded, Proposal, RunEvent, RunOutcome, StepBegan
from loomapp.runs.place import RunPlace
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.session.plan import Plan, estimate_of
from loomapp.session.requests.ended_answers import adrift
from loomapp.session.requests.running_request import Fleet, RunningRequest
from loomapp.store.identity import new_id, now
from loomapp.store.queries.search import is_in_other_tree
from loomapp.store.queries.usage import keep_spent

BY_AGENT = Initiator("agent")


class WindowPlace:
    """The tree that was open when it was made; `initiator` is told with each change."""

    def __init__(
        self, document: Document, engine: Engine, fleet: Fleet, propose: Callable[[Proposal], None]
    ) -> None:
        self._document, self._engine, self._fleet = document, engine, fleet
        self.initiator = BY_AGENT
        self.place = RunPlace(
            tree=document.tree,
            agents=document.agents.by_id(),
            commit=self._commit,
            catch_up=self._catch_up,
            model_of=self._model_of,
            now=now,
            new_id=new_id,
            defaults=document.context_defaults,
            calls=document.calls.calls(document.context_defaults, document.path.nodes),
            media=document.media,
            is_elsewhere=self._is_elsewhere,
            spend=self._spend,
            completed=self._completed,
            propose=propose,
            how_dear=self._how_dear,
        )

    @property
    def tree(self) -> Tree:
        return self.place.tree

    def _commit(self, _: Agent, change: Change) -> None:
        self._fleet.guard_prune(change)
        self._document.commit_to(self.tree, change, self.initiator, keeps_current=True)

    def _catch_up(self) -> None:
        self.place.agents = self._document.agents.by_id()
        with suppress(GroveError):  # what cannot be read cannot be written either, and is told of then
            if self.tree is self._document.tree:
                self._document.take_in()
            else:
                self._document.grove.catch_up(self.tree)

    def _model_of(self, agent: Agent) -> AskedModel:
        ref = agent.model_ref or ""
        provider: Provider
        try:
            provider = provider_for(ref, self._engine)
        except LoomError as error:
            provider = Refusal(error)  # it fails as it would have on its way
        return AskedModel(provider, rules_for(ref), _no_watchdog)

    def _how_dear(self, asks: AskModel) -> str:
        """Return what it may come to, if that is more than a person allows unasked; else nothing."""
        most, place = self._document.ask_above_tokens, self.place
        try:
            agent = place.agents.get(asks.agent_id or "") or default_agent(place, asks.at, frozenset())
            if asks.tokens is not None:
                room = replace(agent.configuration, max_tokens=asks.tokens)
                agent = replace(agent, configuration=room)
            question = place.question(agent, Sources(asks.at), aware_agent(agent, place.agents.values()))
            rules = rules_for(agent.model_ref or "")
            plan = Plan(question, rules, assembled_for(self.tree, question, rules))
        except LoomError:  # it is told when it is asked
            return ""
        tokens = estimate_of([plan], asks.count).most_tokens
        return "" if most is None or tokens <= most else f"up to {tokens:,} tokens"

    def _is_elsewhere(self, name: str) -> bool:
        return is_in_other_tree(self._document.grove, name, self.tree.loom.id)

    def _spend(self, spent: tuple[Spent, ...]) -> None:
        with suppress(GroveError):  # whether it is kept fails no run
            keep_spent(self._document.grove, spent)

    def _completed(self, question: AskedQuestion) -> AskedQuestion:
        """Add what is known of the tree in this window: the way that is read, and how its model counts."""
        document, tree, at = self._document, self.tree, question.sources.primary_id
        is_here = tree is document.tree
        selections = document.place.choices_reading(at) if is_here else None
        return replace(
            question,
            selections=selections,
            now=document.calls.now,
            estimator=document.counts.estimator(tree, at, selections, question.agent.model_ref),
        )


def _no_watchdog() -> Watchdog | None:
    """Return None: the window tells of silence, and whoever looks at it ends that."""
    return None


TURN_S = 0.012  # of the thread's own time, for commands before the window is let in between
FAULT = "The run ended because of a fault in Loomapp itself; the log has it. What was done stays."
ACTS: dict[str | None, Act] = {"loom_write": "writes", "doc_write": "writes", "loom_generate": "asks"}


class Fly(Protocol):
    """Begin a request of a run among those under way; it hangs on its sources."""

    def __call__(self, wanted: RunRequest, loop: AgentLoop) -> RunningRequest: ...


@dataclass(frozen=True, slots=True)
class RunSubject:
    """The agent that is to run, and where; `action` is what it belongs to."""

    agent: Agent
    sources: Sources
    action: str


class AgentLoop:
    """A run under way. Runs on the GUI thread; its requests are asked on worker threads, which know no tree.

    `own` is the request whose card stands for the run; while a model that it asks writes, that is `asked`.
    """

    def __init__(
        self, here: WindowPlace, fleet: Fleet, subject: RunSubject, refuse: Callable[[str], None]
    ) -> None:
        """`refuse` puts a proposal of the run away, once that is stopped."""
        self._here, self._fleet, self._refuse = here, fleet, refuse
        self._proposed: list[str] = []  # the ids of its proposals, decided or not
        if here.place.propose is not None:
            here.place.propose = partial(self._propose, here.place.propose)
        here.place.keeps_answers = self._keep_asked
        self._run = AgentRun(
            here.place,
            subject.agent,
            subject.sources,
            self._on_event,
            action_id=subject.action,
            land=self._take_last,
        )
        self._steps = self._run.steps()
        self._fly: Fly | None = None
        self.own: RunningRequest | None = None
        self.asked: RunningRequest | None = None
        self._last: LastAnswer | None = None
        self._answered: tuple[RunningRequest, Ended] | None = None  # what it carries out
        self.outcome: RunOutcome | None = None
        self.unsaved: tuple[RunningRequest, LoomError] | None = None  # answers that the file did not take
        self.progress = RunProgress(1, self._run.most_steps)
        self.steps_done = 0  # of which at least a command was carried out

    def begin(self, fly: Fly) -> RunningRequest:
        """Ask for the first step. Raises: LoomError if nothing can be sent."""
        self._fly = fly
        wanted = next(self._steps)
        assert isinstance(wanted, RunRequest), "nothing is carried out before the first answer"
        self.own = fly(wanted, self)
        return self.own

    def stopped(self, flight: RunningRequest) -> RunningRequest:
        """End the run if its own request is to be stopped; gives the request that writes just now."""
        if flight is not self.own:
            return flight
        self._run.stop()
        for proposal_id in self._proposed:
            self._refuse(proposal_id)
        return self.asked or flight

    @property
    def tree(self) -> Tree:
        return self._here.tree

    def has_proposed(self, proposal_id: str) -> bool:
        return proposal_id in self._proposed

    def hear(self, line: str, said: str, code: str | None) -> None:
        """Have the agent hear of a decision about a command with its next results; the card tells of it."""
        self._run.hear(line, said, code)
        lines = list(self.progress.lines)
        waits = (place for place, one in enumerate(lines) if one.line == line and one.result == WAITS)
        if (place := next(waits, None)) is not None:
            lines[place] = replace(lines[place], code=code, result=said)
            self.progress = replace(self.progress, lines=tuple(lines))
        if self.own is not None:
            self.own.trace = self._run.trace

    def follow(self, tree: Tree) -> None:
        """Follow the tree, which was read anew."""
        self._here.place.tree = tree

    @property
    def is_carrying_out(self) -> bool:
        """True while commands of an answer are to be carried out: see `carry_on`."""
        return self._answered is not None

    def go_on(self, flight: RunningRequest, ended: Ended) -> Ended | None:
        """Carry out what an answer says, as far as there is time in this turn, and ask again: None then, else
        the end of the whole run. Its own request has the last answer by then.
        """
        assert self.own is not None, "it has begun"
        drafts = [flight.drafts[index] for index in sorted(flight.drafts)]
        answers = ended_answers(drafts, ended)
        self._here.initiator = BY_AGENT if self.asked is None else Initiator("answer", self.asked.key)
        if flight is self.asked:
            flight.drafts = {draft.index: draft for draft in answers.drafts}
            flight.evidence = ended.evidence
        self._answered = flight, ended
        return self._carried_out(replace(answers, ids=dict(flight.ids)), most_s=TURN_S)

    def carry_on(self, *, most_s: float = TURN_S) -> Ended | None:
        """Carry out more of the commands for so many seconds of the thread's own time; comes to the same."""
        return self._carried_out(NO_ANSWERS, most_s=most_s)

    def _carried_out(self, answers: Answers, *, most_s: float) -> Ended | None:
        own, fly, answered = self.own, self._fly, self._answered
        assert own is not None, "it has begun"
        assert fly is not None, "it has begun"
        assert answered is not None, "there is an answer"
        until = time.thread_time() + most_s
        try:
            wanted = self._steps.send(answers)
            while isinstance(wanted, Pause):
                self.asked, self._here.initiator = None, BY_AGENT
                if time.thread_time() >= until:
                    return None
                wanted = self._steps.send(NO_ANSWERS)
        except StopIteration as end:
            self._answered = None
            outcome: RunOutcome = end.value
            self.outcome = outcome
            return self._ended(own, outcome.error)
        except LoomError as error:
            self._answered = None
            return self._broken(own, *answered, error)
        except Exception as error:  # told as every fault of ours is; the words stay, and the run is over
            self._answered = None
            sys.excepthook(type(error), error, error.__traceback__)
            return self._broken(own, *answered, LoomError(FAULT))
        finally:
            self.asked, self._here.initiator = None, BY_AGENT
        self._answered = None
        own.trace = self._run.trace
        self.progress = replace(self.progress, tokens=self._run.tokens)
        following = fly(wanted, self)
        if wanted.is_own:
            own.take_over(following)
            own.deadline = following.deadline
        else:
            own.drafts, self.asked = {0: Draft(0)}, following
            self._fleet.add(following)
        return None

    def _broken(self, own: RunningRequest, flight: RunningRequest, ended: Ended, error: LoomError) -> Ended:
        """End a run whose commands could not be carried out; the words that came just now are kept."""
        if flight is not own and not flight.is_empty:
            self.unsaved = flight, error
        elif flight is own and not own.is_empty:
            own.trace, draft = self._run.trace, replace(flight.drafts[0], reason=None)
            own.drafts = {0: fail(draft, error)}
            return Ended(ended.evidence, error)
        return self._ended(own, error)

    def _ended(self, own: RunningRequest, error: LoomError | None) -> Ended:
        """Give the run's own request the last answer, as far as it is for people."""
        last, own.trace = self._last, self._run.trace
        if last is None:
            draft = Draft(0)
            own.drafts = {0: draft if error is None else fail(draft, error)}
            return Ended((), error)
        own.trace, own.drafts = last.trace, {0: last.draft}
        own.request = replace(own.request, record=last.record)
        return Ended(last.evidence, error)

    def _keep_asked(self) -> bool:
        """Keep on their cards the answers of the model that was asked: they have no place in the tree."""
        if self.asked is None or self.asked.is_empty:
            return False
        self.unsaved = self.asked, adrift()
        return True

    def _take_last(self, answer: LastAnswer) -> str | None:
        self._last = answer
        assert self.own is not None, "it has begun"
        return self.own.ids.get(0) if spoken_text(answer.draft.text) else None

    def _propose(self, propose: Callable[[Proposal], None], proposal: Proposal) -> None:
        self._proposed.append(proposal.id)
        propose(proposal)

    def _on_event(self, event: RunEvent) -> None:
        progress = self.progress
        match event:
            case StepBegan(step):
                self.progress = replace(progress, step=step)
            case CommandBegan(_, line):
                self.progress = replace(progress, now=line)
            case CommandEnded():
                self.steps_done = event.step
                ended = TraceEntry(event.line, True, event.code, event.text, event.node_ids)
                at = next(iter(event.node_ids), progress.at)
                act: Act = ACTS.get(event.permission, "reads")
                lines = (*progress.lines, ended)
                self.progress = replace(progress, lines=lines, now="", at=at, act=act)
            case _:
                pass
