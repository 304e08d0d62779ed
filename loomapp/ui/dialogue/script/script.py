"""Script of a dialogue: the messages of a path in order, made into entries, and the marks where it is cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from loomapp.core.context.outcomes import (
    ByName,
    ShortenedNode,
    ShownFates,
    by_name,
    cut_answer,
    estimator_of,
    is_merged,
    shortened,
    tokens_in,
)
from loomapp.core.edits.documents import documents_of
from loomapp.core.generation.assemble_request import why_not
from loomapp.core.generation.drafts import LiveDraft, failed_count, in_order
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.path import NodeSequence, common_length, shared_length
from loomapp.ui.dialogue.script.entries import Cut, Entry, NoteLine, Option, is_alike, message_words, words
from loomapp.ui.dialogue.text.node_links import LEAST_NAME, LOCAL_ID
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.words.amounts import awaited_words

SENT = "sent"
NO_ROOM = "truncated"


class Cuts:
    """The fates of a path's messages, and the marks above some of them; runs are counted when one is asked
    for, and only once."""

    def __init__(self, keys: Sequence[str], fates: Mapping[str, str], strategy: str = "") -> None:
        self.fates = fates
        self._keys = keys
        self._strategy = strategy
        self._runs: dict[int, tuple[int, int, int]] = {}  # by both ends: first, end, how many have no room

    def fate(self, key: str) -> str:
        """Return the fate of a node; one that no report names is sent."""
        return self.fates.get(key, SENT)

    def by_name(self, key: str) -> ByName | None:
        return by_name(self.fates, key)

    def shortened(self, key: str) -> ShortenedNode | None:
        return shortened(self.fates, key)

    def cut_at(self, key: str) -> int | None:
        return cut_answer(self.fates, key)

    def tokens(self, key: str) -> int | None:
        """Return the tokens of a node that has no room, as the coming context counts them."""
        return tokens_in(self.fates, key) if self.fate(key) == "truncated" else None

    def is_merged(self, key: str) -> bool:
        """Tell whether a node is sent as one message with one before it."""
        return is_merged(self.fates, key)

    def above(self, index: int) -> Cut | None:
        """Return the mark above a message, if there is one."""
        sent = self._is_sent(index)
        if index == 0 or sent == self._is_sent(index - 1):
            return None
        first, end, count = self._run(index - 1 if sent else index)
        if not count:
            return None
        if sent:
            return Cut("again" if first else "start", count, self._strategy)
        return Cut("gap" if end < len(self._keys) else "end", count, self._strategy)

    def _is_sent(self, index: int) -> bool:
        return self.fate(self._keys[index]) == SENT

    def _run(self, index: int) -> tuple[int, int, int]:
        """Return the unsent neighbours around one of their ends."""
        found = self._runs.get(index)
        if found is None and isinstance(self.fates, ShownFates):
            found = self.fates.run(self._keys, index)
            if found is not None:
                self._runs[index] = found
        if found is None:
            first, end = index, index + 1
            while first > 0 and not self._is_sent(first - 1):
                first -= 1
            while end < len(self._keys) and not self._is_sent(end):
                end += 1
            count = sum(self.fate(key) == NO_ROOM for key in self._keys[first:end])
            found = self._runs[first] = self._runs[end - 1] = (first, end, count)
        return found


MOST_OPTIONS, PAGE = 7, 8  # rows under a message, which stand still while one reads those of one page
MOST_MADE = 400  # entries kept ready


class Script:
    """The entries of one path. Reads the tree, never changes it.

    What a script before it has in common with it is taken over, so that a change costs what it changes.
    """

    def __init__(
        self,
        tree: Tree,
        path: NodeSequence,
        agents: Mapping[str, Agent],
        fates: Mapping[str, str],
        drafts: Iterable[LiveDraft] = (),
        *,
        chosen_draft: str | None = None,
        strategy: str = "",
        put_away_to: str = "",
        written: Collection[str] = (),
    ) -> None:
        """The messages up to the node `put_away_to` are not among the entries; "": all are. `written` is what
        other programs wrote and nobody looked at.
        """
        self.tree = tree
        self.agents, self.written = agents, written
        self.drafts = {live.key: live for live in drafts}
        self._is_mixed = any(i in tree.nodes for live in self.drafts.values() for i in live.later)
        self.path, self.node_ids = path, path.node_ids
        self.put_away_to = put_away_to
        self.keys = self._shown_keys(chosen_draft)
        self._cuts = Cuts(self.keys, fates, strategy)
        self._made: dict[str, Entry] = {}

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def node_count(self) -> int:
        """Number of messages at the beginning that are nodes; after them at most a draft."""
        return len(self.keys) - (bool(self.keys) and self.keys[-1] in self.drafts)

    @property
    def made_count(self) -> int:
        """Number of entries that stand ready: those on the screen, and some that were."""
        return len(self._made)

    @property
    def fates(self) -> Mapping[str, str]:
        return self._cuts.fates

    def set_fates(self, fates: Mapping[str, str], strategy: str) -> None:
        self._cuts = Cuts(self.keys, fates, strategy)

    def row_key(self, row: int) -> str:
        return self.keys[row]

    def row_of(self, key: str) -> int | None:
        if self.keys and self.keys[-1] == key:
            return len(self.keys) - 1
        place = self.path.place_of(key)
        if place is None:
            return None
        place -= self.skipped
        return place if 0 <= place < len(self.keys) and self.keys[place] == key else None

    def is_put_away(self, key: str) -> bool:
        """True for a node of the path that is among those before the first entry."""
        place = self.path.place_of(key)
        return place is not None and place < self.skipped

    def text(self, index: int) -> str:
        return self.text_of(self.keys[index])

    def text_of(self, key: str) -> str:
        live = self.drafts.get(key)
        if live:
            return live.draft.text
        return message_words(self.tree.nodes[key].content)

    def size(self, row: int) -> tuple[int, int]:
        """Return the numbers of characters and line breaks of a row, for estimates."""
        text = self.text(row)
        return len(text), text.count("\n")

    def entry(self, index: int) -> Entry:
        key = self.keys[index]
        found = self._made.get(key)
        cut, merged = self._cuts.above(index), self._cuts.is_merged(key)
        cuts = self._cuts
        said = cuts.fate(key), cuts.by_name(key), cuts.shortened(key), cuts.tokens(key), cuts.cut_at(key)
        same = (cut, merged, *said)
        if found is None or _marks(found) != same or (found.notes and found.notes != self._notes(found.node)):
            if len(self._made) > MOST_MADE:
                self._made.clear()
            found = self._made[key] = self._make(index)
        return found

    def forget(self) -> None:
        """Make all entries anew when they are asked for again."""
        self._made.clear()

    def grow(self, live: LiveDraft) -> None:
        self.drafts[live.key] = live
        self._made.pop(live.key, None)
        # Beside it on the path stands at most one entry that has it among its options: the parent's next.
        above = self.row_of(live.parent_id)
        beside = 0 if above is None else above + 1
        if beside < len(self.keys):
            self._made.pop(self.keys[beside], None)

    def _shown_keys(self, chosen_draft: str | None) -> tuple[str, ...]:
        path: tuple[str, ...] = self.node_ids
        self.skipped = int(bool(path) and self.tree.is_empty_root(path[0]))
        place = self.path.place_of(self.put_away_to) if self.put_away_to else None
        if place is not None and place < len(path) - 1:
            self.skipped = max(self.skipped, place + 1)
        path = path[self.skipped :]
        if not self.drafts or not self.node_ids:
            return path
        chosen = self.drafts.get(chosen_draft or "")
        above = None if chosen is None else self.path.place_of(chosen.parent_id)
        if chosen is not None and above is not None:
            return (*path[: above + 1 - self.skipped], chosen.key)
        leaf_id = self.node_ids[-1]
        return path + tuple(live.key for live in self.drafts.values() if live.parent_id == leaf_id)[:1]

    def _make(self, index: int) -> Entry:
        key = self.keys[index]
        live = self.drafts.get(key)
        ways = self._ways(key)
        is_node = not live and not self._is_mixed
        place = (
            navigation.living_place(self.tree, key) if is_node else ways.index(key, self._late(ways).start)
        )
        node = None if live else self.tree.nodes[key]
        cut_at = self._cuts.cut_at(key)
        broke_off = node is not None and node.interrupted is not None
        number, count = self._numbered(ways, place)
        model = live is not None or (node is not None and node.author_type == "model")
        options, more = self._options(ways, place, all_ways=index == len(self.keys) - 1 and model)
        return Entry(
            key=key,
            text=self.text(index),
            agent=self._agent(key),
            node=node,
            draft=live.draft if live else None,
            run=live.run if live else None,
            failed=failed_count(self.drafts.values()) if live else 0,
            number=number,
            before=ways[place - 1] if place else None,
            after=ways[place + 1] if place + 1 < len(ways) else None,
            count=count,
            fate=self._cuts.fate(key),
            notes=self._notes(node),
            options=options,
            more_options=more,
            cut=self._cuts.above(index),
            merged=self._cuts.is_merged(key),
            by_name=self._cuts.by_name(key),
            shortened=self._cuts.shortened(key),
            counted=self._cuts.tokens(key),
            cut_at=cut_at,
            can_continue=(cut_at is not None or broke_off) and not self._is_continued(key),
            estimator=estimator_of(self._cuts.fates),
            no_retry="" if node is None else tr(why_not(self.tree, key)),
            named_nodes=self._named_nodes(key),
        )

    def _ways(self, key: str) -> tuple[str, ...]:
        """Return the siblings of an entry in order, those that stream last but for what they stand before."""
        live = self.drafts.get(key)
        parent_id = live.parent_id if live is not None else navigation.parent(self.tree, key) or ""
        beside = navigation.living_siblings(self.tree, key) if live is None else ()
        shown = beside or self.tree.living_children(parent_id)
        coming = {key: d.later for key, d in self.drafts.items() if d.parent_id == parent_id}
        return tuple(in_order(shown, coming)) if self._is_mixed else (*shown, *coming)

    def _late(self, ways: tuple[str, ...]) -> range:
        """Return the places at the end among which those that stream are."""
        return range(max(0, 0 if self._is_mixed else len(ways) - len(self.drafts)), len(ways))

    def _options(
        self, ways: tuple[str, ...], shown: int, *, all_ways: bool
    ) -> tuple[tuple[Option, ...], int]:
        """Return the rows of other ways on around the one that is read, and how many more there are."""
        above = max(0, min(shown - shown % PAGE, len(ways) - PAGE)) if all_ways else 0
        drafted = (at for at in self._late(ways) if ways[at] in self.drafts)
        first = above if all_ways else next(drafted, len(ways))
        end, done, found = len(ways) if all_ways or self.drafts else first, first, list[Option]()
        for place in range(first, end):
            if place != shown:
                option = self._option(ways[place], *self._numbered(ways, place))
                if found and is_alike(found[-1], option):
                    found[-1] = replace(found[-1], alike=found[-1].alike + 1)
                elif len(found) == MOST_OPTIONS:
                    break
                else:
                    found.append(option)
            done = place + 1
        more = above + end - done - (done <= shown < end)
        agents = {agent.id for agent in (*(one.agent for one in found), self._agent(ways[shown])) if agent}
        if len(agents) > 1:
            found = [replace(one, name=one.agent.name if one.agent else tr("You")) for one in found]
        return tuple(found), more

    def _is_continued(self, key: str) -> bool:
        """True if a model went on from a node, or does just now."""
        drafts = (live for live in self.drafts.values() if live.draft.error is None)
        asked = any(live.parent_id == key for live in drafts)
        below = (self.tree.nodes[child] for child in self.tree.living_children(key))
        return asked or any(node.author_type == "model" for node in below)

    def _numbered(self, ways: tuple[str, ...], place: int) -> tuple[int, int]:
        """Return the number of a message among its siblings, from 1, and how many those are. An answer that
        failed is a view and no node: it is none of them, which is 0.
        """
        errors = {key for key, live in self.drafts.items() if live.draft.error is not None}
        failed = [at for at in self._late(ways) if ways[at] in errors]
        number = 0 if place in failed else place + 1 - sum(at < place for at in failed)
        return number, len(ways) - len(failed)

    def _option(self, key: str, number: int, count: int) -> Option:
        live = self.drafts.get(key)
        if live is None:
            node = self.tree.nodes[key]
            broke_off = node.interrupted is not None
            return Option(key, number, count, words(node.content), self._agent(key), broke_off=broke_off)
        draft = live.draft
        why = awaited_words(draft.awaited) if draft.awaited else ""
        if draft.error is not None:
            status = draft.error.details.get("status")
            why = " · ".join(str(part) for part in (status, told(draft.error.message)) if part)
        elif draft.waits is not None:
            why = told(draft.waits.sentence)
        return Option(
            key,
            number,
            count,
            draft.text or why,
            self._agent(key),
            is_draft=True,
            grows=not draft.ended and draft.waits is None and draft.awaited is None,
            failed=draft.error is not None,
            waits=draft.waits is not None,
        )

    def _agent(self, key: str) -> Agent | None:
        live = self.drafts.get(key)
        agent_id = live.agent_id if live else self.tree.nodes[key].author_agent_id
        return self.agents.get(agent_id or "")

    def _named_nodes(self, key: str) -> tuple[tuple[str, str], ...]:
        """Return the nodes that an agent that sees the tree names: by short ids, and documents by name."""
        agent = self._agent(key)
        if agent is None or not agent.loom_aware:
            return ()
        text = self.text_of(key)
        names = dict.fromkeys(LOCAL_ID.findall(text))
        found = tuple((name, node_id) for name in names if (node_id := self.tree.find(name)) is not None)
        called = ((one.name, one.newest.id) for one in documents_of(self.tree))
        return *found, *((name, i) for name, i in called if len(name) >= LEAST_NAME and name in text)

    def _notes(self, node: Node | None) -> tuple[NoteLine, ...]:
        if node is None:
            return ()
        notes = (self.tree.nodes[n] for n in self.tree.notes(node.id) if n in self.tree.nodes)
        fates = self._cuts.fates
        return tuple(
            NoteLine(note.id, words(note.content), fates.get(note.id, ""), note.id in self.written)
            for note in notes
            if not note.metadata.pruned
        )


def _marks(entry: Entry) -> tuple[object, ...]:
    return entry.cut, entry.merged, entry.fate, entry.by_name, entry.shortened, entry.counted, entry.cut_at


def same_rows(before: Script | None, now: Script) -> int:
    """Return the number of rows that two scripts of one tree have in common at their beginning, but for the
    last of these.
    """
    if before is None or before.tree is not now.tree:
        return 0
    if len(before) == len(now) and before.keys == now.keys:  # else it would be compared to its end
        return len(now)
    return max(0, first_difference(before, now) - 1)


def first_difference(before: Script, now: Script) -> int:
    """The first row that is not the same; the length of the shorter script if it is the other's beginning."""
    known = 0
    if before.skipped == now.skipped:
        same = shared_length(before.path, now.path) - now.skipped
        known = max(0, min(same, before.node_count, now.node_count))
    return common_length(before.keys, now.keys, known)
