"""The scene: a tree, its drafts and its states as cards with faces; positions are those of `places`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

import numpy as np

from loomapp.core.context.outcomes import ShownFates
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.cards import Floats, Ints, ReferenceKind
from loomapp.core.layout.incremental import Growth
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import lives
from loomapp.core.paths.path import NodeSequence, apart
from loomapp.ui.graph.scene.card_faces import BranchTab
from loomapp.ui.graph.scene.card_nodes import CardNodes, FaceCache, Tinting, measured
from loomapp.ui.graph.scene.card_places import Places
from loomapp.ui.graph.scene.card_text import forget_fonts
from loomapp.ui.graph.scene.cards import START_WIDTH, Face
from loomapp.ui.graph.scene.scene_state import FoldMemory, FoldState, SceneState
from loomapp.ui.graph.scene.spatial_index import Box, Index, ReferenceLines, References
from loomapp.ui.media.pictures import Thumbnails


class Scene:
    """Scene of the canvas: cards, edges, marks. Setters only note what is to be done; `settle` does it, once.

    Knows nodes by id and drafts by key; both are cards, and cards are rows of `index`.
    """

    def __init__(self) -> None:
        self._state = SceneState()
        self.chosen: frozenset[str] = frozenset()  # nodes of a selection of several
        self.places = Places(self._height, self._measuring)
        self.tinting = Tinting()
        self._nodes = CardNodes(self._state, self.places)
        self._faces = FaceCache(self._state, self._nodes)
        self._folds = FoldMemory(self._state, self.places)
        self._path_rows: Ints | None = None
        self._references = References()
        self._measures: tuple[object, ...] = ()

    @property
    def tree(self) -> Tree | None:
        return self._state.tree

    @property
    def current(self) -> str | None:
        return self._state.current

    @property
    def drafts(self) -> Mapping[str, LiveDraft]:
        return self._state.drafts

    @property
    def agents(self) -> Mapping[str, Agent]:
        return self._state.agents

    @property
    def unread(self) -> set[str]:
        """Nodes that nobody looked at yet."""
        return self._state.unread

    @property
    def has_tabs(self) -> bool:
        return bool(self._state.tabs)

    def path_place(self, row: int) -> int | None:
        """Return the place on the path of the node on a card's face; None if it is not on it."""
        return self._state.path.place_of(self.key(row))

    def place_on_path(self, node_id: str) -> int | None:
        return self._state.path.place_of(node_id)

    @property
    def has_chips(self) -> bool:
        """True if something is sent shortened."""
        fates = self._state.fates
        return isinstance(fates, ShownFates) and bool(fates.shortened)

    def tab(self, row: int) -> BranchTab | None:
        """Return the title of the branch whose head a card is, if it is one; the start of a tree has none."""
        tab = self._state.tabs.get(self.key(row))
        return None if tab is None or self.face(row).kind == "start" else tab

    @property
    def index(self) -> Index:
        return self.places.index

    @property
    def is_down(self) -> bool:
        return self.places.frame.direction == "down"

    @property
    def _roster(self) -> CardTable:
        return self.places.roster

    # What the owner tells.

    def look_at_types(self) -> None:
        """Note the measures of the fonts; on the GUI thread, where fonts are."""
        self._measures = measured()

    def show(self, tree: Tree, agents: Iterable[Agent]) -> None:
        self._state.show(tree, agents)
        self.chosen = frozenset()
        self._path_rows = None
        self._faces.clear()
        self._folds.forget()
        if not self._measures:
            self.look_at_types()
        self.places.show(tree)
        self.places.at_first = self._folds.fold_at_first

    def patch(self, change: Change) -> None:
        assert self.tree is not None
        self.places.patch(change)
        self._state.follow(change)
        edited = {node.edited_from for node in (*change.added_nodes(), *change.removed_nodes())}
        self._face_cards({self._roster.card_of(node_id) for node_id in edited if node_id is not None})
        self._faces.clear()
        self._path_rows = None

    def set_path(self, path: NodeSequence) -> None:
        """Take the active path, root first. Chooses the faces of stacks, so heights may change."""
        before = self._state.path
        self._state.set_path(path)
        self._path_rows = None
        head, tail = apart(before, path)
        if not head == len(before.node_ids) == len(path.node_ids):  # else what is folded, a person did
            self.unfold([card for card in self.places.folded if self._nodes.leads_through(card)])
        if self._roster.cards:
            ends = len(before.node_ids) - tail, len(path.node_ids) - tail
            self._face_stacks({*before.node_ids[head : ends[0]], *path.node_ids[head : ends[1]]})
        self._faces.clear()

    def set_current(self, node_id: str | None) -> None:
        before, self._state.current = self.current, node_id
        self.unread.discard(node_id or "")
        self._face_stacks({before or "", node_id or ""})
        self._faces.clear()

    def set_show_pruned(self, show: bool) -> None:
        if show != self.places.show_pruned:
            self.places.show_pruned = show
            self.places.lay_out_anew()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """Take the fate of each node in the coming context."""
        self._face_stacks(self._state.set_fates(fates))
        self._faces.clear()

    def set_drafts(self, drafts: Iterable[LiveDraft]) -> None:
        self._state.drafts = {draft.key: draft for draft in drafts}
        assert self.tree is not None or not self.drafts
        nodes = self.tree.nodes if self.tree is not None else {}
        hanging = {key: live.parent_id for key, live in self.drafts.items() if live.parent_id in nodes}
        for parent in set(hanging.values()):
            self.places.unfold([self._roster.card_of(parent)])
        self.places.set_drafts(hanging, {key: self.drafts[key].later for key in hanging})
        self._faces.clear()

    def set_read_draft(self, key: str) -> None:
        """Take the draft that is read; the path seems to go on there."""
        self._state.read_draft = key
        self._faces.clear()

    def set_agents(self, agents: Iterable[Agent]) -> None:
        before, self._state.agents = self._state.agents, {agent.id: agent for agent in agents}
        if self._state.agents != before:
            self.tinting.forget()
            self._faces.clear()

    def draft_grew(self, draft: LiveDraft) -> int | None:
        """Take more text of one draft; return the row to repaint."""
        if draft.key not in self.drafts:
            return None
        self._state.drafts[draft.key] = draft
        self._faces.drop(draft.key)
        return self.places.row_of_card(draft.key)

    def restyle(self) -> None:
        """Measure and paint anew after fonts or colours changed."""
        forget_fonts()
        self._faces.clear()
        measures = measured()
        if measures != self._measures:  # else only colours are others
            self._measures = measures
            self.places.restyle()

    def fold(self, node_id: str) -> None:
        row = self.row_of(node_id)
        if row is not None and self.index.has_children(row):
            self.places.fold(self._roster.card_of(node_id))

    def unfold(self, node_ids: Iterable[str]) -> None:
        self.places.unfold([self._roster.card_of(node_id) for node_id in node_ids])

    def fold_state(self) -> dict[str, list[str]]:
        """Return the cards that are folded, hoisted, unread, and the end of the path that this is for."""
        return self._folds.told()

    def set_fold_state(self, state: FoldState) -> None:
        """Fold as `fold_state` told, in place of folding the old branches."""
        self._folds.apply(state)

    def take_over(self, ahead: Scene, folds: FoldState | None) -> None:
        """Have what was made of this tree before it was shown, folded as `folds` said, and tinted."""
        self.places.take_over(ahead.places)
        self.tinting, self._state.unread = ahead.tinting, ahead.unread
        self._state.path, self._state.leaf = ahead._state.path, ahead._state.leaf
        self._folds.was_taken_over(folds)
        self._path_rows = None
        ahead.forget()

    def forget(self) -> None:
        """Let go of the tree; what is made of it belongs to somebody else now."""
        self._state.tree = None
        self.places.forget()

    def tint(self) -> None:
        """Tell the tint of every card, those that are folded away too: here is time for it."""
        self._tell_tints(np.arange(len(self._roster)))

    def mark_unread(self, node_ids: Iterable[str]) -> None:
        """Mark nodes as not read yet, also those whose cards are still to come."""
        for node_id in node_ids:
            self.unread.add(node_id)
            if self.row_of(node_id) is not None:
                self._faces.drop(self._roster.card_of(node_id))

    def mark_read(self, node_id: str) -> bool:
        """Mark a node as read; return True if it was unread."""
        if was_unread := node_id in self.unread:
            self.unread.discard(node_id)
            self._faces.drop(self._roster.card_of(node_id))
        return was_unread

    def choose(self, node_ids: Iterable[str]) -> None:
        self.chosen = frozenset(node_ids)

    # What the painter and the view ask.

    @property
    def stale(self) -> bool:
        """True when positions are no longer those of the tree."""
        return self.places.stale

    def settle(self) -> None:
        """Make positions that fit tree, drafts and path."""
        if self.places.stale and self.tree is not None:
            self.places.settle()
            self._path_rows = None

    def take(self, growth: Growth) -> None:
        self.places.take(growth)
        self._path_rows = None

    def key(self, row: int) -> str:
        """Return the id of the node on a card's face, or the key of its draft."""
        key = self.card(row)
        return key if key in self._state.drafts else self._nodes.shown(key)

    def card(self, row: int) -> str:
        return self._roster.keys[self.index.number(row)]

    def nodes_on(self, rows: Ints) -> list[str]:
        """Return the nodes on the faces of some cards, without drafts."""
        keys, drafts, versions = self._roster.keys, self._state.drafts, self._roster.versions
        cards = map(keys.__getitem__, self.index.growth.numbers[rows].tolist())
        return [self._nodes.shown(card) if card in versions else card for card in cards if card not in drafts]

    def is_draft(self, row: int) -> bool:
        return self.card(row) in self._state.drafts

    def row_of(self, key: str) -> int | None:
        """Return the row of a node's or draft's card; None if it is not shown."""
        return self.places.row_of_card(self._roster.card_of(key))

    def rows_of(self, keys: Iterable[str]) -> Ints:
        """Return, in order, the rows of those of some nodes and drafts whose cards are shown."""
        of = self._roster.cards
        cards = (of.get(key, key) for key in keys) if of else keys
        found = (number for number in map(self._roster.numbers.get, cards) if number is not None)
        return self.index.growth.rows_of(np.fromiter(found, np.int64))

    def card_of(self, node_id: str | None) -> str | None:
        return None if node_id is None else self._roster.card_of(node_id)

    def hides(self, node_id: str) -> bool:
        """Return True for a pruned node while such nodes have no cards."""
        return self.tree is not None and not self.places.show_pruned and not lives(self.tree, node_id)

    def rows(self) -> Ints:
        return self.index.rows_by_level()

    def node_ids(self) -> list[str]:
        return [self.key(row) for row in self.rows().tolist() if not self.is_draft(row)]

    def box(self, row: int) -> Box:
        """Return the box in which a card is painted; the start is smaller than its place."""
        box = self.index.box(row)
        if not self._nodes.is_start(self.card(row)):
            return box
        right = (box.left + box.right + START_WIDTH) / 2 if self.is_down else box.right
        return box._replace(left=right - START_WIDTH, right=right)

    def lefts(self, rows: Ints, lefts: Floats) -> Floats:
        """Return the left edges of cards, which are `lefts` but for the start."""
        if len(rows) and rows[0] == 0 and self._nodes.is_start(self.card(0)):
            lefts[0] = self.box(0).left
        return lefts

    def row_at(self, x: float, y: float) -> int | None:
        row = self.index.row_at(x, y)
        return row if row is not None and self.box(row).left <= x <= self.box(row).right else None

    def face(self, row: int) -> Face:
        card = self.card(row)
        face = self._faces.get(card)
        if face is None:
            face = self._faces.made(card, float(self._roster.heights[self.index.number(row)]))
        return face

    def full_text(self, row: int) -> str:
        return self._state.full_text(self.key(row))

    def lines_in(self, box: Box) -> ReferenceLines:
        """Return the references that may cross a box, those to come too."""
        return self._references.near(self._roster, self.index, box, self._nodes.coming_references())

    def set_coming(self, roles: Mapping[str, ReferenceKind]) -> None:
        """Take the sources attached to the coming generation of the current node, by node id."""
        self._state.attached = roles

    def on_path(self, row: int) -> bool:
        """Tell whether a card is on the active path, or is the draft that will continue it."""
        return self._state.is_on_path(self.key(row))

    def path_rows(self) -> Ints:
        if self._path_rows is None:
            cards = map(self._roster.card_of, self._state.path.node_ids)
            numbers = np.array([n for n in map(self._roster.numbers.get, cards) if n is not None], np.int64)
            above = self._roster.parents[numbers]  # parts of a text that is read in one piece are passed by
            self._path_rows = self.index.growth.rows_of(np.concatenate((numbers, above[above >= 0])))
        return self._path_rows

    def is_passed(self, row: int) -> bool:
        return bool(self.path_rows().searchsorted(row, "right") > self.path_rows().searchsorted(row))

    def fate(self, row: int) -> str:
        """Return the fate of a card's node in the coming context; empty if nothing is known."""
        return self._state.fates.get(self.key(row), "")

    def spoken(self, node_id: str) -> str:
        """Return a node in words: who says what, and what becomes of it; empty if there is none."""
        return self._state.spoken(node_id)

    def tints_of(self, rows: Ints) -> Ints:
        """Return the tints of cards, as places in `tinting.roles`."""
        numbers = self.index.growth.numbers[rows]
        self._tell_tints(numbers)
        return self.tinting.of(numbers)

    def _tell_tints(self, numbers: Ints) -> None:
        self.tinting.tell(self._roster.keys, numbers, self._nodes.authors, self._state.agents)

    # Making.

    def _face_stacks(self, node_ids: AbstractSet[str]) -> None:
        """Make stacks' cards anew: other versions may be on their faces, of other heights and tints."""
        self._face_cards({self._roster.cards[node_id] for node_id in node_ids & self._roster.cards.keys()})

    def _face_cards(self, cards: AbstractSet[str]) -> None:
        """Make the faces of these cards anew: other nodes may be on them."""
        if self.places.is_to_enrol:  # its stacks may hold nodes that are gone
            return
        numbers = {card: self._roster.numbers[card] for card in cards if card in self._roster.numbers}
        if numbers:
            self.places.resize(numbers)
            self.tinting.tell_again([*numbers.values()], map(self._nodes.author, numbers), self._state.agents)

    def _measuring(self, roster: CardTable, numbers: Ints) -> Iterator[None]:
        return self._nodes.measuring(roster, numbers, self._tell_tints)

    def _height(self, card: str) -> float:
        return self._nodes.height(card)

    def set_thumbnails(self, thumbnails: Thumbnails) -> None:
        self._faces.thumbnails = thumbnails

    def forget_sights(self) -> None:
        """Make faces anew: an image has come."""
        self._faces.clear()
