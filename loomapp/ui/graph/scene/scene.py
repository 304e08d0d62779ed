"""The scene: a tree, its drafts and its states as cards with faces; positions are those of `places`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress
from operator import attrgetter
from typing import TypeAlias

import numpy as np

from loomapp.core.context.outcomes import by_name, is_in_part, is_merged
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.layout.arrays import Floats, Ints
from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.card_table_build import nodes_of
from loomapp.core.layout.cards import Reference, ReferenceKind
from loomapp.core.layout.folds import SMALL_TREE
from loomapp.core.layout.incremental import Growth
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.content import Text, images_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.living_place import lives
from loomapp.core.paths.path import NodeSequence, apart, node_sequence
from loomapp.core.paths.siblings import told_apart
from loomapp.ui.graph.scene.card_faces import Standing, author_name, draft_face, node_face, words
from loomapp.ui.graph.scene.card_heights import height_of, lines_in, measured, measuring, portions
from loomapp.ui.graph.scene.card_places import Places
from loomapp.ui.graph.scene.card_text import MOST_LINES, forget_fonts
from loomapp.ui.graph.scene.cards import START_WIDTH, Face, Sight, card_height
from loomapp.ui.graph.scene.path_numbers import PathNumbers
from loomapp.ui.graph.scene.references import ReferenceLines, References
from loomapp.ui.graph.scene.spatial_index import Box, Index
from loomapp.ui.graph.scene.tints import Author, Tinting
from loomapp.ui.media.thumbnails import Thumbnails
from loomapp.ui.widgets.words.outcome_words import fate_words

FoldState: TypeAlias = Mapping[str, Iterable[str]]  # what is folded, hoisted, unread, and the path's end
NOWHERE = node_sequence(())
_BOOKMARKED, _CREATED_AT = attrgetter("metadata.bookmarked"), attrgetter("created_at")


class Scene:
    """Scene of the canvas: its cards, edges and marks. Setters only note what is to be done; `settle` does
    it, once.

    Knows nodes by id and drafts by key; both are cards, and cards are rows of `index`.
    """

    def __init__(self) -> None:
        self.tree: Tree | None = None
        self.agents: dict[str, Agent] = {}
        self.current: str | None = None
        self.drafts: dict[str, LiveDraft] = {}
        self.unread: set[str] = set()
        self.chosen: frozenset[str] = frozenset()  # nodes of a selection of several
        self.places = Places(self._height, self._measuring)
        self.tinting = Tinting()
        self._read_draft = ""
        self._path = NOWHERE
        self._path_numbers = PathNumbers()
        self._leaf: str | None = None
        self._path_rows: Ints | None = None
        self._fates: Mapping[str, str] = {}
        self.thumbnails: Thumbnails | None = None
        self._references = References()
        self._attached: Mapping[str, ReferenceKind] = {}
        self._tagged: frozenset[str] = frozenset()
        self._faces: dict[str, Face] = {}
        self._folds: list[str] | None = None  # what the owner remembers as folded, until it is applied
        self._folds_end = ""  # where the path ended then
        self._measures: tuple[object, ...] = ()
        self._folded_as: FoldState | None = None  # what it was when the tree was taken over

    @property
    def index(self) -> Index:
        """Positions, as they are now."""
        return self.places.index

    @property
    def is_down(self) -> bool:
        """True if the tree grows from the top down."""
        return self.places.frame.direction == "down"

    @property
    def _roster(self) -> CardTable:
        return self.places.roster

    # What the owner tells.

    def look_at_types(self) -> None:
        """Note what cards are measured by; on the GUI thread, where fonts are."""
        self._measures = measured()

    def show(self, tree: Tree, agents: Iterable[Agent]) -> None:
        """Another tree; nothing of the last one stays."""
        self.tree = tree
        self.agents = {agent.id: agent for agent in agents}
        self.current = None
        self.drafts = {}
        self.unread.clear()
        self.chosen = frozenset()
        self._attached = {}
        self._path, self._leaf = NOWHERE, None
        self._path_rows = None
        self._fates = {}
        self._tagged = _tagged(tree)
        self._faces.clear()
        self._folds = self._folded_as = None
        if not self._measures:
            self.look_at_types()
        self.places.show(tree)
        self.places.at_first = self._fold_at_first

    def patch(self, change: Change) -> None:
        """The tree was moved by a change."""
        assert self.tree is not None
        self.places.patch(change)
        self._tagged = _tagged(self.tree)
        for node in change.added_nodes():
            if node.author_type == "model":
                self.unread.add(node.id)
        self.unread.difference_update(node.id for node in change.removed_nodes())
        edited = {node.edited_from for node in (*change.added_nodes(), *change.removed_nodes())}
        self._face_cards({self._roster.card_of(node_id) for node_id in edited if node_id is not None})
        self._faces.clear()
        self._path_rows = None

    def set_path(self, path: NodeSequence) -> None:
        """The active path, root first. Chooses the faces of stacks, so heights may change."""
        before, self._path = self._path, path
        self._leaf = path.node_ids[-1] if path.node_ids else None
        self._path_rows = None
        self.unread -= {node_id for node_id in self.unread if node_id in path}
        head, tail = apart(before, path)
        if not head == len(before.node_ids) == len(path.node_ids):  # else what is folded, a person did
            self.unfold([card for card in self.places.folded if self._leads_through(card)])
        if self._roster.cards:
            ends = len(before.node_ids) - tail, len(path.node_ids) - tail
            self._face_stacks({*before.node_ids[head : ends[0]], *path.node_ids[head : ends[1]]})
        self._faces.clear()

    def _leads_through(self, card: str) -> bool:
        """True if the path goes on from a card."""
        members = self._roster.versions.get(card, (card,))
        return any(member in self._path and member != self._leaf for member in members)

    def set_current(self, node_id: str | None) -> None:
        """The current node."""
        before, self.current = self.current, node_id
        self.unread.discard(node_id or "")
        self._face_stacks({before or "", node_id or ""})
        self._faces.clear()

    def set_show_pruned(self, show: bool) -> None:
        """Give pruned nodes cards, or take them away."""
        if show != self.places.show_pruned:
            self.places.show_pruned = show
            self.places.lay_out_anew()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """Take the fate of each node in the coming context."""
        self._fates = fates
        self._faces.clear()

    def set_drafts(self, drafts: Iterable[LiveDraft]) -> None:
        """All drafts that live now."""
        self.drafts = {draft.key: draft for draft in drafts}
        assert self.tree is not None or not self.drafts
        nodes = self.tree.nodes if self.tree is not None else {}
        hanging = {key: live.parent_id for key, live in self.drafts.items() if live.parent_id in nodes}
        for parent in set(hanging.values()):
            self.places.unfold([self._roster.card_of(parent)])
        self.places.set_extras(hanging)
        self._faces.clear()

    def set_read_draft(self, key: str) -> None:
        """The draft that is read; the path seems to go on there."""
        self._read_draft = key
        self._faces.clear()

    def set_agents(self, agents: Iterable[Agent]) -> None:
        """Other names or tints."""
        before, self.agents = self.agents, {agent.id: agent for agent in agents}
        if self.agents == before:
            return
        self.tinting.forget()
        self._faces.clear()

    def draft_grew(self, draft: LiveDraft) -> int | None:
        """More text of one draft; the row to repaint."""
        if draft.key not in self.drafts:
            return None
        self.drafts[draft.key] = draft
        self._faces.pop(draft.key, None)
        return self.places.row_of_card(draft.key)

    def restyle(self) -> None:
        """Fonts or colours changed."""
        forget_fonts()
        self._faces.clear()
        measures = measured()
        if measures != self._measures:  # else only colours are others
            self._measures = measures
            self.places.restyle()

    def fold(self, node_id: str) -> None:
        """Put away what is below a node, if there is something."""
        row = self.row_of(node_id)
        if row is not None and self.index.has_children(row):
            self.places.fold(self._roster.card_of(node_id))

    def unfold(self, node_ids: Iterable[str]) -> None:
        """Show again what is below some nodes."""
        self.places.unfold([self._roster.card_of(node_id) for node_id in node_ids])

    def fold_state(self) -> dict[str, list[str]]:
        """Return the cards that are folded, hoisted, unread, and the end of the path that this is for."""
        hoisted = [self.places.hoisted] if self.places.hoisted else []
        end = [self._leaf] if self._leaf else []
        folded, unread = list(self.places.folded), sorted(self.unread)
        return {"folded": folded, "hoisted": hoisted, "unread": unread, "end": end}

    def set_fold_state(self, state: FoldState) -> None:
        """Fold as `fold_state` told, in place of folding the old branches."""
        if state == self._folded_as:
            return  # it was taken over so
        nodes = self.tree.nodes if self.tree is not None else {}
        self._folds = list(state.get("folded", ()))
        self._folds_end = next(iter(state.get("end", ())), "")
        self.unread = {node_id for node_id in state.get("unread", ()) if node_id in nodes}
        self.places.hoisted = next((n for n in state.get("hoisted", ()) if n in nodes), "")
        self.places.at_first = self._fold_at_first
        self.places.arrange_anew()

    def take_over(self, ahead: Scene, folds: FoldState | None) -> None:
        """Have what was made of this tree before it was shown, folded as `folds` said, and tinted."""
        self.places.take_over(ahead.places)
        self.tinting, self.unread, self._folded_as = ahead.tinting, ahead.unread, folds
        self._path, self._leaf = ahead._path, ahead._leaf
        self._path_rows = None
        ahead.forget()

    def forget(self) -> None:
        """Let go of the tree; what is made of it is somebody else's now."""
        self.tree = None
        self.places.forget()

    def tint(self) -> None:
        """Tell the tint of every card, those that are folded away too: here is time for it."""
        self._tell_tints(np.arange(len(self._roster)))

    def mark_read(self, node_id: str) -> bool:
        """Someone looked at a node; True if it was unread."""
        if node_id not in self.unread:
            return False
        self.unread.discard(node_id)
        self._faces.pop(self._roster.card_of(node_id), None)
        return True

    def choose(self, node_ids: Iterable[str]) -> None:
        """A selection of several nodes."""
        self.chosen = frozenset(node_ids)

    # What the painter and the view ask.

    @property
    def stale(self) -> bool:
        """True when positions are no longer those of the tree."""
        return self.places.stale

    def settle(self) -> None:
        """Make positions that fit tree, drafts and path."""
        if not self.places.stale or self.tree is None:
            return
        self.places.settle()
        self._path_rows = None

    def take(self, growth: Growth) -> None:
        """Positions that were made elsewhere."""
        self.places.take(growth)
        self._path_rows = None

    def _fold_at_first(self) -> None:
        tree, places = self.tree, self.places
        assert tree is not None
        if self._folds is not None:
            cards = (self._roster.card_of(card) for card in self._folds)
            places.folded = {card: 0 for card in cards if card in self._roster.numbers}
            if self._folds_end != self._leaf:  # where the path is another one it is open
                places.unfold_to(self._leaf or tree.root_id)
            return
        if len(self._roster) <= SMALL_TREE:
            return
        known = [node for node in nodes_of(tree, self._roster.keys) if node is not None]
        kept = {node.id for node in compress(known, map(_BOOKMARKED, known))}
        kept |= self.unread | set(self.drafts) | ({self.current} if self.current else set())
        moments = np.zeros(len(self._roster), np.int64)  # drafts have none, and come after all nodes
        moments[: len(known)] = np.fromiter(map(_CREATED_AT, known), np.int64, len(known))
        places.fold_old(self._path.node_ids, kept, moments)

    def key(self, row: int) -> str:
        """The id of the node on a card's face, or the key of its draft."""
        key = self.card(row)
        return key if key in self.drafts else self._shown(key)

    def card(self, row: int) -> str:
        """The name that positions go by."""
        return self._roster.keys[self.index.number(row)]

    def nodes_on(self, rows: Ints) -> list[str]:
        """The nodes on the faces of some cards, without drafts."""
        keys, drafts, versions = self._roster.keys, self.drafts, self._roster.versions
        cards = map(keys.__getitem__, self.index.growth.numbers[rows].tolist())
        return [self._shown(card) if card in versions else card for card in cards if card not in drafts]

    def is_draft(self, row: int) -> bool:
        """True for a card that is no node yet."""
        return self.card(row) in self.drafts

    def row_of(self, key: str) -> int | None:
        """The row of a node's or draft's card; None if it is not shown."""
        return self.places.row_of_card(self._roster.card_of(key))

    def rows_of(self, keys: Iterable[str]) -> Ints:
        """The rows of those of some nodes and drafts whose cards are shown, in order."""
        of = self._roster.cards
        cards = (of.get(key, key) for key in keys) if of else keys
        found = (number for number in map(self._roster.numbers.get, cards) if number is not None)
        return self.index.growth.rows_of(np.fromiter(found, np.int64))

    def card_of(self, node_id: str | None) -> str | None:
        """The card a node is on, by the name that positions go by."""
        return None if node_id is None else self._roster.card_of(node_id)

    def is_below(self, node_id: str, above_id: str) -> bool:
        """True if the card of a node hangs below that of another, near or far."""
        return self.places.is_below(self._roster.number_of(node_id), self._roster.number_of(above_id))

    def hides(self, node_id: str) -> bool:
        """True for a pruned node while such nodes have no cards."""
        return self.tree is not None and not self.places.show_pruned and not lives(self.tree, node_id)

    def row_of_card(self, card: str) -> int | None:
        """The row of a card."""
        return self.places.row_of_card(card)

    def rows(self) -> Ints:
        """Every row that is shown, level by level."""
        growth = self.index.growth
        rows = np.flatnonzero(~growth.hidden[: growth.count])
        if growth.newcomers or growth.any_hidden:
            order = np.lexsort((growth.middles(rows), growth.levels[rows]))
            rows = rows[order]
        return rows

    def node_ids(self) -> list[str]:
        """The nodes on the cards' faces, level by level."""
        return [self.key(row) for row in self.rows().tolist() if not self.is_draft(row)]

    def box(self, row: int) -> Box:
        """Return the box in which a card is painted; the start is smaller than its place."""
        box = self.index.box(row)
        if not self._is_start(row):
            return box
        right = (box.left + box.right + START_WIDTH) / 2 if self.is_down else box.right
        return box._replace(left=right - START_WIDTH, right=right)

    def lefts(self, rows: Ints, lefts: Floats) -> Floats:
        """The left edges of cards, which are `lefts` but for the start."""
        if len(rows) and rows[0] == 0 and self._is_start(0):
            lefts[0] = self.box(0).left
        return lefts

    def row_at(self, x: float, y: float) -> int | None:
        """The card under a point of the canvas."""
        row = self.index.row_at(x, y)
        return row if row is not None and self.box(row).left <= x <= self.box(row).right else None

    def face(self, row: int) -> Face:
        """Return the face of a card, made if it was not."""
        card = self.card(row)
        face = self._faces.get(card)
        if face is None:
            face = self._faces[card] = self._make_face(row, card)
        return face

    def full_text(self, row: int) -> str:
        """All that a card's node or draft says."""
        key = self.key(row)
        if key in self.drafts:
            draft = self.drafts[key].draft
            waits = draft.waits.sentence if draft.waits is not None else ""
            return str(draft.error) if draft.error is not None else draft.text or waits
        node = self._node(key)
        return words(node.content, node.text)

    def lines_in(self, box: Box) -> ReferenceLines:
        """The references that may cross a box, those to come too."""
        return self._references.near(self._roster, self.index, box, self._coming)

    def set_coming(self, roles: Mapping[str, ReferenceKind]) -> None:
        """Take the sources attached to the coming generation of the current node, by node id."""
        self._attached = roles

    @property
    def _coming(self) -> tuple[Reference, ...]:
        here = self.card_of(self.current)
        if here is None or not self._attached:
            return ()
        cards = ((self._roster.card_of(node_id), role) for node_id, role in self._attached.items())
        return tuple(Reference(card, here, role) for card, role in cards if card != here)

    def on_path(self, row: int) -> bool:
        """True for cards of the active path, and for the draft that will continue it: the one that is read,
        else the first."""
        key = self.key(row)
        if key not in self.drafts:
            return key in self._path
        there = [draft.key for draft in self.drafts.values() if draft.parent_id == self._leaf]
        return key == (self._read_draft if self._read_draft in there else next(iter(there), None))

    def path_rows(self) -> Ints:
        """The rows of the active path."""
        if self._path_rows is None:
            numbers = self._path_numbers.of(self._path.node_ids, self._roster)
            self._path_rows = self.index.growth.rows_of(numbers)
        return self._path_rows

    def fate(self, row: int) -> str:
        """Return the fate of a card's node in the coming context; empty if nothing is known."""
        return self._fates.get(self.key(row), "")

    def spoken_current(self) -> str:
        """The current card in words: who says what, and what becomes of it; empty if there is none."""
        node = self.tree.nodes.get(self.current) if self.tree is not None and self.current else None
        if self.tree is None or node is None:
            return ""
        said = f"{author_name(node, self.agents)}: {node.text[:240]}"
        if self.tree.is_empty_root(node.id):
            return said
        fate, on_path = self._fates.get(node.id, ""), node.id in self._path
        merged, named = is_merged(self._fates, node.id), by_name(self._fates, node.id)
        in_part = is_in_part(self._fates, node.id)
        told = fate_words(
            self.tree, node, fate, None, on_path=on_path, merged=merged, in_part=in_part, by_name=named
        )
        return f"{said}\n{told.words}"

    def tints_of(self, rows: Ints) -> Ints:
        """The tints of cards, as places in `tints`."""
        numbers = self.index.growth.numbers[rows]
        self._tell_tints(numbers)
        return self.tinting.of(numbers)

    def _tell_tints(self, numbers: Ints) -> None:
        self.tinting.tell(self._roster.keys, numbers, self._authors, self.agents)

    @property
    def tints(self) -> list[str]:
        """The colour roles that tints are counted by."""
        return self.tinting.roles

    # Making.

    def _node(self, node_id: str) -> Node:
        assert self.tree is not None
        return self.tree.nodes[node_id]

    def _shown(self, card: str) -> str:
        """The version on a stack's face: the current or the path's one, else the newest living one."""
        if card not in self._roster.versions:
            return card
        members = self._members(card)
        if self.current in members:
            return self.current
        chosen = next((node_id for node_id in members if node_id in self._path), None)
        return chosen or max(members, key=lambda node_id: (self._node(node_id).created_at, node_id))

    def _members(self, card: str) -> tuple[str, ...]:
        """The versions on a card, those that are pruned only if they are shown or there are no others."""
        members = self._roster.versions.get(card, (card,))
        living = tuple(n for n in members if n in self.drafts or not self._node(n).metadata.pruned)
        return members if self.places.show_pruned or not living else living

    def _face_stacks(self, node_ids: AbstractSet[str]) -> None:
        """Other versions of these nodes may be on the faces of their stacks, of other heights and tints."""
        self._face_cards({self._roster.cards[node_id] for node_id in node_ids & self._roster.cards.keys()})

    def _face_cards(self, cards: AbstractSet[str]) -> None:
        """Other nodes may be on the faces of these cards."""
        if self.places.is_to_enrol:  # its stacks may hold nodes that are gone
            return
        numbers = {card: self._roster.numbers[card] for card in cards if card in self._roster.numbers}
        if numbers:
            self.places.resize(numbers)
            self.tinting.tell_again([*numbers.values()], map(self._author, numbers), self.agents)

    def _measuring(self, roster: CardTable, numbers: Ints) -> Iterator[None]:
        """Measure some cards, a few between two steps; those that unfold are tinted likewise. Of a tree that
        is shown anew, tints are told on another thread, or as they are asked for.
        """
        assert self.tree is not None
        nodes, keys = self.tree.nodes, roster.keys
        known: list[Node | None] = nodes_of(self.tree, keys) if len(numbers) == len(keys) else []
        for part in portions(len(numbers) - len(known)):
            known += [nodes.get(keys[number]) for number in numbers[part].tolist()]
            yield
        heights: Floats = np.zeros(len(numbers), np.float32)
        yield from measuring(known, heights)
        for part in () if self.places.is_to_enrol else portions(len(numbers)):
            self._tell_tints(numbers[part])
            yield
        roster.heights[numbers] = heights
        special = roster.asides[: len(keys)].copy()
        drafts = (card for card in self.drafts if card in roster.numbers)
        special[[0, *(roster.numbers[card] for card in (*roster.versions, *drafts))]] = True
        for number in numbers[special[numbers]].tolist():
            roster.heights[number] = self._height(keys[number])

    def _height(self, card: str) -> float:
        assert self.tree is not None
        if card in self.drafts:
            return card_height("draft", MOST_LINES)
        node_id = self._shown(card)
        if self.tree.is_empty_root(node_id):
            return card_height("start", 1)
        return height_of("note" if self._is_note(card) else "message", self._node(node_id))

    def _is_start(self, row: int) -> bool:
        return self.tree is not None and self.tree.is_empty_root(self.card(row))

    def _is_note(self, card: str) -> bool:
        assert self.tree is not None
        number = self._roster.numbers.get(card)
        aside = number is not None and bool(self._roster.asides[number])
        return aside and bool(self.tree.annotation_edges_into(card))

    def _authors(self, cards: Sequence[str]) -> Iterator[Author]:
        """See `_author`; of many a look at each node has to do."""
        nodes = self.tree.nodes if self.tree is not None else {}
        versions = self._roster.versions
        for card, node in zip(cards, map(nodes.get, cards), strict=True):
            if node is None or card in versions:
                yield self._author(card)
            else:
                yield node.author_type, node.author_agent_id

    def _author(self, card: str) -> Author:
        """Return the author of the words on a card's face."""
        if card in self._roster.versions:
            card = self._shown(card)
        node = self.tree.nodes.get(card) if self.tree is not None else None
        if node is not None:
            return node.author_type, node.author_agent_id
        live = self.drafts.get(card)
        return "model", live.agent_id if live is not None else None

    def _make_face(self, row: int, card: str) -> Face:
        assert self.tree is not None
        if card in self.drafts:
            live = self.drafts[card]
            return draft_face(live, self.agents.get(live.agent_id), on_path=self.on_path(row))
        node = self._node(self._shown(card))
        note = self._is_note(card)
        standing = Standing(
            on_path=node.id in self._path,
            current=node.id == self.current,
            fate=self._fates.get(node.id, ""),
            by_name=by_name(self._fates, node.id) is not None,
            merged=is_merged(self._fates, node.id),
            in_part=is_in_part(self._fates, node.id),
            versions=len(told_apart(self.tree, node.id, self._members(card))),
            note=note,
            notes=len(self.tree.notes(node.id)),
            tagged=node.id in self._tagged,
            unread=node.id in self.unread,
        )
        height = float(self._roster.heights[self.index.number(row)])
        lines = lines_in(height + (card_height("message", 1) - card_height("note", 1)) * note)
        return node_face(self.tree, node, self.agents, standing, lines, self._sight(node))

    def _sight(self, node: Node) -> Sight | None:
        """The first image in a node, as far as it is there."""
        images = () if type(node.content) is Text else images_of(node.content)
        if not images or self.thumbnails is None:
            return None
        picture = self.thumbnails.image(images[0].ref)
        key = 0 if picture is None else picture.cacheKey()
        return Sight(images[0], picture, key, self.thumbnails.is_missing(images[0].ref))

    def forget_sights(self) -> None:
        """An image has come."""
        self._faces.clear()


def _tagged(tree: Tree) -> frozenset[str]:
    return frozenset(node_id for tag in tree.tags.values() for node_id in tag.node_ids)
