"""The place of a run: the tree that it moves, by whom, and whom it can ask; in a grove, its commits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import field, replace
from functools import partial

from loomapp.core.context.awareness import AwareAgent
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.calls import Calls
from loomapp.core.edits.tree_edits import with_title
from loomapp.core.errors import GroveError
from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.generation.cost import Spent
from loomapp.core.generation.drafts import Draft
from loomapp.core.generation.provider import Request
from loomapp.core.json_values import Json
from loomapp.core.loom_commands.results import AskModel
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.content import Media
from loomapp.core.model.tree import Tree
from loomapp.core.prose.fill_in import anchor_at
from loomapp.core.sent.record import best_estimator
from loomapp.core.times import Milliseconds
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.runs.asked_model import AskedModel, JournalOf, Keeper
from loomapp.runs.events import Proposal
from loomapp.store.files.media import MediaFolder
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.search import is_in_other_tree
from loomapp.store.queries.usage import keep_spent


def no_journal(*_: object) -> AbstractContextManager[None]:
    return nullcontext()


def _nowhere(_: str) -> bool:
    return False


def _uncounted(_: tuple[Spent, ...]) -> None:
    return None


def _not_dear(_: AskModel) -> str:
    return ""


def _not_kept() -> bool:
    return False


def _as_it_is(question: AskedQuestion) -> AskedQuestion:
    return question


@dataclass(slots=True)
class RunPlace:
    """The place of a run; `tree` may be read anew meanwhile. `commit` moves the tree, and saves that where it
    is saved; `catch_up` brings what others did first. `model_of` tells how an agent is asked; it raises
    LoomError if it cannot be.

    `by` names in the history who had the agent asked; `spend` counts calls that no node rests on.
    `completed` adds to a question what is known here beside the tree, `propose` lets a person decide; also
    about asking others where `how_dear` gives words, which say what that may come to. `keeps_answers` keeps
    what a model wrote that a run asked, and that has no place in the tree any more, where no journal does;
    False if it does not. The path that is read goes on with an answer if it `follows`.
    """

    tree: Tree
    agents: Mapping[str, Agent]
    commit: Callable[[Agent, Change], None]
    catch_up: Callable[[], None]
    model_of: Callable[[Agent], AskedModel]
    now: Callable[[], Milliseconds]
    new_id: Callable[[], str]
    defaults: AppContextSettings = AppContextSettings()
    calls: Calls = field(default_factory=dict)
    media: Media | None = None
    is_elsewhere: Callable[[str], bool] = _nowhere
    journal_of: JournalOf = no_journal
    spend: Callable[[tuple[Spent, ...]], None] = _uncounted
    completed: Callable[[AskedQuestion], AskedQuestion] = _as_it_is
    propose: Callable[[Proposal], None] | None = None  # where a person can be asked
    how_dear: Callable[[AskModel], str] = _not_dear
    keeps_answers: Callable[[], bool] = _not_kept
    follows: bool = True

    def question(self, agent: Agent, sources: Sources, aware: AwareAgent | None = None) -> AskedQuestion:
        """The question of an agent that continues a node here."""
        return self.completed(
            AskedQuestion(
                agent,
                sources,
                defaults=self.defaults,
                media=self.media,
                calls=self.calls,
                now=self.now(),
                aware=aware,
            )
        )


def place_in(
    grove: Grove,
    tree: Tree,
    agents: Mapping[str, Agent],
    model_of: Callable[[Agent], AskedModel],
    *,
    defaults: AppContextSettings,
    calls: Calls,
    tell: Callable[[str], None],
    follows: bool = True,
) -> RunPlace:
    """The place of a run in a tree of a grove, which is open on the thread of the run. `tell` is given
    sentences about its journals.
    """
    part = _TreeOfGrove(grove, tree, tell, follows)
    return RunPlace(
        tree=tree,
        agents=agents,
        commit=part.commit,
        catch_up=part.catch_up,
        model_of=model_of,
        now=now,
        new_id=new_id,
        defaults=defaults,
        calls=calls,
        media=MediaFolder(grove.path),
        is_elsewhere=part.is_elsewhere,
        journal_of=part.journal_of,
        spend=part.spend,
        completed=part.with_estimator,
        follows=follows,
    )


@dataclass(frozen=True, slots=True)
class _TreeOfGrove:
    grove: Grove
    tree: Tree
    tell: Callable[[str], None]
    follows: bool

    def with_estimator(self, question: AskedQuestion) -> AskedQuestion:
        """A question with the best estimator of tokens for its path."""
        at, model_ref = question.sources.primary_id, question.agent.model_ref or ""
        evidence_of = partial(self.grove.evidence, self.tree.loom.id)
        return replace(question, estimator=best_estimator(self.tree, at, model_ref, evidence_of))

    def commit(self, agent: Agent, change: Change) -> None:
        """Save a change, and the agent with its first."""
        if self.grove.agent(agent.id) is None:
            self.grove.put_agent(agent)
        self.grove.commit(self.tree, with_title(self.tree, change))

    def catch_up(self) -> None:
        self.grove.catch_up(self.tree)

    def is_elsewhere(self, name: str) -> bool:
        """True for a node of another tree of the grove."""
        return is_in_other_tree(self.grove, name, self.tree.loom.id)

    def spend(self, spent: tuple[Spent, ...]) -> None:
        """Keep what calls took; no run fails if that can't be kept."""
        with suppress(GroveError):
            keep_spent(self.grove, spent)

    def journal_of(
        self, agent: Agent, at: str, request: Request, trace: Sequence[Json] | None
    ) -> AbstractContextManager[Keeper | None]:
        """The journal of one answer of the run, or of those that it has another model write."""
        about = CrashedRun(
            run_id="",  # the request gives it
            tree_id=self.tree.loom.id,
            sources=Sources(at),
            agent_id=agent.id,
            drafts=tuple(Draft(index) for index in range(request.n)),
            standing=anchor_at(self.tree, at),
            agent=agent,
            trace=trace,
            follows=self.follows and trace is not None,
        )
        return AnswerJournal(self.grove.path, about, request.record, self.tell)
