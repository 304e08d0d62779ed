"""What the dialogue shows of a path: its messages in order, made into entries when they are asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from loomapp.core import paths
from loomapp.core.generation import LiveDraft
from loomapp.core.tree import Agent, Node, Tree
from loomapp.ui.dialogue.cuts import Cuts
from loomapp.ui.dialogue.entries import Entry, Option, words

MOST_OPTIONS = 7  # rows under a message; more are reached by the pager
MOST_MADE = 400  # entries kept ready


class Script:
    """The entries of one path. Reads the tree, never changes it.

    What a script before it has in common with it is taken over, so that a change costs what it changes.
    """

    def __init__(
        self,
        tree: Tree,
        node_ids: Sequence[str],
        agents: Mapping[str, Agent],
        fates: Mapping[str, str],
        drafts: Iterable[LiveDraft] = (),
        *,
        chosen_draft: str | None = None,
        strategy: str = "",
        before: Script | None = None,
    ) -> None:
        self.tree = tree
        self.agents = agents
        self.drafts = {live.key: live for live in drafts}
        self.node_ids = tuple(node_ids)
        self.is_prose = tree.loom.mode == "buffer"
        if before is not None and (before.tree is not tree or before.is_prose != self.is_prose):
            before = None
        self.keys = self._shown_keys(chosen_draft)
        same = 0 if before is None else common_length(before.keys, self.keys)
        self.index = self._indexed(before, same)
        self.starts: Sequence[int] = self._rows(before, same)
        self._cuts = Cuts(self.keys, fates, strategy)
        self._made: dict[str, Entry] = {}

    def __len__(self) -> int:
        """How many rows there are: one a message; passages that share a line share a row."""
        return len(self.starts) - 1

    @property
    def made_count(self) -> int:
        """How many entries stand ready: those on the screen, and some that were."""
        return len(self._made)

    @property
    def fates(self) -> Mapping[str, str]:
        """What becomes of each node in what is sent."""
        return self._cuts.fates

    def set_fates(self, fates: Mapping[str, str], strategy: str) -> None:
        """What is sent has changed."""
        self._cuts = Cuts(self.keys, fates, strategy)

    def row_key(self, row: int) -> str:
        """A name for a row: the key of its first entry."""
        return self.keys[self.starts[row]]

    def row_of(self, key: str) -> int | None:
        """The row that shows a node or draft."""
        place = self.index.get(key)
        return None if place is None else bisect_right(self.starts, place) - 1

    def row(self, row: int) -> tuple[Entry, ...]:
        """The entries of a row."""
        return tuple(self.entry(i) for i in range(self.starts[row], self.starts[row + 1]))

    def begins_with_break(self, row: int) -> bool:
        """True for a row of prose whose first line break only ends the row before."""
        first = self.starts[row]
        return self.is_prose and first > 0 and not self.text(first - 1).endswith("\n")

    def text(self, index: int) -> str:
        """The words of an entry."""
        return self.text_of(self.keys[index])

    def text_of(self, key: str) -> str:
        """The words of a node or draft."""
        live = self.drafts.get(key)
        return live.draft.text if live else words(self.tree.nodes[key].content)

    def size(self, row: int) -> tuple[int, int]:
        """How many characters and line breaks a row has, for estimates."""
        texts = [self.text(i) for i in range(self.starts[row], self.starts[row + 1])]
        return sum(map(len, texts)), sum(text.count("\n") for text in texts)

    def entry(self, index: int) -> Entry:
        """An entry of the path."""
        key = self.keys[index]
        found = self._made.get(key)
        cut = self._cuts.above(index)
        if found is None or found.fate != self._cuts.fate(key) or found.cut != cut:
            if len(self._made) > MOST_MADE:
                self._made.clear()
            found = self._made[key] = self._make(index)
        return found

    def forget(self) -> None:
        """Make all entries anew when they are asked for again."""
        self._made.clear()

    def grow(self, live: LiveDraft) -> None:
        """A draft has more text."""
        began = not self.drafts[live.key].draft.text and bool(live.draft.text)
        self.drafts[live.key] = live
        if began and self.is_prose:
            self.starts = self._rows(self, max(0, self.index.get(live.key, 0) - 1))
        self._made.pop(live.key, None)
        # Beside it on the path stands at most one entry that has it among its options: the parent's next.
        beside = self.index.get(live.parent_id, -1) + 1
        if beside < len(self.keys):
            self._made.pop(self.keys[beside], None)

    def _indexed(self, before: Script | None, same: int) -> dict[str, int]:
        """Where each key stands."""
        if before is None:
            return {key: i for i, key in enumerate(self.keys)}
        if same == len(self.keys) == len(before.keys):
            return before.index
        index = dict(before.index)
        for key in before.keys[same:]:
            del index[key]
        for i in range(same, len(self.keys)):
            index[self.keys[i]] = i
        return index

    def _rows(self, before: Script | None, same: int) -> Sequence[int]:
        """Where each row begins among the keys, and at the end how many there are."""
        if not self.is_prose or not self.keys:
            return range(len(self.keys) + 1)
        known = max(1, same) if before is not None else 1
        starts = [0] if before is None else list(before.starts[: bisect_left(before.starts, known)])
        last = self.text(known - 1)
        for place in range(known, len(self.keys)):
            text = self.text(place)
            if last.endswith("\n") or text.startswith("\n"):
                starts.append(place)
            last = text or last
        return [*starts, len(self.keys)]

    def _shown_keys(self, chosen_draft: str | None) -> tuple[str, ...]:
        path: tuple[str, ...] = self.node_ids
        if path and self.tree.is_empty_root(path[0]):
            path = path[1:]
        if not self.drafts or not self.node_ids:
            return path
        chosen = self.drafts.get(chosen_draft or "")
        if chosen is not None and chosen.parent_id in self.node_ids:
            below = self.node_ids.index(chosen.parent_id) + 1 - (len(self.node_ids) - len(path))
            return (*path[:below], chosen.key)
        leaf_id = self.node_ids[-1]
        return path + tuple(live.key for live in self.drafts.values() if live.parent_id == leaf_id)[:1]

    def _make(self, index: int) -> Entry:
        key = self.keys[index]
        live = self.drafts.get(key)
        ways = self._ways(key)
        place = ways.index(key)
        node = None if live else self.tree.nodes[key]
        model = live is not None or (node is not None and node.author_type == "model")
        return Entry(
            key=key,
            text=self.text(index),
            agent=self._agent(key),
            node=node,
            draft=live.draft if live else None,
            number=place + 1,
            before=ways[place - 1] if place else None,
            after=ways[place + 1] if place + 1 < len(ways) else None,
            count=len(ways),
            fate=self._cuts.fate(key),
            notes=self._notes(node),
            options=self._options(ways, place, all_ways=index == len(self.keys) - 1 and model),
            cut=self._cuts.above(index),
        )

    def _ways(self, key: str) -> tuple[str, ...]:
        """The siblings of an entry in order, what streams beside it last."""
        live = self.drafts.get(key)
        if live is not None:
            ids, parent_id = self.tree.children(live.parent_id), live.parent_id
        else:
            ids, parent_id = paths.siblings(self.tree, key), paths.parent(self.tree, key) or ""
        nodes = self.tree.nodes
        shown = tuple(n for n in ids if n == key or not nodes[n].metadata.pruned)
        return shown + tuple(d.key for d in self.drafts.values() if d.parent_id == parent_id)

    def _options(self, ways: tuple[str, ...], shown: int, *, all_ways: bool) -> tuple[Option, ...]:
        first = 0 if all_ways else len(ways) - sum(way in self.drafts for way in ways[-len(self.drafts) :])
        last = min(len(ways), first + MOST_OPTIONS + 1) if all_ways or self.drafts else first
        places = [place for place in range(first, last) if place != shown][:MOST_OPTIONS]
        return tuple(self._option(ways[place], place + 1, len(ways)) for place in places)

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


def same_rows(before: Script | None, now: Script) -> int:
    """How many rows two scripts of one tree have in common at their beginning, but for the last of these."""
    if before is None or before.tree is not now.tree or before.is_prose != now.is_prose:
        return 0
    if before.keys == now.keys and len(before) == len(now):
        return len(now)
    return max(0, first_difference(before, now) - 1)


def first_difference(before: Script, now: Script) -> int:
    """The first row that is not the same; the length of the shorter script if it is the other's beginning."""
    same = common_length(before.keys, now.keys)
    return min(bisect_left(now.starts, same), bisect_left(before.starts, same), len(before), len(now))


def common_length(a: Sequence[str], b: Sequence[str]) -> int:
    """How many elements two sequences have in common at their beginning."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
