"""Proposals of agents in the open grove: commands that wait till a person accepts or refuses them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.loom_commands.results import AskModel, CommandError
from loomapp.core.model.agent import Agent
from loomapp.providers.engine.engine import Engine
from loomapp.runs.events import Proposal
from loomapp.session.document import Document
from loomapp.session.requests.running_request import Fleet, Loop

if TYPE_CHECKING:
    from loomapp.session.requests.agent_loop import WindowPlace

CHARACTERS_SHOWN = 160  # of a node that a proposal is about
KEY = "proposal:"  # before the id of a proposal: the key of its card


class Ask(Protocol):
    """Ask an agent for continuations as part of an action."""

    def __call__(self, agent: Agent, sources: Sources, count: int, action: str) -> None: ...


class Proposals(QObject):
    """Proposals that wait, in the order in which they were made. Runs on the GUI thread.

    Another tree refuses those of the one that is left; who quits finds them again.
    """

    changed = Signal()  # one came or went
    failed = Signal(object)  # LoomError: an accepted one could not be carried out

    def __init__(
        self, document: Document, engine: Engine, fleet: Fleet, ask: Ask, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document, self._engine, self._fleet, self._ask = document, engine, fleet, ask
        self._waiting: dict[str, Proposal] = {}
        self._to_accept: list[str] = []  # one in each turn of the event loop, so that the window stays free
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.setInterval(0)
        self._next.timeout.connect(self.on_next)
        self.are_kept = False  # also where their runs are stopped: the window is about to close
        document.leaving.connect(self.on_leaving)

    def place_here(self) -> WindowPlace:
        """Return the place of a run in the tree that is open; what it proposes waits here."""
        from loomapp.session.requests.agent_loop import WindowPlace  # late: it brings what runs need

        return WindowPlace(self._document, self._engine, self._fleet, self.add)

    @property
    def waiting(self) -> tuple[Proposal, ...]:
        return tuple(self._waiting.values())

    def in_tree(self, tree_id: str) -> tuple[Proposal, ...]:
        return tuple(one for one in self.waiting if one.tree_id == tree_id)

    def cards(self, tree_id: str) -> tuple[LiveDraft, ...]:
        """Return them as cards that hang on the nodes that they are about."""
        return tuple(
            LiveDraft(KEY + one.id, one.about, one.agent_id, Draft(0, self._shown(one)), proposal=one.name)
            for one in self.in_tree(tree_id)
        )

    def _shown(self, proposal: Proposal) -> str:
        """Return the words on a card: what it would write, else the node that it is about."""
        node = self._document.tree.nodes.get(proposal.about)
        return proposal.words or ("" if node is None else f"{node.local_id} “{node.text[:CHARACTERS_SHOWN]}”")

    def add(self, proposal: Proposal) -> None:
        self._waiting[proposal.id] = proposal
        self.changed.emit()

    def restore(self, proposals: Iterable[Proposal]) -> None:
        """Offer again what waited when the program ended."""
        for proposal in proposals:
            self._waiting.setdefault(proposal.id, proposal)
        if self._waiting:
            self.changed.emit()

    def accept(self, proposal_id: str) -> None:
        """Carry one out, as part of its run's action, and let its agent hear of it. It waits on where the
        file does not take it, or nobody can be asked just now.
        """
        proposal, document = self._waiting.get(proposal_id), self._document
        if proposal is None or proposal.tree_id != document.tree.loom.id:
            return
        agent = document.agents.by_id().get(proposal.agent_id)
        if agent is None:
            self._put_away(proposal)
            return
        from loomapp.runs.batch import accepted, recalled_reading

        place = self.place_here().place
        try:
            outcome = accepted(place, agent, proposal)
            said, asks, is_read, code = outcome.text, outcome.asks, outcome.is_read, None
            if asks is not None:
                self._ask_for(asks, agent, proposal)
        except CommandError as error:
            said, is_read, code = error.text, False, error.code
            self.failed.emit(LoomError(error.message))
        except LoomError as error:  # it waits on: what hinders it may end
            self.failed.emit(error)
            return
        self._put_away(proposal)
        if is_read and self._loop_of(proposal) is None:
            with suppress(LoomError, GroveError):  # it was allowed, whether there is room for it or not
                change = recalled_reading(place, agent, proposal, said)
                if change is not None:
                    place.commit(agent, change)
        self._tell([proposal], agent, said, code, is_accepted=True)

    def refuse(self, proposal_id: str) -> None:
        """Put one away, and let its agent hear of it."""
        proposal = self._waiting.get(proposal_id)
        if proposal is not None and not self.are_kept:
            self._refuse([proposal])

    def accept_all(self, tree_id: str) -> None:
        """Accept those that wait in a tree by now, one after the other."""
        self._to_accept += [one.id for one in self.in_tree(tree_id) if one.id not in self._to_accept]
        self._next.start()

    def refuse_all(self, tree_id: str) -> None:
        self._refuse(self.in_tree(tree_id))

    def close(self) -> None:
        """Keep what waits for the next start, also of runs that end now: the window closes."""
        self._accept_the_rest()
        self.are_kept = True

    def on_next(self) -> None:
        """Accept the next of those that are to be."""
        if self._to_accept:
            self.accept(self._to_accept.pop(0))
        if self._to_accept:
            self._next.start()

    def on_leaving(self) -> None:
        """Refuse what waits in the tree that is left, but for what is being accepted."""
        self._accept_the_rest()
        if self._document.has_tree:
            self.refuse_all(self._document.tree.loom.id)

    def _accept_the_rest(self) -> None:
        while self._to_accept:
            self.on_next()
        self._next.stop()

    def _refuse(self, refused: Sequence[Proposal]) -> None:
        """Put some away; each run's agent remembers them at once."""
        if not refused:
            return
        from loomapp.runs.batch import DENIED, REFUSED

        for proposal in refused:
            del self._waiting[proposal.id]
        self.changed.emit()
        agents = self._document.agents.by_id()
        for agent_id, action_id in dict.fromkeys((one.agent_id, one.action_id) for one in refused):
            of_run = [one for one in refused if (one.agent_id, one.action_id) == (agent_id, action_id)]
            if agent_id in agents:
                self._tell(of_run, agents[agent_id], REFUSED, DENIED, is_accepted=False)

    def _put_away(self, proposal: Proposal) -> None:
        del self._waiting[proposal.id]
        self.changed.emit()

    def _ask_for(self, asks: AskModel, agent: Agent, proposal: Proposal) -> None:
        from loomapp.runs.continuation import default_agent

        place = self.place_here().place
        if asks.agent_id:
            asked = place.agents[asks.agent_id]
        else:
            asked = default_agent(place, asks.at, frozenset({agent.id}))
        if asks.tokens is not None:
            asked = replace(asked, configuration=replace(asked.configuration, max_tokens=asks.tokens))
        self._ask(asked, Sources(asks.at), asks.count, proposal.action_id)

    def _loop_of(self, proposal: Proposal) -> Loop | None:
        """Return the run that made a proposal, while it goes on."""
        loops = (flight.loop for flight in self._fleet if flight.loop is not None)
        return next((loop for loop in loops if loop.has_proposed(proposal.id)), None)

    def _tell(
        self, decided: Sequence[Proposal], agent: Agent, said: str, code: str | None, *, is_accepted: bool
    ) -> None:
        """Let the agent hear of decisions: in the next step of its run, and in its next run."""
        from loomapp.runs.batch import remembered

        for proposal in decided:
            loop = self._loop_of(proposal)
            if loop is not None:
                loop.hear(proposal.line, said, code)
        document = self._document
        if decided[0].tree_id != document.tree.loom.id:
            return
        place = self.place_here().place
        with suppress(LoomError, GroveError):  # what was decided counts, whether it is remembered or not
            change = remembered(place, agent, decided, said, code, is_accepted=is_accepted)
            if change is not None:
                place.commit(agent, change)
