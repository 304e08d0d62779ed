"""The scene: a tree, its drafts and its states as rows of cards; laid out when someone asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from loomapp.core.arrangement import (
    Arrangement,
    Hanging,
    ReferenceKind,
    arrange,
    breadth_first,
    grown,
    moves_cards,
    with_hanging,
)
from loomapp.core.change import Change
from loomapp.core.generation import LiveDraft
from loomapp.core.layout import Floats, Ints, lay_out
from loomapp.core.tree import Agent, Node, Tree
from loomapp.ui import theme
from loomapp.ui.graph.cards import START_WIDTH, Face, Kind, card_height, text_width
from loomapp.ui.graph.faces import Standing, author_tint, draft_face, node_face, words
from loomapp.ui.graph.index import Box, Index
from loomapp.ui.graph.lettering import MOST_LINES, forget_fonts, line_count, squeezed

NOTHING = Index(lay_out({}, {}, gap=0), width=1, gap=0, linked=[])


class Line(NamedTuple):
    """A reference between two rows."""

    source: int
    target: int
    kind: ReferenceKind


class Scene:
    """What the canvas shows. Setters only note what is to be done; `settle` does it, once.

    Knows nodes by id and drafts by key; both are cards, and cards are rows of `index`.
    """

    def __init__(self) -> None:
        self.tree: Tree | None = None
        self.agents: dict[str, Agent] = {}
        self.current: str | None = None
        self._show_pruned = False
        self.drafts: dict[str, LiveDraft] = {}
        self._read_draft = ""
        self.index = NOTHING
        self.lines: tuple[Line, ...] = ()
        self.tints: list[str] = []  # the colour roles that `tint_of_row` counts
        self.tint_of_row: Ints = np.zeros(0, np.int64)
        self._path: frozenset[str] = frozenset()
        self._leaf: str | None = None
        self._path_rows: Ints | None = None
        self._fates: Mapping[str, str] = {}
        self._tagged: frozenset[str] = frozenset()
        self._base: Arrangement | None = None  # without drafts; None when it is to be made anew
        self._arrangement = Arrangement({})
        self._heights: dict[str, float] = {}
        self._rows: dict[str, int] = {}
        self._line_counts: dict[str, int] = {}
        self._faces: dict[int, Face] = {}
        self._line_boxes: tuple[Floats, ...] = ()
        self._stale = False

    # What the owner tells.

    def show(self, tree: Tree, agents: Iterable[Agent]) -> None:
        """Another tree; nothing of the last one stays."""
        self.tree = tree
        self.agents = {agent.id: agent for agent in agents}
        self.current = None
        self.drafts = {}
        self._path, self._leaf = frozenset(), None
        self._path_rows = None
        self._fates = {}
        self._line_counts.clear()
        self._base = None
        self._tagged = _tagged(tree)
        self.unsettle()

    def patch(self, change: Change) -> None:
        """The tree was moved by a change."""
        assert self.tree is not None
        if any(moves_cards(row.before, row.after) for row in change.rows):
            if self._base is not None:
                self._base = grown(self._base, change, self._rows)
            self.unsettle()
        self._tagged = _tagged(self.tree)
        self._faces.clear()

    def set_path(self, node_ids: Iterable[str]) -> None:
        """The active path, root first. Chooses the faces of stacks, so heights may change."""
        ordered = list(node_ids)
        self._path, self._leaf = frozenset(ordered), ordered[-1] if ordered else None
        self._path_rows = None
        if self._arrangement.versions:
            self.unsettle()
        self._faces.clear()

    def set_current(self, node_id: str | None) -> None:
        """The current node."""
        self.current = node_id
        if node_id is not None and node_id in self._arrangement.cards:
            self.unsettle()
        self._faces.clear()

    def set_show_pruned(self, show: bool) -> None:
        """Whether pruned nodes have cards."""
        self._show_pruned = show
        self._base = None
        self.unsettle()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """What becomes of each node in the coming context."""
        self._fates = fates
        self._faces.clear()

    def set_drafts(self, drafts: Iterable[LiveDraft]) -> None:
        """All drafts that live now."""
        before = [(d.key, d.parent_id) for d in self.drafts.values()]
        self.drafts = {draft.key: draft for draft in drafts}
        if before != [(d.key, d.parent_id) for d in self.drafts.values()]:
            self.unsettle()
        self._faces.clear()

    def set_read_draft(self, key: str) -> None:
        """The draft that is read; the path seems to go on there."""
        self._read_draft = key
        self._faces.clear()

    def draft_grew(self, draft: LiveDraft) -> int | None:
        """More text of one draft; the row to repaint."""
        if draft.key not in self.drafts:
            return None
        self.drafts[draft.key] = draft
        row = self._rows.get(draft.key)
        if row is not None:
            self._faces.pop(row, None)
        return row

    def restyle(self) -> None:
        """Fonts or colours changed."""
        forget_fonts()
        self._line_counts.clear()
        self._heights.clear()
        self.unsettle()

    def unsettle(self) -> None:
        """Positions are to be made anew."""
        self._stale = True
        self._faces.clear()

    # What the painter and the view ask.

    @property
    def stale(self) -> bool:
        """True when positions are no longer those of the tree."""
        return self._stale

    def settle(self) -> None:
        """Make positions that fit tree, drafts and path."""
        if not self._stale or self.tree is None:
            return
        self._stale = False
        self._path_rows = None
        if self._base is None:
            self._base = arrange(self.tree, show_pruned=self._show_pruned)
            self._heights.clear()
        live = (draft for draft in self.drafts.values() if draft.parent_id in self.tree.nodes)
        self._arrangement = with_hanging(self._base, [Hanging(d.key, d.parent_id) for d in live])
        asides = self._arrangement.asides
        self._measure()
        gap = theme.metric("card.gap_y")
        layout = lay_out(self._arrangement.families, self._heights, gap=gap, asides=asides)
        self._rows = {key: row for row, key in enumerate(layout.keys)}
        linked = [layout.parents[row] >= 0 and key not in asides for row, key in enumerate(layout.keys)]
        width, gap_x = theme.metric("card.width"), theme.metric("card.gap_x")
        self.index = Index(layout, width=width, gap=gap_x, linked=linked)
        self._index_tints()
        self._index_lines()

    def key(self, row: int) -> str:
        """The id of the node on a card's face, or the key of its draft."""
        key = self.index.layout.keys[row]
        return key if key in self.drafts else self._shown(key)

    def is_draft(self, row: int) -> bool:
        """True for a card that is no node yet."""
        return self.index.layout.keys[row] in self.drafts

    def row_of(self, key: str) -> int | None:
        """The row of a node's or draft's card; None if it is not shown."""
        return self._rows.get(self._arrangement.card_of(key))

    def card_of(self, node_id: str | None) -> str | None:
        """The card a node is on, by the name that positions go by."""
        return None if node_id is None else self._arrangement.card_of(node_id)

    def row_of_card(self, card: str) -> int | None:
        """The row of a card."""
        return self._rows.get(card)

    def node_ids(self) -> list[str]:
        """The nodes on the cards' faces, column by column."""
        return [self.key(row) for row in range(len(self.index)) if not self.is_draft(row)]

    def box(self, row: int) -> Box:
        """Where a card is painted; the start is smaller than its place."""
        box = self.index.box(row)
        return box._replace(left=box.right - START_WIDTH) if self._is_start(row) else box

    def lefts(self, rows: Ints) -> Floats:
        """The left edges of cards."""
        result: Floats = self.index.left[rows]
        if len(rows) and rows[0] == 0 and self._is_start(0):
            result[0] = self.box(0).left
        return result

    def row_at(self, x: float, y: float) -> int | None:
        """The card under a point of the canvas."""
        row = self.index.row_at(x, y)
        return row if row is not None and x >= self.box(row).left else None

    def face(self, row: int) -> Face:
        """What a card looks like."""
        face = self._faces.get(row)
        if face is None:
            face = self._faces[row] = self._make_face(row)
        return face

    def full_text(self, row: int) -> str:
        """All that a card's node or draft says."""
        key = self.key(row)
        if key in self.drafts:
            draft = self.drafts[key].draft
            return str(draft.error) if draft.error is not None else draft.text
        node = self._node(key)
        return words(node.content, node.text)

    def lines_in(self, box: Box) -> list[Line]:
        """The references that may cross a box."""
        if not self.lines:
            return []
        left, top, right, bottom = self._line_boxes
        hits = (left <= box.right) & (right >= box.left) & (top <= box.bottom) & (bottom >= box.top)
        return [self.lines[i] for i in np.flatnonzero(hits)]

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
            rows = (self.row_of(node_id) for node_id in self._path)
            self._path_rows = np.array(sorted({row for row in rows if row is not None}), np.int64)
        return self._path_rows

    def fate(self, row: int) -> str:
        """What becomes of a card's node in the coming context; empty if nothing is known."""
        return self._fates.get(self.key(row), "")

    # Making.

    def _node(self, node_id: str) -> Node:
        assert self.tree is not None
        return self.tree.nodes[node_id]

    def _shown(self, card: str) -> str:
        """The version on a stack's face: the current or the path's one, else the newest."""
        members = self._arrangement.versions.get(card)
        if members is None:
            return card
        if self.current in members:
            return self.current
        chosen = next((node_id for node_id in members if node_id in self._path), None)
        return chosen or max(members, key=lambda node_id: (self._node(node_id).created_at, node_id))

    def _measure(self) -> None:
        """Heights of new cards, and of stacks, whose face may be another one now."""
        heights, stacks = self._heights, self._arrangement.versions
        for card in breadth_first(self._arrangement.families):
            if card not in heights or card in stacks:
                heights[card] = self._height(card)

    def _height(self, card: str) -> float:
        assert self.tree is not None
        if card in self.drafts:
            return card_height("draft", MOST_LINES)
        node_id = self._shown(card)
        if self.tree.is_empty_root(node_id):
            return card_height("start", 1)
        kind: Kind = "note" if self._is_note(card) else "message"
        return card_height(kind, self._line_count(node_id))

    def _line_count(self, node_id: str) -> int:
        count = self._line_counts.get(node_id)
        if count is None:
            node = self._node(node_id)
            text = squeezed(words(node.content, node.text))
            count = self._line_counts[node_id] = line_count(text, text_width(theme.metric("card.width")))
        return count

    def _is_start(self, row: int) -> bool:
        key = self.index.layout.keys[row]
        return row == 0 and self.tree is not None and self.tree.is_empty_root(key)

    def _is_note(self, card: str) -> bool:
        assert self.tree is not None
        return card in self._arrangement.asides and bool(self.tree.annotation_edges_into(card))

    def _make_face(self, row: int) -> Face:
        assert self.tree is not None
        card = self.index.layout.keys[row]
        if card in self.drafts:
            live = self.drafts[card]
            return draft_face(live, self.agents.get(live.agent_id), on_path=self.on_path(row))
        node = self._node(self._shown(card))
        standing = Standing(
            on_path=node.id in self._path,
            current=node.id == self.current,
            fate=self._fates.get(node.id, ""),
            versions=len(self._arrangement.versions.get(card, (card,))),
            note=self._is_note(card),
            notes=len(self.tree.notes(node.id)),
            tagged=node.id in self._tagged,
        )
        return node_face(self.tree, node, self.agents, standing, self._line_count(node.id))

    def _index_tints(self) -> None:
        assert self.tree is not None
        roles: dict[tuple[str, str | None], int] = {}  # author -> number of the tint
        self.tints = []
        tints = []
        for card in self.index.layout.keys:
            author: tuple[str, str | None]
            if card in self.drafts:
                author = ("model", self.drafts[card].agent_id)
            else:
                node = self.tree.nodes[self._shown(card)]
                author = (node.author_type, node.author_agent_id)
            number = roles.get(author)
            if number is None:
                number = roles[author] = self._number_of_tint(author_tint(author[0], author[1], self.agents))
            tints.append(number)
        self.tint_of_row = np.array(tints, np.int64)

    def _number_of_tint(self, role: str) -> int:
        if role not in self.tints:
            self.tints.append(role)
        return self.tints.index(role)

    def _index_lines(self) -> None:
        rows = self._rows
        self.lines = tuple(
            Line(rows[source], rows[target], kind)
            for source, target, kind in self._arrangement.references
            if source in rows and target in rows
        )
        a = np.array([line.source for line in self.lines], np.int64)
        b = np.array([line.target for line in self.lines], np.int64)
        index = self.index
        self._line_boxes = (
            np.minimum(index.left[a], index.left[b]) - index.pitch,
            np.minimum(index.top[a], index.top[b]),
            np.maximum(index.left[a], index.left[b]) + index.pitch,
            np.maximum(index.bottom[a], index.bottom[b]),
        )


def _tagged(tree: Tree) -> frozenset[str]:
    return frozenset(node_id for tag in tree.tags.values() for node_id in tag.node_ids)
