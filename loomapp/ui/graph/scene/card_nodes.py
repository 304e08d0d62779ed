"""Nodes on cards: of a stack of versions the one that is seen, its author, tint, height and indent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from loomapp.core.generation.drafts import failed_count
from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.card_table_build import nodes_of
from loomapp.core.layout.cards import Floats, Ints, Reference
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Text, images_of
from loomapp.core.model.entities import Node
from loomapp.core.paths.siblings import told_apart
from loomapp.core.prose.authorship import main_author
from loomapp.ui.graph.scene.card_faces import author_tint, draft_face, node_face, words
from loomapp.ui.graph.scene.card_places import Places
from loomapp.ui.graph.scene.card_text import LONG_TEXT, MOST_LINES, font, line_count, squeezed
from loomapp.ui.graph.scene.cards import Face, Kind, Sight, card_height, text_width
from loomapp.ui.graph.scene.scene_state import SceneState
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import Thumbnails

UNSURE = (18, 96)  # lengths of texts whose lines have to be looked at; shorter is one, longer is three
MANY_UNSURE = 4_000  # of so many at once the lines are told from their lengths
FEW = 50  # texts whose lines are looked at in one step
PORTION = 5_000  # nodes of which less is asked in one step
LINE_LENGTH = 24  # characters, on average


def measured() -> tuple[object, ...]:
    """Return all that positions are made of but the tree: equal if they can stay as they are."""
    kinds: tuple[Kind, ...] = ("message", "note", "start", "draft", "failed")
    heights = (card_height(kind, lines) for kind in kinds for lines in range(1, MOST_LINES + 1))
    metrics = (theme.metric(name) for name in ("card.width", "card.gap_x", "card.gap_y"))
    return (font("small").key(), text_width(theme.metric("card.width")), *metrics, *heights)


def lines_of(node: Node) -> int:
    if images_of(node.content):
        return MOST_LINES
    return line_count(squeezed(words(node.content, node.text)), text_width(theme.metric("card.width")))


def height_of(kind: Kind, node: Node) -> float:
    return card_height(kind, lines_of(node))


def measuring(nodes: Sequence[Node | None], heights: Floats) -> Iterator[None]:
    """Fill in the heights of the cards of these nodes, as messages, a few between two steps; None is a card
    that is no node.
    """
    lengths = np.empty(len(nodes), np.int64)
    for part in portions(len(nodes)):
        lengths[part] = _lengths(nodes[part])
        yield
    lines = np.clip(-(-lengths // LINE_LENGTH), 1, MOST_LINES)
    unsure = np.flatnonzero(((lengths >= UNSURE[0]) & (lengths <= UNSURE[1])) | (lengths < 0))
    if len(unsure) <= MANY_UNSURE:
        long = np.flatnonzero(lengths > UNSURE[1])[:MANY_UNSURE].tolist()
        spaced = [i for i in long if (node := nodes[i]) is not None and _is_sparse(node.text)]
        for done, i in enumerate((*unsure.tolist(), *spaced)):
            node = nodes[i]
            lines[i] = 1 if node is None else lines_of(node)
            if done % FEW == FEW - 1:
                yield
    by_lines = np.array([card_height("message", count) for count in range(1, MOST_LINES + 1)], np.float32)
    heights[: len(nodes)] = by_lines[lines - 1]


def _lengths(nodes: Sequence[Node | None]) -> list[int]:
    """Return the lengths of nodes' texts; -1 for one that has no text of its own."""
    contents = (None if node is None else node.content for node in nodes)
    return [len(content.text) if type(content) is Text else -1 for content in contents]


def portions(count: int) -> Iterator[slice]:
    """Yield slices of so many things, each as large as one step takes."""
    return (slice(begin, begin + PORTION) for begin in range(0, count, PORTION))


def lines_in(height: float) -> int:
    """Return the number of text lines for which a card of a height has room."""
    room = (height - card_height("message", 1)) / theme.line_height("small")
    return max(1, min(MOST_LINES, 1 + round(room)))


def _is_sparse(text: str) -> bool:
    """True for a long text that begins with so much white space that it may be short on a card."""
    return len(text[:LONG_TEXT].strip()) <= UNSURE[1]


Author: TypeAlias = tuple[str, str | None]  # type, agent id
Authors: TypeAlias = Callable[[Sequence[str]], Iterable[Author]]
Agents: TypeAlias = Mapping[str, Agent]

