"""A small tree for tests of commands, and an agent that stands in it."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.loom_commands.registry import run_command
from loomapp.core.loom_commands.results import AskModel, CommandError, Edited, Outcome, Switched
from loomapp.core.loom_commands.words import Standpoint
from loomapp.core.model.agent import Agent, Permissions
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from tests.kit.trees import counted_id
from tests.kit.written_trees import edge, node, tree

AT = 1_795_269_780_000  # 2026-11-21 14:03 UTC
CLAUDE = Agent("claude", "Claude", "model", "anthropic:c", loom_aware=True)
MARIE = Agent("marie", "Marie", "model", "local:m")


def garden() -> Tree:
    """A question, an answer and two ways on, one with a note."""
    nodes = [
        node("q1aaaa", "A question?", at=AT),
        replace(node("a7x2kq", "An answer.", "model", at=AT), author_agent_id="marie"),
        node("b3k9mm", "And then?", at=AT),
        node("c4m2t8", "Or so?", at=AT),
        node("n0te11", "A note.", at=AT),
    ]
    ways = [("a7x2kq", "q1aaaa"), ("b3k9mm", "a7x2kq"), ("c4m2t8", "a7x2kq")]
    edges = [edge(*way) for way in ways] + [edge("n0te11", "b3k9mm", kind="annotation")]
    subject = tree(nodes, edges)
    subject.path = ActivePath("c4m2t8")
    return subject


def standing(subject: Tree, at: str = "b3k9mm", permissions: Permissions | None = None) -> Standpoint:
    """Claude at a node of the tree, whose answer is to follow B3K9MM."""
    agent = CLAUDE if permissions is None else replace(CLAUDE, permissions=permissions)
    pen = EditContext(agent.id, AT + 1, counted_id, "model", "Claude")
    agents = {one.id: one for one in (agent, MARIE)}
    return Standpoint(
        subject, at, "b3k9mm", agent, pen, agents, lambda name: name == "X9X9X9", frozenset({"claude"})
    )


def outcome(line: str, place: Standpoint | None = None) -> Outcome | CommandError:
    """What comes of a line in a garden."""
    try:
        return run_command(line, place or standing(garden()))
    except CommandError as error:
        return error


def change_of(found: Outcome | CommandError) -> Change:
    """The change that a command makes."""
    assert isinstance(found, Edited), found
    assert found.change is not None
    return found.change


def carried_out(line: str, place: Standpoint) -> Standpoint:
    """Where the agent stands once a line is carried out, in a tree that was moved by it."""
    found = run_command(line, place)
    if isinstance(found, Edited):
        if found.change is not None:
            apply(place.tree, found.change)
        return replace(place, at=found.at or place.at)
    return replace(place, at=found.at) if isinstance(found, Switched | AskModel) else place
