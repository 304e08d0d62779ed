"""Edits of an agent's operational memory: pinned, stashed, recalled and dropped, each as one Change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.model.agent_memory import MOST_RECENT, Memory, memory_of, stashed_at
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import AgentMemory
from loomapp.core.model.tree import Tree


def set_memory(tree: Tree, agent_id: str, memory: Memory, label: str, pen: EditContext) -> Change | None:
    """Give an agent another memory of a tree. None if it is the same."""
    before = tree.agent_memory.get(agent_id)
    if memory == memory_of(tree, agent_id):
        return None
    return change_of(tree, label, pen, (RowChange(before, AgentMemory(agent_id, memory.body)),))


def pin(tree: Tree, agent_id: str, node_id: str, pen: EditContext) -> Change | None:
    """Keep a node's words in the agent's context, wherever it stands."""
    memory = memory_of(tree, agent_id)
    if node_id in memory.pinned:
        return None
    return set_memory(tree, agent_id, replace(memory, pinned=(*memory.pinned, node_id)), "Pin", pen)


def stash(tree: Tree, agent_id: str, name: str, text: str, pen: EditContext) -> Change | None:
    """Put a text aside under a name, in place of what had that name."""
    memory = memory_of(tree, agent_id)
    known = memory.find(name)
    others = tuple(one for one in memory.stashed if one is not known)
    recalled = tuple(one for one in memory.recalled if known is None or one != known.name)
    stashed = (*others, stashed_at(name, text, pen.now))
    return set_memory(tree, agent_id, replace(memory, stashed=stashed, recalled=recalled), "Stash", pen)


def recall(tree: Tree, agent_id: str, memory: Memory, pen: EditContext) -> Change | None:
    """Have what was stashed in the context again; `memory` is with it, as far as there is room."""
    return set_memory(tree, agent_id, memory, "Recall", pen)


def drop_pin(tree: Tree, agent_id: str, node_id: str, pen: EditContext) -> Change | None:
    memory = memory_of(tree, agent_id)
    pinned = tuple(one for one in memory.pinned if one != node_id)
    return set_memory(tree, agent_id, replace(memory, pinned=pinned), "Unpin", pen)


def drop_stash(tree: Tree, agent_id: str, name: str, pen: EditContext) -> Change | None:
    """Forget what is stashed under a name."""
    memory = memory_of(tree, agent_id)
    known = memory.find(name)
    stashed = tuple(one for one in memory.stashed if one is not known)
    recalled = tuple(one for one in memory.recalled if known is None or one != known.name)
    return set_memory(tree, agent_id, replace(memory, stashed=stashed, recalled=recalled), "Drop", pen)


def remember_actions(tree: Tree, agent_id: str, lines: Sequence[str], pen: EditContext) -> Change | None:
    """Add lines to the recent actions, of which the newest stay."""
    memory = memory_of(tree, agent_id)
    recent = (*memory.recent, *lines)[-MOST_RECENT:]
    return set_memory(tree, agent_id, replace(memory, recent=recent), "Recent actions", pen)