UNKNOWN = 255  # the tint of a card that nobody has asked for yet


class Tinting:
    """Tints of cards: `roles` are the colour roles that occur; a tint is a place in it."""

    def __init__(self) -> None:
        self.roles: list[str] = []
        self._of: Ints = np.zeros(0, np.uint8)  # by number of the card
        self._numbers: dict[Author, int] = {}
        self._cards: Sequence[str] = ()

    def forget(self) -> None:
        """Forget the tints: authors or their colours may have changed."""
        self.roles.clear()
        self._numbers.clear()
        self._of = np.zeros(0, np.uint8)

    def tell(self, cards: Sequence[str], numbers: Ints, authors: Authors, agents: Agents) -> None:
        """Tell the tints of those of some cards that have not been told; `cards` are all that there are."""
        if cards is not self._cards:
            self.forget()
            self._cards = cards
        if len(self._of) < len(cards):
            more = np.full(len(cards) - len(self._of), UNKNOWN, np.uint8)
            self._of = np.concatenate((self._of, more))
        unknown = numbers[self._of[numbers] == UNKNOWN]
        if not len(unknown):
            return
        whose = list(authors([cards[number] for number in unknown.tolist()]))
        for who in dict.fromkeys(whose):
            if who not in self._numbers:
                self._number(who, agents)
        self._of[unknown] = np.fromiter(map(self._numbers.__getitem__, whose), np.uint8, len(whose))

    def tell_again(self, numbers: Sequence[int], authors: Iterable[Author], agents: Agents) -> None:
        """Note that the authors of some cards changed."""
        for number, who in zip(numbers, authors, strict=True):
            if number < len(self._of) and self._of[number] != UNKNOWN:
                known = self._numbers.get(who)
                self._of[number] = self._number(who, agents) if known is None else known

    def of(self, numbers: Ints) -> Ints:
        chosen: Ints = self._of[numbers]
        return chosen

    def _number(self, who: Author, agents: Agents) -> int:
        role = author_tint(who[0], who[1], agents)
        if role not in self.roles:
            self.roles.append(role)
        self._numbers[who] = self.roles.index(role)
        return self._numbers[who]


