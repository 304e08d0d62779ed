"""The run of a loom-aware agent in the window: its requests stream as others do, commands move the tree."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources, spoken_text
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.generation.cost import Spent
from loomapp.core.generation.drafts import Draft, fail
from loomapp.core.generation.events import Provider
from loomapp.core.generation.run_progress import Act, RunProgress
from loomapp.core.loom_commands.trace import TraceEntry
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import provider_for, rules_for
from loomapp.providers.remote import Refusal
from loomapp.providers.run.run import Ended, Watchdog
from loomapp.runs.agent_run import AgentRun, LastAnswer
from loomapp.runs.asked_model import AskedModel, RunRequest, ended_answers
from loomapp.runs.events import CommandBegan, CommandEnded, RunEvent, RunOutcome, StepBegan
from loomapp.runs.place import RunPlace
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.session.requests.running_request import Fleet, RunningRequest
from loomapp.store.identity import new_id, now
from loomapp.store.queries.usage import keep_spent

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

    def __init__(self, document: Document, engine: Engine, fleet: Fleet, subject: RunSubject) -> None:
        self._document, self._engine, self._fleet = document, engine, fleet
        self._place = self._made_place()
        self._run = AgentRun(
            self._place,
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
        self.outcome: RunOutcome | None = None
        self.unsaved: tuple[RunningRequest, LoomError] | None = None  # answers that the file did not take
        self.progress = RunProgress(1, self._run.most_steps)

    def begin(self, fly: Fly) -> RunningRequest:
        """Ask for the first step. Raises: LoomError if nothing can be sent."""
        self._fly = fly
        wanted = next(self._steps)
        self.own = fly(wanted, self)
        return self.own

    def stopped(self, flight: RunningRequest) -> RunningRequest:
        """End the run if its own request is to be stopped; gives the request that writes just now."""
        if flight is not self.own:
            return flight
        self._run.stop()
        return self.asked or flight

    @property
    def tree(self) -> Tree:
        """The tree that it moves."""
        return self._place.tree

    def follow(self, tree: Tree) -> None:
        """Follow the tree, which was read anew."""
        self._place.tree = tree

    def go_on(self, flight: RunningRequest, ended: Ended) -> Ended | None:
        """Carry out what an answer says, and ask again: None then, else the end of the whole run. Its own
        request has the last answer by then.
        """
        own = self.own
        assert own is not None, "it has begun"
        assert self._fly is not None, "it has begun"
        drafts = [flight.drafts[index] for index in sorted(flight.drafts)]
        answers = ended_answers(drafts, ended)
        if flight is self.asked:
            flight.drafts = {draft.index: draft for draft in answers.drafts}
            flight.evidence = ended.evidence
        try:
            wanted = self._steps.send(replace(answers, ids=dict(flight.ids)))
        except StopIteration as end:
            outcome: RunOutcome = end.value
            self.outcome = outcome
            return self._ended(own, outcome.error)
        except LoomError as error:
            is_lost = flight is self.asked and not flight.is_empty
            self.unsaved = (flight, error) if is_lost else None
            return self._ended(own, error)
        finally:
            self.asked = None
        own.trace, own.drafts = self._run.trace, {0: Draft(0)}
        self.progress = replace(self.progress, tokens=self._run.tokens)
        following = self._fly(wanted, self)
        if wanted.is_own:
            own.take_over(following)
        else:
            self.asked = following
            self._fleet.add(following)
        return None

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

    def _take_last(self, answer: LastAnswer) -> str | None:
        self._last = answer
        assert self.own is not None, "it has begun"
        return self.own.ids.get(0) if spoken_text(answer.draft.text) else None

    # What the run asks of the place where it is

    def _made_place(self) -> RunPlace:
        document = self._document
        return RunPlace(
            tree=document.tree,
            agents=document.agents.by_id(),
            commit=self._commit,
            catch_up=self._catch_up,
            model_of=self._model_of,
            now=now,
            new_id=new_id,
            defaults=document.context_defaults,
            calls=document.calls.calls(document.context_defaults),
            media=document.media,
            is_elsewhere=self._is_elsewhere,
            spend=self._spend,
            completed=self._completed,
        )

    def _commit(self, _: Agent, change: Change) -> None:
        asked = self.asked
        initiator = Initiator("agent") if asked is None else Initiator("answer", asked.key)
        self._document.commit_to(self._place.tree, change, initiator, keeps_current=True)

    def _catch_up(self) -> None:
        with suppress(GroveError):  # what cannot be read cannot be written either, and is told of then
            if self._place.tree is self._document.tree:
                self._document.take_in()
            else:
                self._document.grove.catch_up(self._place.tree)

    def _model_of(self, agent: Agent) -> AskedModel:
        ref = agent.model_ref or ""
        provider: Provider
        try:
            provider = provider_for(ref, self._engine)
        except LoomError as error:
            provider = Refusal(error)  # it fails as it would have on its way
        return AskedModel(provider, rules_for(ref), _no_watchdog)

    def _is_elsewhere(self, name: str) -> bool:
        grove, here = self._document.grove, self._place.tree.loom.id
        others = (row.id for row in grove.known_trees() if row.id != here)
        return any(name in (grove.node_ids(tree_id) or ()) for tree_id in others)

    def _spend(self, spent: tuple[Spent, ...]) -> None:
        with suppress(GroveError):  # whether it is kept fails no run
            keep_spent(self._document.grove, spent)

    def _completed(self, question: AskedQuestion) -> AskedQuestion:
        """Add what is known of the tree in this window: the way that is read, and how its model counts."""
        document, tree, at = self._document, self._place.tree, question.sources.primary_id
        is_here = tree is document.tree
        selections = document.place.choices_reading(at) if is_here else None
        return replace(
            question,
            selections=selections,
            now=document.calls.now,
            estimator=document.counts.estimator(tree, at, selections, question.agent.model_ref),
        )

    def _on_event(self, event: RunEvent) -> None:
        progress = self.progress
        match event:
            case StepBegan(step):
                self.progress = replace(progress, step=step)
            case CommandBegan(_, line):
                self.progress = replace(progress, now=line)
            case CommandEnded():
                ended = TraceEntry(event.line, True, event.code, event.text, event.node_ids)
                at = next(iter(event.node_ids), progress.at)
                act: Act = ACTS.get(event.permission, "reads")
                lines = (*progress.lines, ended)
                self.progress = replace(progress, lines=lines, now="", at=at, act=act)
            case _:
                pass


def _no_watchdog() -> Watchdog | None:
    """Return None: the window tells of silence, and whoever looks at it ends that."""
    return None
