"""The place of a run: the tree that it moves, by whom it is done, and whom it can ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from loomapp.core.context.awareness import AwareAgent
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.economy.calls import Calls
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.generation.cost import Spent
from loomapp.core.loom_commands.results import AskModel
from loomapp.core.media import Media
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.times import Milliseconds
from loomapp.runs.asked_model import AskedModel, JournalOf
from loomapp.runs.proposal import Proposal


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
    False if it does not.
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
