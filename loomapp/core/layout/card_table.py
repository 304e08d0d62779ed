"""Card table: the cards of a tree by number, in arrays that grow, patched from changes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.documents import document_of, is_loose_document
from loomapp.core.layout.cards import Flags, Floats, Ints, Reference, moving_cards, place_of
from loomapp.core.layout.layout import Shape
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.creation_order import parents_by
from loomapp.core.model.entities import Edge, EdgeSource, Node, Row
from loomapp.core.model.tree import Tree

ROOM = 1024  # numbers at first, then twice as many each time


class Moves(NamedTuple):
    """Effect of a change on cards, by number. `moved` are those that hang elsewhere now, or are hidden or
    shown with all below them: positions are to be made anew for them.
    """

    joined: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    moved: tuple[int, ...] = ()


NO_MOVES = Moves()


@dataclass(slots=True)
class CardTable:
    """A card has a number from when it comes; the number stays its own when it goes. Siblings are in the
    order of their numbers until one comes between others: then `orders` tells. A card goes by the id of its
    node, a stack of versions by that of its oldest.

    Arrays by number: `parents` (-1: first level), `heights` in px (0: not measured yet), `asides`, `pruned`,
    `gone`, `orders` (only to be compared among siblings).
    """

    keys: list[str]
    numbers: dict[str, int]
    parents: Ints
    asides: Flags
    pruned: Flags
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cards: Mapping[str, str] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    hosts: dict[int, int] = field(default_factory=dict)  # asides -> what they stand beside
    gone: Flags = field(init=False)
    heights: Floats = field(init=False)
    orders: Ints = field(init=False)
    _is_numbered: bool = field(init=False, default=True)  # whether all orders are the numbers

    def __post_init__(self) -> None:
        self.gone = np.zeros(len(self.parents), bool)
        self.heights = np.zeros(len(self.parents), np.float32)
        self.orders = np.arange(len(self.parents), dtype=np.int32)

    def __len__(self) -> int:
        return len(self.keys)

    def card_of(self, node_id: str) -> str:
        """The card a node is on, whether it is its face or not."""
        return self.cards.get(node_id, node_id)

    def number_of(self, node_id: str) -> int | None:
        return self.numbers.get(self.cards.get(node_id, node_id))

    def join(self, key: str, parent: int, *, aside: bool = False) -> int:
        """Add a card after its siblings, or one that comes back to where it was."""
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.keys)
            self.keys.append(key)
            if number >= len(self.parents):
                self._make_room()
            self.orders[number] = number
        self.parents[number], self.asides[number] = parent, aside
        self.gone[number] = self.pruned[number] = False
        return number

    def leave(self, number: int) -> None:
        self.gone[number] = True

    def siblings(self, number: int) -> tuple[Ints, Ints]:
        """The siblings that come before a card and after it, in any order, those that are gone too."""
        siblings = np.flatnonzero(self.parents[: len(self)] == self.parents[number])
        orders = self.orders[siblings]
        return siblings[orders < self.orders[number]], siblings[orders > self.orders[number]]

    def put_last(self, numbers: Sequence[int]) -> None:
        """Put some siblings after all others, in this order; others that join are last again."""
        siblings = np.flatnonzero(self.parents[: len(self)] == self.parents[numbers[0]])
        orders, own = self.orders[siblings], self.orders[[*numbers]]
        if (orders >= own[0]).sum() > len(numbers) or (own[1:] <= own[:-1]).any():
            self.orders[[*numbers]] = orders.max() + 1 + np.arange(len(numbers))
            self._is_numbered = False

    def put_before(self, number: int, others: Collection[int]) -> None:
        """Put a card right before the first of some siblings, if it does not stand before them."""
        family = self._family(int(self.parents[number]))
        at = next((place for place, one in enumerate(family) if one in others), len(family))
        if number in family[at:]:
            family.remove(number)
            self._put_in_order([*family[:at], number, *family[at:]])

    def _family(self, parent: int) -> list[int]:
        members = np.flatnonzero(self.parents[: len(self)] == parent)
        in_order: list[int] = members[np.argsort(self.orders[members], kind="stable")].tolist()
        return in_order

    def _put_in_order(self, family: list[int]) -> None:
        self.orders[family] = np.arange(len(family))
        self._is_numbered = False

    def _make_room(self) -> None:
        for name in ("parents", "asides", "pruned", "gone", "heights", "orders"):
            values = getattr(self, name)
            setattr(self, name, np.concatenate((values, np.zeros(max(ROOM, len(values)), values.dtype))))

    # Changes of the tree.

    def patch(self, tree: Tree, change: Change) -> Moves | None:
        """Follow a change that the tree has just been moved by; None if all is to be arranged anew."""
        rows = moving_cards(change.rows)
        if not rows:
            return NO_MOVES
        plan = [self._planned(tree, row) for row in rows]
        if None in plan or not self._is_whole(tree, rows):
            return None
        made: tuple[list[int], ...] = tuple([] for _ in NO_MOVES)
        for step in plan:
            more = None if step is None else step()
            if more is None:
                return None
            for numbers, some in zip(made, more, strict=True):
                numbers.extend(some)
        moves = Moves(*map(tuple, made))
        ends = [row.after.target_id for row in change.rows if isinstance(row.after, Edge)]
        placed = (self.numbers[self.card_of(end)] for end in ends)
        above = {int(self.parents[number]) for number in placed if not self.asides[number]} - {-1}
        return moves if all(self._is_sorted(tree, parent) for parent in above) else None

    def _is_whole(self, tree: Tree, rows: Iterable[RowChange]) -> bool:
        """True if every node that comes or goes does so with its edge: what is loose stands elsewhere, but a
        version stands on the card of what it was edited from.
        """
        rows = [row for row in rows if None in (row.before, row.after)]
        nodes = [row.row for row in rows if isinstance(row.row, Node)]
        ends = [row.row.target_id for row in rows if isinstance(row.row, Edge)]
        loose = {node.key for node in nodes} - set(ends)
        stacked = {row.row.key for row in rows if _is_stacked_version(tree, row)}
        return len(ends) == len(nodes) - len(loose) == len(set(ends)) and loose <= stacked

    def _planned(self, tree: Tree, row: RowChange) -> Callable[[], Moves | None] | None:
        """Plan the answer to a changed row; None if a look at the whole tree is needed."""
        may_stack = tree.loom.mode == "buffer" or _is_stacked_version(tree, row)
        of_version = self._planned_of_version(tree, row) if may_stack else None
        if of_version is not None:
            return of_version
        match row.before, row.after:
            case None, Node(id=node_id):  # edits that had cards of their own stand on its card now
                is_met = may_stack and any(edit in self.numbers for edit in tree.edits_of(node_id))
                return None if is_met else _nothing
            case Node(id=node_id), None:
                return None if node_id in self.cards else _nothing
            case Node(id=node_id), Node():
                if node_id in self.cards or node_id not in self.numbers:
                    return None
                return lambda: self._prune(self.numbers[node_id], row)
            case None, Edge(type="continuation", sources=(EdgeSource(parent, "primary"),), target_id=child):
                return lambda: self._come(tree, parent, child)
            case None, Edge(type="annotation", sources=(EdgeSource(host),), target_id=note):
                return lambda: self._come_beside(tree, host, note)
            case Edge(target_id=child, sources=(EdgeSource(),)), None if child in self.numbers:
                return lambda: self._go(child)
            case (
                Edge(type="continuation", sources=(EdgeSource(),)),
                Edge(type="continuation", sources=(EdgeSource(parent, "primary"),), target_id=child),
            ) if child in self.numbers and child not in self.cards:
                return lambda: self._rehang(parent, child)
        return None

    def _planned_of_version(self, tree: Tree, row: RowChange) -> Callable[[], Moves | None] | None:
        """Plan the answer to a version that came to or left a passage of a buffer or a document; None for any
        other row.
        """
        match row.before, row.after:
            case None, Node(id=node_id, edited_from=str(original_id)):
                return lambda: self._stack(tree, original_id, node_id)
            case Node(id=node_id), None if self.card_of(node_id) != node_id:
                return lambda: self._unstack(tree, node_id)
            case None, Edge(type="continuation", sources=(_, _, *_)) as edge:
                return lambda: NO_MOVES if self._is_stacked(tree, edge) else None
            case Edge(target_id=child), None if self.card_of(child) != child:
                return _nothing  # a version goes, the card stays
            case (
                Edge(type=kind, sources=(_, *_) as before),
                Edge(type=same, sources=(_, *_) as after),
            ) if kind == same and self._is_one_card(before, after):
                return lambda: self._follow_versions(row.row, before, after)
        return None

    def _come(self, tree: Tree, parent: str, child: str) -> Moves | None:
        if child in self.cards:
            return NO_MOVES  # a version: it is on its card already
        above = self.number_of(parent)
        if above is None:
            return None
        number = self.join(child, above)
        self.pruned[number] = tree.nodes[child].metadata.pruned  # as an answer to what is pruned comes
        return Moves(joined=(number,))

    def _stack(self, tree: Tree, original_id: str, version_id: str) -> Moves | None:
        """A version comes on the card of what it was edited from, if it hangs on the same."""
        card = self.card_of(original_id)
        number = self.numbers.get(card)
        if number is None or original_id not in tree.nodes or version_id in self.numbers:
            return None
        if place_of(tree, version_id) != place_of(tree, original_id):
            return None
        members = (*self.versions.get(card, (original_id,)), version_id)
        self.versions = {**self.versions, card: members}
        self.cards = {**self.cards, **dict.fromkeys(members, card)}
        return self._prune_stack(tree, number, members)

    def _unstack(self, tree: Tree, version_id: str) -> Moves | None:
        """A version goes that is not the oldest of its card."""
        card = self.cards[version_id]
        members = tuple(member for member in self.versions[card] if member != version_id)
        cards = {member: on for member, on in self.cards.items() if member != version_id}
        versions = {**self.versions, card: members}
        if len(members) == 1:
            del versions[card], cards[card]
        self.versions, self.cards = versions, cards
        here = [member for member in members if member in tree.nodes]  # others may go with it
        return self._prune_stack(tree, self.numbers[card], here)

    def _prune_stack(self, tree: Tree, number: int, members: Iterable[str]) -> Moves:
        pruned = all(tree.nodes[member].metadata.pruned for member in members)
        was, self.pruned[number] = bool(self.pruned[number]), pruned
        return NO_MOVES if was == pruned else Moves(moved=(number,))

    def _is_stacked(self, tree: Tree, edge: Edge) -> bool:
        """True if an edge leads to a version as one leads to another member of its card."""
        card = self.cards.get(edge.target_id)
        others = [member for member in self.versions.get(card or "", ()) if member != edge.target_id]
        return any(known.sources == edge.sources for other in others for known in tree.incoming(other))

    def _is_one_card(self, before: tuple[EdgeSource, ...], after: tuple[EdgeSource, ...]) -> bool:
        """True if all that something continues no more is on the card of what it continues still."""
        card = self.card_of(before[0].node_id)
        left = before[len(after) :]
        is_same = before[: len(after)] == after[: len(before)]
        return is_same and all(one.role == "primary" and self.card_of(one.node_id) == card for one in left)

    def _follow_versions(
        self, edge: Row, before: tuple[EdgeSource, ...], after: tuple[EdgeSource, ...]
    ) -> Moves | None:
        """Leave a card in its place if only versions on the card of its parent came or went."""
        number = self.numbers.get(self.card_of(edge.target_id)) if isinstance(edge, Edge) else None
        parent = -1 if number is None else self.hosts.get(number, int(self.parents[number]))
        come = after[len(before) :]
        is_one = all(one.role == "primary" and self.number_of(one.node_id) == parent for one in come)
        return NO_MOVES if is_one else None

    def _come_beside(self, tree: Tree, host: str, note: str) -> Moves | None:
        """A note stands after what it is about, the notes of that, and theirs; its edits on its card."""
        if note in self.cards:
            return NO_MOVES
        beside = self.number_of(host)
        if beside is None:
            return None
        self.references = (*self.references, Reference(self.card_of(host), note, "note"))
        number = self.join(note, int(self.parents[beside]), aside=True)
        self.pruned[number] = tree.nodes[note].metadata.pruned
        self.hosts[number] = beside
        family = [other for other in self._family(int(self.parents[beside])) if other != number]
        later = itertools.dropwhile(lambda other: other != note, tree.notes(host))
        known = (self.numbers.get(other) for other in later if other != note)
        at = next((family.index(n) for n in known if n is not None), self._end(family, beside))
        self._put_in_order([*family[:at], number, *family[at:]])
        return Moves(joined=(number,))

    def _end(self, family: list[int], host: int) -> int:
        """Find the end of the cards that stand beside a card, and beside those."""
        beside = {host}
        at = family.index(host) + 1
        while at < len(family) and self.hosts.get(family[at]) in beside:
            beside.add(family[at])
            at += 1
        return at

    def _go(self, child: str) -> Moves:
        number = self.numbers[child]
        self.leave(number)
        self.references = tuple(r for r in self.references if child not in (r.source, r.target))
        return Moves(left=(number,))

    def _rehang(self, parent: str, child: str) -> Moves | None:
        number, above = self.numbers[child], self.number_of(parent)
        if above is None or number in self.hosts.values():
            return None
        if not self._is_numbered:  # its order was one among other siblings
            self._put_in_order([*self._family(above), number])
        self.parents[number] = above
        return Moves(moved=(number,))

    def _prune(self, number: int, row: RowChange) -> Moves:
        assert isinstance(row.after, Node)
        self.pruned[number] = row.after.metadata.pruned
        return Moves(moved=(number,))

    def _is_sorted(self, tree: Tree, parent: int) -> bool:
        """Make the children of a card stand as the tree has them; False if they are not all known."""
        children = self._children(tree, self.keys[parent])
        cards = dict.fromkeys(map(self.card_of, children)) if self.cards else children
        known = list(map(self.numbers.get, cards))
        numbers = [number for number in known if number is not None]
        if len(numbers) < len(known):
            return False
        orders = self.orders[numbers]
        if (orders[1:] < orders[:-1]).any():
            self._sort(parent, numbers)
        return True

    def _children(self, tree: Tree, card: str) -> Sequence[str]:
        """Return the continuations of a card, whichever version they hang on, in order of creation."""
        members = self.versions.get(card, (card,))
        if len(members) == 1:
            return tree.children(card)
        out = ((member, edge) for member in members for edge in tree.edges_out(member))
        ways = {edge.id: edge for member, edge in out if member in parents_by(edge)}
        return [ways[edge_id].target_id for edge_id in sorted(ways, key=tree.edge_place)]

    def _sort(self, parent: int, wanted: list[int]) -> None:
        """Put children in an order, what stands beside them after each, and last those it does not name."""
        places = {number: place for place, number in enumerate(dict.fromkeys(wanted))}

        def place(number: int) -> int:
            while number in self.hosts:
                number = self.hosts[number]
            return places.get(number, len(places))

        self._put_in_order(sorted(self._family(parent), key=place))

    def shape(
        self,
        *,
        folded: tuple[int, ...] = (),
        views: tuple[int, ...] = (),
        hoisted: int = -1,
        show_pruned: bool = False,
        breadth: float | None = None,
    ) -> Shape:
        """Copy the present cards as a layout needs them, so that it may be worked on elsewhere.

        `breadth` is the size of every card along its level, if that is not its height.
        """
        size = len(self)
        pruned = np.zeros(size, bool) if show_pruned else self.pruned[:size].copy()
        sizes = self.heights[:size].copy() if breadth is None else np.full(size, breadth, np.float32)
        arrays = (self.parents[:size].copy(), sizes, self.asides[:size].copy())
        orders = None if self._is_numbered else self.orders[:size].copy()
        return Shape(*arrays, pruned, ~self.gone[:size], folded, hoisted, orders, views)


def _is_stacked_version(tree: Tree, row: RowChange) -> bool:
    """True for a version that came or went and stands on the card of what it was edited from, wherever that
    is: in a dialogue only one of a document.
    """
    node = row.row
    if not isinstance(node, Node) or node.edited_from is None or None not in (row.before, row.after):
        return False
    if tree.loom.mode == "buffer":
        return True
    here = (node.id, node.edited_from) if row.before is None else ()
    return document_of(node) is not None and all(is_loose_document(tree, node_id) for node_id in here)


def _nothing() -> Moves:
    return NO_MOVES