class CardNodes:
    """Finds the node or draft that a card shows. A card goes by the name that positions go by: the id of a
    node, which stands for all its versions, or the key of a draft.
    """

    def __init__(self, state: SceneState, places: Places) -> None:
        self._state = state
        self._places = places

    def shown(self, card: str) -> str:
        """Return the version on a stack's face: the current or the path's one, else the newest living one; of
        a document the newest that is sent, if any is.
        """
        if card not in self._places.roster.versions:
            return card
        state, members = self._state, self.members(card)
        if state.current in members:
            return state.current
        chosen = next((node_id for node_id in members if node_id in state.path), None)
        if chosen is None and state.is_document(card):
            return state.newest_sent(members)
        return chosen or max(members, key=lambda node_id: (state.node(node_id).created_at, node_id))

    def members(self, card: str) -> tuple[str, ...]:
        """Return the versions on a card, those that are pruned only if they are shown or there are no
        others.
        """
        state, members = self._state, self._places.roster.versions.get(card, (card,))
        living = tuple(n for n in members if n in state.drafts or not state.node(n).metadata.pruned)
        return members if self._places.show_pruned or not living else living

    def leads_through(self, card: str) -> bool:
        path, leaf = self._state.path, self._state.leaf
        members = self._places.roster.versions.get(card, (card,))
        return any(member in path and member != leaf for member in members)

    def coming_references(self) -> tuple[Reference, ...]:
        """Return the references from the cards of attached sources to that of the current node."""
        state, roster = self._state, self._places.roster
        if state.current is None or not state.attached:
            return ()
        here = roster.card_of(state.current)
        cards = ((roster.card_of(node_id), role) for node_id, role in state.attached.items())
        return tuple(Reference(card, here, role) for card, role in cards if card != here)

    def is_start(self, card: str) -> bool:
        """Tell whether a card is the empty start of the tree."""
        tree = self._state.tree
        return tree is not None and tree.is_empty_root(card)

    def is_note(self, card: str) -> bool:
        """Tell whether a card hangs under another as a note."""
        tree, roster = self._state.tree, self._places.roster
        assert tree is not None
        number = roster.numbers.get(card)
        aside = number is not None and bool(roster.asides[number])
        return aside and bool(tree.annotation_edges_into(card))

    def height(self, card: str) -> float:
        """Return the height that a card's text needs, in canvas px."""
        tree = self._state.tree
        assert tree is not None
        if card in self._state.drafts:
            return card_height("draft", MOST_LINES)
        node_id = self.shown(card)
        if tree.is_empty_root(node_id):
            return card_height("start", 1)
        return height_of("note" if self.is_note(card) else "message", self._state.node(node_id))

    def measuring(
        self, roster: CardTable, numbers: Ints, tell_tints: Callable[[Ints], None]
    ) -> Iterator[None]:
        """Measure some cards, a few between two steps; those that unfold are tinted likewise. Of a tree that
        is shown anew, tints are told on another thread, or as they are asked for.
        """
        tree = self._state.tree
        assert tree is not None
        nodes, keys = tree.nodes, roster.keys
        known: list[Node | None] = nodes_of(tree, keys) if len(numbers) == len(keys) else []
        for part in portions(len(numbers) - len(known)):
            known += [nodes.get(keys[number]) for number in numbers[part].tolist()]
            yield
        heights: Floats = np.zeros(len(numbers), np.float32)
        yield from measuring(known, heights)
        for part in () if self._places.is_to_enrol else portions(len(numbers)):
            tell_tints(numbers[part])
            yield
        roster.heights[numbers] = heights
        special = roster.asides[: len(keys)].copy()
        drawn = (card for card in self._state.drafts if card in roster.numbers)
        special[[0, *(roster.numbers[card] for card in (*roster.versions, *drawn))]] = True
        for number in numbers[special[numbers]].tolist():
            roster.heights[number] = self.height(keys[number])

    def authors(self, cards: Sequence[str]) -> Iterator[Author]:
        """Yield the author of each card, as `author` does; of many a look at each node has to do."""
        nodes = self._state.tree.nodes if self._state.tree is not None else {}
        versions = self._places.roster.versions
        for card, node in zip(cards, map(nodes.get, cards), strict=True):
            if node is None or card in versions:
                yield self.author(card)
            else:
                yield self._main_author(node)

    def author(self, card: str) -> Author:
        """Return the author of the words on a card's face."""
        state = self._state
        if card in self._places.roster.versions:
            card = self.shown(card)
        node = state.tree.nodes.get(card) if state.tree is not None else None
        if node is not None:
            return self._main_author(node)
        live = state.drafts.get(card)
        return "model", live.agent_id if live is not None else None

    def _main_author(self, node: Node) -> Author:
        tree = self._state.tree
        if node.edited_from is None or tree is None:  # nearly every one, of very many
            return node.author_type, node.author_agent_id
        return main_author(tree, node)


class FaceCache:
    """Cache of faces, by card."""

    def __init__(self, state: SceneState, nodes: CardNodes) -> None:
        self.thumbnails: Thumbnails | None = None
        self._state = state
        self._nodes = nodes
        self._faces: dict[str, Face] = {}

    def get(self, card: str) -> Face | None:
        return self._faces.get(card)

    def made(self, card: str, height: float) -> Face:
        face = self._faces[card] = self._make(card, height)
        return face

    def drop(self, card: str) -> None:
        self._faces.pop(card, None)

    def clear(self) -> None:
        self._faces.clear()

    def _make(self, card: str, height: float) -> Face:
        state, nodes = self._state, self._nodes
        assert state.tree is not None
        if card in state.drafts:
            live = state.drafts[card]
            failed, on_path = failed_count(state.drafts.values()), state.is_on_path(card)
            return draft_face(live, state.agents.get(live.agent_id), on_path=on_path, failed=failed)
        node = state.node(nodes.shown(card))
        note = nodes.is_note(card)
        versions = len(told_apart(state.tree, node.id, nodes.members(card)))
        standing = state.standing(node, versions=versions, note=note)
        lines = lines_in(height + (card_height("message", 1) - card_height("note", 1)) * note)
        return node_face(state.tree, node, state.agents, standing, lines, self._sight(node))

    def _sight(self, node: Node) -> Sight | None:
        """Return the first image in a node, as far as it is there."""
        images = () if type(node.content) is Text else images_of(node.content)
        if not images or self.thumbnails is None:
            return None
        picture = self.thumbnails.image(images[0].ref)
        key = 0 if picture is None else picture.cacheKey()
        return Sight(images[0], picture, key, self.thumbnails.is_missing(images[0].ref))
