"""Decisions about proposals: what an accepted one does, and how its agent hears of either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

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
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.text.command_lines import ARROW
from loomapp.runs.events import Proposal
from loomapp.runs.place import RunPlace

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
