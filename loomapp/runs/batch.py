"""A batch of command lines: carried out, committed, kept in the trace; decisions about what they propose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Final

from loomapp.core.context.awareness import recalling
from loomapp.core.dataclass import dataclass
from loomapp.core.edits.agent_memory import memory_of, recall, remember_actions, stashed_at
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput, StaleChange
from loomapp.core.json_values import Json
from loomapp.core.loom_commands import trace
from loomapp.core.loom_commands.registry import Needed, asks_first, denied, understand
from loomapp.core.loom_commands.results import AskModel, CommandError, Edited, Outcome, Switched
from loomapp.core.loom_commands.words import Standpoint
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.text.command_lines import ARROW
from loomapp.runs.asked_model import Asking, Pause, Steps
from loomapp.runs.continuation import RunWithin, continued
from loomapp.runs.events import CommandBegan, CommandEnded, Proposal, subject_of
from loomapp.runs.place import RunPlace

MOST_LINES = 50  # in a batch


@dataclass(slots=True)
class RunState:
    """The way of an agent through its run: where it stands, and what it did. `above` are the agents whose
    runs wait for this one.
    """

    place: RunPlace
    agent: Agent
    start: str
    action_id: str
    at: str
    run_within: RunWithin
    above: frozenset[str] = frozenset()
    trace: list[Json] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)  # the responses on which nodes rest
    decided: list[str] = field(default_factory=list)  # about proposals, to be told with the next results
    needed: Needed | None = None  # the permission that the last line takes, if it was understood

    @property
    def waiting(self) -> frozenset[str]:
        """The agents that a command may not ask: all whose runs wait for it."""
        return self.above | {self.agent.id}

    def standpoint(self) -> Standpoint:
        """The place where the next command begins. A node that is gone is left for the one before the run."""
        place = self.place
        if self.at not in place.tree.nodes:
            self.at = self.start
        pen = EditContext(self.agent.id, place.now(), place.new_id, "model", self.agent.name)
        known = place.agents.get(self.agent.id, self.agent)
        agent = replace(self.agent, permissions=known.permissions)  # as they are by now
        return Standpoint(
            place.tree, self.at, self.start, agent, pen, place.agents, place.is_elsewhere, self.waiting
        )

    def carry_out(
        self,
        lines: Iterable[str],
        response: Evidence | None,
        asking: Asking,
        step: int,
        tell: Callable[[CommandBegan | CommandEnded], None],
    ) -> Steps[str]:
        """Carry out command lines; comes to the results, each after its line. `response` holds the lines."""
        results: list[str] = []
        actions: list[str] = []
        for number, line in enumerate(lines):
            if number:
                yield Pause()
            if asking.is_stopped or asking.is_late:
                break
            results += self.decided
            self.decided.clear()
            tell(CommandBegan(step, line))
            code: str | None = None
            node_ids: tuple[str, ...] = ()
            self.needed = None
            try:
                if number >= MOST_LINES:
                    raise CommandError("LIMIT_EXCEEDED", f"more than {MOST_LINES} commands at once")
                text, node_ids = yield from self._done(line, response, asking)
            except CommandError as error:
                code, text = error.code, error.text
            self.trace.append(trace.done(line, text, code, node_ids, self.place.now()))
            is_proposed = text == trace.WAITS
            action = trace.waiting_action(line) if is_proposed else trace.action(line, is_done=code is None)
            actions.append(action)
            results.append(f"{line}\n{text}" if text else line)
            tell(CommandEnded(step, line, code, text, node_ids, self.needed))
        self._remember(actions)
        return "\n\n".join(results)

    def _done(
        self, line: str, response: Evidence | None, asking: Asking
    ) -> Steps[tuple[str, tuple[str, ...]]]:
        self.place.catch_up()
        if self.start not in self.place.tree.nodes:
            raise CommandError("CONFLICT", "the node that your answer continues is gone")
        standpoint = self.standpoint()
        command = understand(line, standpoint)
        self.needed = command.permission
        propose = self.place.propose
        if refusal := denied(standpoint, command.permission, can_ask=propose is not None):
            raise refusal
        found = command.carry_out(standpoint)
        dear = self.place.how_dear(found) if isinstance(found, AskModel) else ""
        if propose is not None and (dear or asks_first(standpoint, command.permission)):
            return self._proposed(line, command.name, found, response, propose, dear)
        match found:
            case AskModel():
                return (
                    yield from continued(
                        self.place, found, asking, self.waiting, self.action_id, self.run_within
                    )
                )
            case Switched(at, text):
                self.at = at
                return text, (at,)
            case Edited(change, text, node_ids, at):
                if change is not None:
                    resting = trace.resting_on(change, response, self.action_id)
                    self.commit(resting)
                    self.kept.update(one.id for one in resting.evidence)
                self.at = at or self.at
                return text, node_ids
            case _:
                return found.text, found.node_ids

    def _proposed(
        self,
        line: str,
        name: str,
        found: Outcome,
        response: Evidence | None,
        propose: Callable[[Proposal], None],
        dear: str,
    ) -> tuple[str, tuple[str, ...]]:
        """Let a person decide about a command that could be carried out; the run goes on meanwhile."""
        place = self.place
        about, text = subject_of(place.tree, found, self.at)
        ids = place.new_id(), place.tree.loom.id, self.agent.id, self.action_id
        propose(Proposal(*ids, line, name, self.at, self.start, about, text or dear, response))
        return trace.WAITS, (about,)

    def decide(self, line: str, said: str, code: str | None) -> None:
        """Have the agent hear of a decision about a proposal with the next results; its trace tells of it."""
        self.decided.append(f"{line}\n{said}")
        self.trace[:] = trace.decided(self.trace, line, said, code)

    def commit(self, change: Change) -> None:
        """Raises: CommandError CONFLICT if another was quicker, or the file does not take it."""
        try:
            self.place.commit(self.agent, change)
        except (StaleChange, InvalidInput) as error:
            raise CommandError("CONFLICT", error.message) from error

    def _remember(self, actions: list[str]) -> None:
        if not actions:
            return
        place = self.place
        pen = EditContext(self.agent.id, place.now(), place.new_id, "model", self.agent.name)
        change = remember_actions(place.tree, self.agent.id, actions, pen)
        if change is not None:
            with suppress(CommandError):  # what was done counts, whether it is remembered or not
                self.commit(replace(change, action=self.action_id))


DENIED: Final = "PERMISSION_DENIED"
REFUSED = f"✗ {DENIED}: a person refused it"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The outcome of an accepted proposal: what its agent is told, and models that are to be asked for it.
    `is_read` if what it is told is all that it does.
    """

    text: str
    asks: AskModel | None = None
    is_read: bool = False


