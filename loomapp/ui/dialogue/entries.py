"""What the dialogue shows of a path: one entry a message, with its siblings and what streams beside it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loomapp.core import paths, tokens
from loomapp.core.content import Content, Document, Image, Mixed, Text, ToolResult, ToolUse
from loomapp.core.generation import Draft, LiveDraft
from loomapp.core.tree import Agent, Node, Tree

MOST_OPTIONS = 7  # rows under a message; more are reached by the pager


@dataclass(frozen=True, slots=True)
class Option:
    """Another way to go on than the one shown: a sibling or a draft. `number` counts from 1."""

    key: str
    number: int
    count: int
    text: str
    agent: Agent | None
    is_draft: bool = False
    grows: bool = False
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as it is shown; `node` or `draft` says what it is. `key` is a node id or a draft's key."""

    key: str
    text: str
    agent: Agent | None
    node: Node | None = None
    draft: Draft | None = None
    number: int = 1
    before: str | None = None
    after: str | None = None
    count: int = 1
    fate: str = "sent"
    notes: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()

    @property
    def is_human(self) -> bool:
        """True for the writer's own words."""
        return self.node is not None and self.node.author_type == "human"

    @property
    def tokens(self) -> int:
        """An estimate of its size, for chips."""
        return tokens.estimate(self.text.strip())

    @property
    def grows(self) -> bool:
        """True while more text may come."""
        return self.draft is not None and not self.draft.ended


