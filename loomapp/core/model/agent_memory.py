"""Operational memory of an agent in a tree: nodes pinned, texts stashed and recalled, its recent actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loomapp.core.model.entities import AgentMemory
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
