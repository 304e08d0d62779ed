"""Decisions about proposals: what an accepted one does, and how its agent hears of either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loomapp.core.context.awareness import recalling
from loomapp.core.dataclass import dataclass
from loomapp.core.edits.agent_memory import memory_of, recall, remember_actions, stashed_at
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput, StaleChange
from loomapp.core.loom_commands import trace
from loomapp.core.loom_commands.registry import understand
from loomapp.core.loom_commands.results import AskModel, CommandError, Edited
from loomapp.core.loom_commands.standpoint import Standpoint
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.text.command_lines import ARROW
from loomapp.runs.events import Proposal
from loomapp.runs.place import RunPlace

REFUSED = "✗ PERMISSION_DENIED: a person refused it"


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
    place: RunPlace, agent: Agent, proposals: Sequence[Proposal], *, is_accepted: bool
) -> Change | None:
    """The Change by which the agent remembers what was decided about proposals of one run, and hears of it in
    its next run. A refusal changes nothing that a person sees, so it is no step of undo.
    """
    pen = EditContext(agent.id, place.now(), place.new_id, "model", agent.name)
    decision = "accepted" if is_accepted else "refused"
    lines = [f"{trace.action(one.line, is_done=is_accepted)} ({decision} by a person)" for one in proposals]
    change = remember_actions(place.tree, agent.id, lines, pen)
    if change is None:
        return None
    return replace(change, action=proposals[0].action_id if is_accepted else "", undoable=is_accepted)