class Script:
    """The entries of one path, made when they are asked for. Reads the tree, never changes it."""

    def __init__(
        self,
        tree: Tree,
        node_ids: Iterable[str],
        agents: Mapping[str, Agent],
        fates: Mapping[str, str],
        drafts: Iterable[LiveDraft] = (),
        chosen_draft: str | None = None,
    ) -> None:
        self.tree = tree
        self.agents = agents
        self.fates = fates
        self.drafts = {live.key: live for live in drafts}
        self.node_ids = tuple(node_ids)
        self.keys = self._shown_keys(chosen_draft)
        self.index = {key: i for i, key in enumerate(self.keys)}
        self.is_prose = tree.loom.mode == "buffer"
        self.starts: Sequence[int] = self._rows()
        self._made: dict[str, Entry] = {}

    def __len__(self) -> int:
        """How many rows there are: one a message; passages that share a line share a row."""
        return len(self.starts) - 1

    def row_key(self, row: int) -> str:
        """A name for a row: the key of its first entry."""
        return self.keys[self.starts[row]]

    def row_of(self, key: str) -> int | None:
        """The row that shows a node or draft."""
        place = self.index.get(key)
        return None if place is None else bisect_right(self.starts, place) - 1

    def row_text(self, row: int) -> str:
        """The words of a row."""
        return "".join(self.text(i) for i in range(self.starts[row], self.starts[row + 1]))

    def row(self, row: int) -> tuple[Entry, ...]:
        """The entries of a row."""
        return tuple(self.entry(i) for i in range(self.starts[row], self.starts[row + 1]))

    def begins_with_break(self, row: int) -> bool:
        """True for a row of prose whose first line break only ends the row before."""
        first = self.starts[row]
        return self.is_prose and first > 0 and not self.text(first - 1).endswith("\n")

    def text(self, index: int) -> str:
        """The words of an entry."""
        key = self.keys[index]
        live = self.drafts.get(key)
        return live.draft.text if live else words(self.tree.nodes[key].content)

    def entry(self, index: int) -> Entry:
        """An entry of the path."""
        key = self.keys[index]
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(key, is_last=index == len(self.keys) - 1)
        return found

    def forget(self, keys: Iterable[str] | None = None) -> None:
        """Make these entries anew when they are asked for again; all of them if None."""
        if keys is None:
            self._made.clear()
        else:
            for key in keys:
                self._made.pop(key, None)

    def grow(self, live: LiveDraft) -> None:
        """A draft has more text."""
        began = not self.drafts[live.key].draft.text and bool(live.draft.text)
        self.drafts[live.key] = live
        if began and self.is_prose:
            self.starts = self._rows()
        self.forget([live.key, *self._showing_drafts_of(live.parent_id)])

    def _rows(self) -> Sequence[int]:
        """Where each row begins among the keys, and at the end how many there are."""
        if not self.is_prose or not self.keys:
            return range(len(self.keys) + 1)
        starts = [0]
        before = self.text(0)
        for place in range(1, len(self.keys)):
            text = self.text(place)
            if before.endswith("\n") or text.startswith("\n"):
                starts.append(place)
            before = text or before
        return [*starts, len(self.keys)]

    def _showing_drafts_of(self, parent_id: str) -> list[str]:
        return [
            key
            for key, entry in self._made.items()
            if any(o.is_draft and self.drafts[o.key].parent_id == parent_id for o in entry.options)
        ]

    def _shown_keys(self, chosen_draft: str | None) -> tuple[str, ...]:
        path = list(self.node_ids)
        chosen = self.drafts.get(chosen_draft or "")
        if chosen is not None and chosen.parent_id in path:
            path = [*path[: path.index(chosen.parent_id) + 1], chosen.key]
        elif path:
            under_leaf = [live.key for live in self.drafts.values() if live.parent_id == path[-1]]
            path += under_leaf[:1]
        return tuple(k for k in path if k in self.drafts or not self.tree.is_empty_root(k))

    def _make(self, key: str, *, is_last: bool) -> Entry:
        live = self.drafts.get(key)
        ways = self._ways(key)
        place = ways.index(key)
        node = None if live else self.tree.nodes[key]
        model = live is not None or (node is not None and node.author_type == "model")
        return Entry(
            key=key,
            text=live.draft.text if live else words(self.tree.nodes[key].content),
            agent=self._agent(key),
            node=node,
            draft=live.draft if live else None,
            number=place + 1,
            before=ways[place - 1] if place else None,
            after=ways[place + 1] if place + 1 < len(ways) else None,
            count=len(ways),
            fate=self.fates.get(key, "sent"),
            notes=self._notes(node),
            options=self._options(ways, key, all_ways=is_last and model),
        )

    def _ways(self, key: str) -> tuple[str, ...]:
        """The siblings of an entry in order, what streams beside it last."""
        live = self.drafts.get(key)
        if live is not None:
            nodes, parent_id = self.tree.children(live.parent_id), live.parent_id
        else:
            nodes, parent_id = paths.siblings(self.tree, key), paths.parent(self.tree, key) or ""
        shown = (n for n in nodes if n == key or not self.tree.nodes[n].metadata.pruned)
        return (*shown, *(d.key for d in self.drafts.values() if d.parent_id == parent_id))

    def _options(self, ways: tuple[str, ...], shown: str, *, all_ways: bool) -> tuple[Option, ...]:
        others = [key for key in ways if key != shown and (all_ways or key in self.drafts)]
        numbers = {key: i + 1 for i, key in enumerate(ways)}
        return tuple(self._option(key, numbers[key], len(ways)) for key in others[:MOST_OPTIONS])

    def _option(self, key: str, number: int, count: int) -> Option:
        live = self.drafts.get(key)
        if live is None:
            return Option(key, number, count, words(self.tree.nodes[key].content), self._agent(key))
        draft = live.draft
        return Option(
            key,
            number,
            count,
            draft.error.message if draft.error and not draft.text else draft.text,
            self._agent(key),
            is_draft=True,
            grows=not draft.ended,
            failed=draft.error is not None,
        )

    def _agent(self, key: str) -> Agent | None:
        live = self.drafts.get(key)
        agent_id = live.agent_id if live else self.tree.nodes[key].author_agent_id
        return self.agents.get(agent_id or "")

    def _notes(self, node: Node | None) -> tuple[str, ...]:
        if node is None:
            return ()
        notes = (self.tree.nodes[n] for n in self.tree.notes(node.id) if n in self.tree.nodes)
        return tuple(words(note.content) for note in notes if not note.metadata.pruned)


def words(content: Content) -> str:
    """A content as text to read, its images and tools by name."""
    blocks = content.blocks if isinstance(content, Mixed) else (content,)
    return "\n\n".join(_block_words(block) for block in blocks)


def _block_words(block: object) -> str:
    match block:
        case Text(text=text) | ToolResult(text=text):
            return text
        case Image(alt_text=alt):
            return f"[image: {alt}]" if alt else "[image]"
        case Document(name=name, text=text):
            return f"[{name}]\n\n{text}"
        case ToolUse(name=name):
            return f"[tool: {name}]"
        case _:
            return "[audio]"
