"""Operational memory of an agent in a tree: nodes pinned, texts stashed and recalled, each as one Change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import AgentMemory, Row
from loomapp.core.model.tree import Tree
from loomapp.core.times import Milliseconds, iso_time

MOST_RECENT = 10  # actions
KEYS = ("pinned", "stashed", "recalled", "recent")


@dataclass(frozen=True, slots=True)
class Stashed:
    """A text put aside under a name; `at` as it was saved."""

    name: str
    text: str
    at: str = ""


def stashed_at(name: str, text: str, at: Milliseconds) -> Stashed:
    return Stashed(name, text, iso_time(at))


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory that an agent has of a tree: ids of pinned nodes, what is stashed, the names of what of it
    is recalled, the longest ago first, and lines of the newest actions. `extra` are other programs' keys.
    """

    pinned: tuple[str, ...] = ()
    stashed: tuple[Stashed, ...] = ()
    recalled: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)

    def find(self, name: str) -> Stashed | None:
        """Find the text stashed under a name, in any case."""
        wanted = name.casefold()
        return next((one for one in self.stashed if one.name.casefold() == wanted), None)

    @property
    def put_away(self) -> tuple[Stashed, ...]:
        """The texts that are stashed and not recalled."""
        return tuple(one for one in self.stashed if one.name not in self.recalled)

    @property
    def body(self) -> Mapping[str, object]:
        """The Loom JSON keys of the row."""
        stashed = [{"name": one.name, "text": one.text, "at": one.at} for one in self.stashed]
        return {
            "pinned": list(self.pinned),
            "stashed": stashed,
            "recalled": list(self.recalled),
            "recent": list(self.recent),
            **self.extra,
        }


def memory_of(tree: Tree, agent_id: str) -> Memory:
    """The memory of an agent in a tree, empty if it has none. What a file holds of another kind is passed
    over: rows come from anywhere.
    """
    row = tree.agent_memory.get(agent_id)
    return Memory() if row is None else read_memory(row)


def text_key(tree_id: str, agent_id: str, name: str) -> str:
    """The key of words that are begun for a text in an agent's memory of a tree; no name: for a new text."""
    return f"{tree_id} {agent_id} {name}"


def text_of_key(tree: Tree, agent_ids: Iterable[str], key: str) -> tuple[str, str] | None:
    """The agent and the name that begun words are for, by their key. None if the tree knows no such text any
    more, or neither the tree nor these agents are whose it was.
    """
    for agent_id in dict.fromkeys((*agent_ids, *tree.agent_memory)):
        beginning = text_key(tree.loom.id, agent_id, "")
        name = key.removeprefix(beginning)
        if key.startswith(beginning) and (not name or memory_of(tree, agent_id).find(name) is not None):
            return agent_id, name
    return None


def read_memory(row: AgentMemory) -> Memory:
    """The memory that a row holds, likewise."""
    body = row.body
    stashed = (_stashed(one) for one in _listed(body.get("stashed")))
    return Memory(
        _texts(body.get("pinned")),
        tuple(one for one in stashed if one is not None),
        _texts(body.get("recalled")),
        _texts(body.get("recent")),
        {key: value for key, value in body.items() if key not in KEYS},
    )


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in _listed(value) if isinstance(one, str))


def _stashed(value: object) -> Stashed | None:
    match value:
        case {"name": str(name), "text": str(text), **others}:
            at = others.get("at")
            return Stashed(name, text, at if isinstance(at, str) else "")
        case _:
            return None


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


def put_away(tree: Tree, agent_id: str, name: str, pen: EditContext) -> Change | None:
    """Take what was recalled out of the context again; it stays stashed."""
    memory = memory_of(tree, agent_id)
    recalled = tuple(one for one in memory.recalled if one != name)
    return set_memory(tree, agent_id, replace(memory, recalled=recalled), "Put away", pen)


def rewrite_stash(
    tree: Tree, agent_id: str, old_name: str, name: str, text: str, pen: EditContext
) -> Change | None:
    """Give what is stashed under a name another text or name, in its place and as recalled as it was. It is
    stashed anew if it is not there; what had the new name goes.
    """
    memory = memory_of(tree, agent_id)
    old, other = memory.find(old_name), memory.find(name)
    if old is None:
        return stash(tree, agent_id, name, text, pen)
    if (old.name, old.text) == (name, text):
        return None
    given = stashed_at(name, text, pen.now)
    kept = (one for one in memory.stashed if one is old or one is not other)
    stashed = tuple(given if one is old else one for one in kept)
    gone = () if other is None or other is old else (other.name,)
    recalled = tuple(name if one == old.name else one for one in memory.recalled if one not in gone)
    changed = replace(memory, stashed=stashed, recalled=recalled)
    return set_memory(tree, agent_id, changed, "Change memory", pen)


def remember_actions(tree: Tree, agent_id: str, lines: Sequence[str], pen: EditContext) -> Change | None:
    """Add lines to the recent actions, of which the newest stay."""
    memory = memory_of(tree, agent_id)
    recent = (*memory.recent, *lines)[-MOST_RECENT:]
    return set_memory(tree, agent_id, replace(memory, recent=recent), "Recent actions", pen)


def with_recent_of_today(now: Row | None, row: RowChange) -> RowChange:
    """A row of an undo or redo that fits a memory as it is `now`, if an agent has noted actions since: these
    are no steps, and stay. A row that fits, and one that is not as expected otherwise, is left as it is.
    """
    if not isinstance(row.row, AgentMemory) or now == row.before:
        return row
    before, today, after = (_memory(one) for one in (row.before, now, row.after))
    if replace(today, recent=before.recent) != before:
        return row
    known = len(before.recent)
    is_longer = today.recent[:known] == before.recent
    recent = (*after.recent, *today.recent[known:])[-MOST_RECENT:] if is_longer else today.recent
    wanted = replace(after, recent=recent)
    return RowChange(now, None if wanted == Memory() else AgentMemory(row.row.agent_id, wanted.body))


def _memory(row: Row | None) -> Memory:
    return read_memory(row) if isinstance(row, AgentMemory) else Memory()