def accepted(place: RunPlace, agent: Agent, proposal: Proposal) -> Accepted:
    """Carry out a proposal as part of its run's action. Raises: CommandError where it cannot be any more;
    LoomError if the file takes nothing.
    """
    place.catch_up()
    nodes = place.tree.nodes
    if proposal.at not in nodes or proposal.start not in nodes:
        raise CommandError("CONFLICT", "the node where it stood is gone")
    pen = EditContext(agent.id, place.now(), place.new_id, "model", agent.name)
    standpoint = Standpoint(
        place.tree,
        proposal.at,
        proposal.start,
        agent,
        pen,
        place.agents,
        place.is_elsewhere,
        frozenset({agent.id}),
    )
    outcome = understand(proposal.line, standpoint).carry_out(standpoint)
    match outcome:
        case AskModel():
            return Accepted("✓ asked", outcome)
        case Edited(change, text):
            if change is not None:
                try:
                    place.commit(agent, trace.resting_on(change, proposal.response, proposal.action_id))
                except (StaleChange, InvalidInput) as error:
                    raise CommandError("CONFLICT", error.message) from error
            return Accepted(text)
        case _:
            return Accepted(outcome.text, is_read=True)


def recalled_reading(place: RunPlace, agent: Agent, proposal: Proposal, text: str) -> Change | None:
    """The Change by which the agent has in its next run what it was allowed to read after this one ended: as
    a recalled text of its memory, named by its command. None if there is no room for it.
    """
    pen = EditContext(agent.id, place.now(), place.new_id, "model", agent.name)
    name, tree = proposal.line.removeprefix(ARROW), place.tree
    known = memory_of(tree, agent.id)
    others = tuple(one for one in known.stashed if one.name != name)
    memory = recalling(tree, replace(known, stashed=(*others, stashed_at(name, text, pen.now))), name)
    change = None if memory is None else recall(tree, agent.id, memory, pen)
    return None if change is None else replace(change, action=proposal.action_id)


def remembered(
    place: RunPlace,
    agent: Agent,
    proposals: Sequence[Proposal],
    said: str,
    code: str | None,
    *,
    is_accepted: bool,
) -> Change | None:
    """The Change by which the agent remembers what was decided about proposals of one run, and hears of it in
    its next run; the trace of a run that is over tells of it too. A refusal is no step of undo.
    """
    pen = EditContext(agent.id, place.now(), place.new_id, "model", agent.name)
    decision = "accepted" if is_accepted else "refused"
    lines = [f"{trace.action(one.line, is_done=is_accepted)} ({decision} by a person)" for one in proposals]
    change = remember_actions(place.tree, agent.id, lines, pen)
    if change is None:
        return None
    rows = (*change.rows, *_told_in_traces(place.tree, proposals, said, code))
    action = proposals[0].action_id if is_accepted else ""
    return replace(change, rows=rows, action=action, undoable=is_accepted)


def _told_in_traces(
    tree: Tree, proposals: Sequence[Proposal], said: str, code: str | None
) -> Iterator[RowChange]:
    """Rows of the answers of runs that are over, in whose traces the proposals wait as yet."""
    answers: dict[str, Node] = {}
    for one in proposals:
        for node_id in tree.children(one.start):
            node = answers.get(node_id, tree.nodes[node_id])
            is_theirs = node.author_agent_id == one.agent_id
            found = trace.decided_node(node, one.line, said, code) if is_theirs else None
            if found is not None:
                answers[node_id] = found
                break
    yield from (RowChange(tree.nodes[node_id], node) for node_id, node in answers.items())
