"""The place of a run in a grove: what it commits, counts and journals there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import partial

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.economy.calls import Calls
from loomapp.core.edits.tree_titles import with_title
from loomapp.core.errors import GroveError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.generation.cost import Spent
from loomapp.core.generation.crashed_run import CrashedRun
from loomapp.core.generation.drafts import Draft
from loomapp.core.generation.request import Request
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.prose.answer_anchor import anchor_at
from loomapp.core.sent.record import best_estimator
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.runs.asked_model import AskedModel, Keeper
from loomapp.runs.place import RunPlace
from loomapp.store.files.media import MediaFolder
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.node_lookup import is_in_other_tree
from loomapp.store.queries.usage import keep_spent


def place_in(
    grove: Grove,
    tree: Tree,
    agents: Mapping[str, Agent],
    model_of: Callable[[Agent], AskedModel],
    *,
    defaults: AppContextSettings,
    calls: Calls,
    tell: Callable[[str], None],
) -> RunPlace:
    """The place of a run in a tree of a grove, which is open on the thread of the run. `tell` is given
    sentences about its journals.
    """
    part = _TreeOfGrove(grove, tree, tell)
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
    )


@dataclass(frozen=True, slots=True)
class _TreeOfGrove:
    grove: Grove
    tree: Tree
    tell: Callable[[str], None]

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
            follows=trace is not None,
        )
        return AnswerJournal(self.grove.path, about, request.record, self.tell)
