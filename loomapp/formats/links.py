"""Links between the messages of a file: by parent ids, in a row, or with alternatives beside each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text
from loomapp.core.times import Milliseconds
from loomapp.formats.conversation import (
    NO_EXTRA,
    Conversation,
    Message,
    nearest,
    parents_first,
    shown_id,
    sound_parents,
)
from loomapp.formats.foreign_values import id_of, list_of, made_id

ROOT = "root"


@dataclass(slots=True)
class Linked:
    """Messages in order, each after the one before it, under ids that can be shown; and their root.

    `names` are these ids by those of the file, also of what is no message: the nearest one above it.
    """

    messages: dict[str, Message]
    parents: dict[str, str | None]
    root_id: str
    root: Message | None
    names: Mapping[str, str]

    def current(self, key: str | None) -> str | None:
        """The message that the file names as the last one read, else its newest end."""
        found = self.names.get(key) if key is not None else None
        return found if found in self.messages else newest_leaf(self.messages, self.parents)

    def conversation(self, name: str, conversation_id: str, title: str, current: str | None) -> Conversation:
        """The conversation of these messages; what else is known of it is for the caller to set."""
        return Conversation(
            name,
            shown_id(conversation_id),
            title,
            self.messages,
            self.parents,
            self.root_id,
            self.current(current),
            root_extra=self.root.node_extra(name) if self.root is not None else NO_EXTRA,
        )


def newest_leaf(messages: Mapping[str, Message], parents: Mapping[str, str | None]) -> str | None:
    """Of messages that nothing continues the one that was made last; one that is hidden only if all are.
    Parents come before what follows them.
    """
    continued = set(parents.values())
    made: dict[str, Milliseconds] = {}
    pruned: set[str] = set()
    best: tuple[bool, Milliseconds, int] | None = None
    found = None
    for place, (key, message) in enumerate(messages.items()):
        above = parents[key]
        made[key] = message.at if message.at is not None else made.get(above, 0) if above is not None else 0
        if message.is_pruned or above in pruned:
            pruned.add(key)
        rank = key not in pruned and not message.is_excluded, made[key], place
        if key not in continued and (best is None or rank >= best):
            best, found = rank, key
    return found


def linked(
    entries: Mapping[str, Message | None],
    above: Mapping[str, str | None],
    *,
    listed: Mapping[str, Sequence[str]] | None = None,
    begins_empty: bool = False,
) -> Linked:
    """Link entries by the id of the one before each. An entry of None is no message; what follows it goes on
    from the nearest message above it.

    `listed` is the order of siblings that a parent names. With `begins_empty` the first entry that says
    nothing and continues nothing is the root of the tree and no message.
    """
    sound = sound_parents({key: above.get(key) for key in entries})
    order = [key for key in parents_first(sound, listed) if entries[key] is not None]
    parents = sound if len(order) == len(sound) else nearest(sound, dict.fromkeys(order))
    root = next((k for k in order if parents[k] is None), None) if begins_empty else None
    first = None if root is None else entries[root]
    if root is not None and _says_nothing(first):
        order.remove(root)
        parents = {k: None if parents[k] == root else parents[k] for k in order}
    else:
        root = first = None
    shown = _distinct(order)
    root_id = shown_id(root) if root is not None else _free(ROOT, shown.values())
    if root is not None and root_id in shown.values():
        root_id = _free(root_id, shown.values())
    messages = {shown[key]: message for key in order if (message := entries[key]) is not None}
    named = {shown[k]: shown[p] if (p := parents[k]) is not None else None for k in order}
    return Linked(messages, named, root_id, first, _names(sound, shown))


def _says_nothing(message: Message | None) -> bool:
    if message is None or message.is_excluded or message.is_pruned or message.is_bookmarked:
        return False
    return isinstance(message.content, Text) and not message.content.text


def _distinct(keys: Iterable[str]) -> dict[str, str]:
    """Ids that can be shown, by those of the file."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for key in keys:
        found[key] = _free(shown_id(key), taken)
        taken.add(found[key])
    return found


def _free(name: str, taken: Iterable[str]) -> str:
    there = taken if isinstance(taken, set) else set(taken)
    while name in there:
        name += "-"
    return name


def _names(sound: Mapping[str, str | None], shown: Mapping[str, str]) -> dict[str, str]:
    """The ids of messages by every id of the file, what is no message by the nearest message above it."""
    found: dict[str, str] = dict(shown)
    for start in sound:
        if start in found:
            continue
        trail: list[str] = []
        at: str | None = start
        while at is not None and at not in found:
            trail.append(at)
            at = sound[at]
        if at is not None:
            found.update(dict.fromkeys(trail, found[at]))
    return found


def named_parents(raw: Mapping[str, Json], parent: str, children: str) -> dict[str, str | None]:
    """The id of the one before each, as it names it; one without such a key follows who lists it."""
    named = {key: id_of(node.get(parent)) or None for key, node in raw.items()}
    silent = {key for key, node in raw.items() if parent not in node}
    if silent:
        for key, node in raw.items():
            for child in silent.intersection(map(id_of, list_of(node.get(children)))):
                named[child] = named[child] or key
    return named


def in_a_row(keys: Iterable[str]) -> dict[str, str | None]:
    """The id of the one before each, of messages that stand one after the other."""
    above: dict[str, str | None] = {}
    last: str | None = None
    for key in keys:
        above[key] = last
        last = key
    return above


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a flat chat: what may stand there, and which of it is gone on from."""

    options: Sequence[tuple[str, str]]  # who and what, for each alternative
    chosen: int
    message: Callable[[int], Message]


class PrefixTree:
    """Chats without ids as one tree: turns that say the same after the same are one node.

    The id of a node is made of all that was said up to it, so it is the same in every file that has it.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.entries: dict[str, Message | None] = {}
        self.above: dict[str, str | None] = {}

    def add(self, turns: Iterable[Turn]) -> str | None:
        """Add a chat; return the id of its last turn."""
        at: str | None = None
        for turn in turns:
            at = self._add(turn, at)
        return at

    def _add(self, turn: Turn, above: str | None) -> str | None:
        chosen = above
        for number, option in enumerate(turn.options):
            key = self.key(above, option)
            if key not in self.entries:
                self.entries[key] = turn.message(number)
                self.above[key] = above
            if number == turn.chosen:
                chosen = key
        return chosen

    def key(self, above: str | None, option: tuple[str, str]) -> str:
        """The id of what is said after a node."""
        return made_id(self._prefix, above, *option)
