"""The place of runs in the window: the open grove's trees, moved on the GUI thread as answers move them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from loomapp.core.context.awareness import aware_agent
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.generation.cost import Spent
from loomapp.core.generation.events import Provider
from loomapp.core.loom_commands.results import AskModel
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import provider_for, rules_for
from loomapp.providers.remote import Refusal
from loomapp.providers.run.run import Watchdog
from loomapp.runs.asked_model import AskedModel
from loomapp.runs.continuation import default_agent
from loomapp.runs.place import RunPlace
from loomapp.runs.proposal import Proposal
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.session.plan import Plan, estimate_of
from loomapp.session.requests.running_request import Fleet
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
