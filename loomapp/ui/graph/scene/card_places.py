"""Places: where the cards of a tree are, kept up to date change by change; folding and hoisting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from loomapp.core.layout.card_table import CardTable, Moves
from loomapp.core.layout.card_table_build import enrol
from loomapp.core.layout.cards import Ints
from loomapp.core.layout.incremental import Growth
from loomapp.core.layout.layout import DepthFirst, Shape, Shown, lay_out, old_branches, shown
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.ui.graph.scene.card_text import MOST_LINES
from loomapp.ui.graph.scene.cards import card_height
from loomapp.ui.graph.scene.draft_cards import DraftCards, Seats
from loomapp.ui.graph.scene.spatial_index import CanvasMeasures, Direction, Index
from loomapp.ui.look import theme

AT_ONCE = 800  # cards that are laid out anew in a moment, shorter than saving what moved them
NOBODY = CardTable([], {}, np.zeros(0, np.int32), np.zeros(0, bool), np.zeros(0, bool))
NOTHING = Growth(lay_out(NOBODY.shape(), 0), 0)


class Tidying(NamedTuple):
    """Layout of all cards away from the tree: it may run on another thread."""

    shape: Shape
    gap: float
    stamp: int

    def done(self, seen: Shown | None = None) -> Growth:
        """The full layout; `seen` says what is shown, if that is known."""
        return Growth(lay_out(self.shape, self.gap, seen), self.gap)


class Places:
    """Cards by number in `roster`, by row in `index`. Setters note what is to be done, `settle` does it.

    Few cards more or less are given places at once; what needs the whole laid out is done at once in small
    trees, and in large ones left to `tidying`, until whose end the old positions serve. A card has the height
    0 until it is measured, which is before it is shown first: most cards of a large tree are folded away.
    """

    def __init__(
        self, measure: Callable[[str], float], measuring: Callable[[CardTable, Ints], Iterator[None]]
    ) -> None:
        self.roster = NOBODY
        self.direction: Direction = "right"  # to grow in; `frame` has the one that is shown
        self.frame = frame_of(self.direction)
        self.index = Index(NOTHING, self.roster, self.frame)
        self.folded: dict[str, int] = {}  # card -> how many it hides now
        self._opening: set[str] = set()  # cards whose branches are opened as soon as all is laid out
        self.hoisted = ""
        self.show_pruned = False
        self.untidy = False  # whether a tidying would move something
        self.stale = False  # whether `settle` would do something
        self._measure, self._measuring = measure, measuring
        self._tree: Tree | None = None
        self.at_first: Callable[[], None] | None = None  # decides what is folded, before the first layout
        self._drafts = DraftCards()
        self._anew = False
        self.relaid = False  # whether old positions only serve until all is laid out anew
        self._moves = Moves()
        self._resized: set[str] = set()
        self._reading: DepthFirst | None = (
            None  # of the tree, and what is shown of it: from one step to the next
        )
        self._seen: Shown | None = None
        self.stamp = 0  # another one whenever positions may be others

    # What is to be done.

    def show(self, tree: Tree) -> None:
        self._tree, self.hoisted, self.folded = tree, "", {}
        self._drafts.replace({})
        self.arrange_anew()

    def arrange_anew(self) -> None:
        self._anew = self.stale = True
        self._moves = Moves()
        self._resized.clear()

    def lay_out_anew(self) -> None:
        """Have positions made anew; the cards stay."""
        self.relaid = self.stale = True

    def patch(self, change: Change) -> None:
        if self._tree is None or self._anew:
            return
        moves = self.roster.patch(self._tree, change)
        if moves is None:
            self.arrange_anew()
        elif any(moves):
            self._drafts.put_last(self.roster)
            self._note(moves)

    def set_drafts(self, drafts: Mapping[str, str], later: Mapping[str, Sequence[str]]) -> None:
        """Take the drafts that have cards, by the node each hangs under, and nodes that each is before."""
        before, self._drafts.later = self._drafts.replace(drafts), later
        if self._anew or before == drafts:
            return
        numbers = self.roster.numbers
        left = tuple(numbers[key] for key in before if key not in drafts and key in numbers)
        for number in left:
            self.roster.leave(number)
        self._note(Moves(self._drafts.join(self.roster, (key for key in drafts if key not in before)), left))

    def resize(self, cards: Iterable[str]) -> None:
        self._resized.update(cards)
        self.stale = self.stale or bool(self._resized)

    def _note(self, moves: Moves) -> None:
        self._moves = Moves(*(a + b for a, b in zip(self._moves, moves, strict=True)))
        self.stale = True

    # Doing it.

    @property
    def is_to_enrol(self) -> bool:
        """True if the roster is that of an earlier state; all are enrolled before they are seen."""
        return self._anew

    @property
    def is_small(self) -> bool:
        """True if a full layout is a matter of a moment."""
        return len(self.roster) <= AT_ONCE

    def settle(self) -> None:
        if not self.stale or self._tree is None:
            return
        self.stale = False
        self.stamp += 1
        gone, (joined, left, moved) = self.roster.gone, self._moves
        if not self._anew:  # a card may have come and gone again since it was settled last
            here = tuple(number for number in joined if not gone[number])
            self._moves = Moves(here, tuple(number for number in left if gone[number]), moved)
        if self._anew:
            self.enrol()
            for _ in self.measuring():
                pass
            self.arrange()
        elif self.is_small:
            self._measure_some(self._moves.joined)
            self.take(self.laid_out())
        else:
            self._grow()
        self._anew = False
        self._moves = Moves()
        self._resized.clear()

    # All anew, in three steps, of which only `measuring` needs fonts and so the GUI thread.

    def enrol(self) -> None:
        """Number the cards, and fold."""
        assert self._tree is not None
        self.roster = enrol(self._tree)
        self._drafts.join(self.roster, self._drafts)
        at_first, self.at_first, self._reading = self.at_first, None, None
        if at_first is not None:
            at_first()
        self._seen, self._reading = shown(self.tidying().shape, self._reading), None

    def measuring(self) -> Iterator[None]:
        """Measure the cards that will be shown, a few between two steps."""
        assert self._seen is not None, "they are numbered before they are measured"
        yield from self._measuring(self.roster, np.flatnonzero(self._seen.flags))

    def arrange(self) -> None:
        seen, self._seen = self._seen, None
        self.take(self.tidying().done(seen))
        self._anew = self.stale = False

    def forget(self) -> None:
        self._tree, self.at_first = None, None
        self.roster = NOBODY
        self.index = Index(NOTHING, self.roster, self.frame)

    def take_over(self, ahead: Places) -> None:
        """Have the cards and places that others made of the same tree, which are theirs no more."""
        self.roster, self.folded, self.hoisted = ahead.roster, ahead.folded, ahead.hoisted
        self.frame = ahead.frame
        self.index = Index(ahead.index.growth, self.roster, self.frame)
        self.at_first = None
        self.untidy = self.relaid = self._anew = self.stale = False
        self.stamp += 1

    def _measure_some(self, numbers: Iterable[int]) -> None:
        known = (self.roster.numbers.get(card) for card in self._resized)
        resized = (number for number in known if number is not None and not self.roster.gone[number])
        for number in (*numbers, *resized):
            self.roster.heights[number] = self._measure(self.roster.keys[number])

    def _grow(self) -> None:
        """Give few cards places at once, others on top of the old ones."""
        growth, roster, moves = self.index.growth, self.roster, self._moves
        self.untidy = True
        self._measure_some(moves.joined)
        leaving = {number: row for number in moves.left if (row := growth.row_of(number)) is not None}
        self.relaid = self.relaid or len(moves.joined) > growth.room
        seats = Seats(growth, roster, self._size, leaving, self._drafts.numbers(roster))
        for number in () if self.relaid else moves.joined:
            self._place(number, seats)
        for row in leaving.values():  # at once, whatever is to come: what is gone has no face to paint
            growth.hide(row)
        if self.relaid:
            return
        for number in moves.moved:
            row = growth.row_of(number)
            if row is not None and roster.pruned[number] and not self.show_pruned:
                growth.hide(row)
            else:
                self.relaid = True
        if self.frame.direction == "right":
            for card in self._resized:
                self._stretch(card)

    def _place(self, number: int, seats: Seats) -> None:
        if self.roster.pruned[number] and not self.show_pruned:
            return
        growth, above = self.index.growth, int(self.roster.parents[number])
        parent = None if self.is_folded(self.roster.keys[above]) else growth.row_of(above)
        if parent is not None and growth.row_of(number) is None:
            self.relaid = not seats.take(number, parent) or self.relaid

    def _size(self, number: int) -> float:
        breadth = self.frame.breadth
        return breadth if breadth is not None else float(self.roster.heights[number])

    def _stretch(self, card: str) -> None:
        number = self.roster.numbers.get(card)
        row = None if number is None else self.index.growth.row_of(number)
        if number is not None and row is not None:
            self.index.growth.stretch(row, float(self.roster.heights[number]))

    def tidying(self) -> Tidying:
        """Return the work of a tidying, to be run elsewhere."""
        numbers = self.roster.numbers
        folded = tuple(numbers[card] for card in self.folded if card in numbers)
        hoisted = numbers.get(self.roster.card_of(self.hoisted), -1)
        if hoisted >= 0 and self.roster.gone[hoisted]:
            hoisted = -1
        shape = self.roster.shape(
            folded=folded,
            views=tuple(self._drafts.numbers(self.roster)),
            hoisted=hoisted,
            show_pruned=self.show_pruned,
            breadth=frame_of(self.direction).breadth,
        )
        return Tidying(shape, theme.metric("card.gap_y"), self.stamp)

    def is_current(self, tidying: Tidying) -> bool:
        return tidying.stamp == self.stamp and not self.stale

    def take(self, growth: Growth) -> None:
        self.stamp += 1
        self.frame = frame_of(self.direction)
        self.index = Index(growth, self.roster, self.frame)
        self._opening.clear()
        keys = self.roster.keys
        self.folded = {card: 0 for card in self.folded if card in self.roster.numbers} | {
            keys[number]: count for number, count in growth.folded.items()
        }
        self.untidy = self.relaid = False

    def laid_out(self) -> Growth:
        """Return the full layout, with what it shows measured."""
        growth = self.tidying().done()
        if steps := self.measuring_for(growth):
            for _ in steps:
                pass
            growth = self.tidying().done()
        return growth

    def measuring_for(self, growth: Growth) -> Iterator[None] | None:
        """The steps in which to measure what a layout shows for the first time; it is to be made again then.
        None if there is nothing of the kind.
        """
        numbers = growth.numbers[: growth.count]
        unknown = numbers[self.roster.heights[numbers] == 0]
        return self._measuring(self.roster, unknown) if len(unknown) else None

    # Folding, hoisting, direction.

    def is_folded(self, card: str) -> bool:
        return card in self.folded

    def can_fold(self, row: int) -> bool:
        """True if nodes follow a card that are shown, or will be in a moment."""
        roster, growth = self.roster, self.index.growth
        numbers = (growth.numbers.item(child) for child in growth.children(row))
        follows = (not roster.asides[n] and roster.keys[n] not in self._drafts for n in numbers)
        return any(follows) or roster.keys[self.index.number(row)] in self._opening

    def fold(self, card: str) -> None:
        self.folded[card] = 0
        self.stamp += 1
        row = self.row_of_card(card)
        if row is not None and not self.is_small:
            before = self._drafts_shown
            self.folded[card] = self.index.growth.hide_below(row) - (before - self._drafts_shown)
        self.lay_out_anew()

    @property
    def _drafts_shown(self) -> int:
        return sum(self.row_of_card(key) is not None for key in self._drafts)

    def unfold(self, cards: Iterable[str]) -> None:
        found = [card for card in cards if self.folded.pop(card, None) is not None]
        if found:
            self._opening.update(found)
            self.lay_out_anew()

    def unfold_to(self, node_id: str) -> None:
        """Open whatever hides a node, folded branches and a hoisted one."""
        if not self.folded and not self.hoisted:
            return
        number, parents = self.roster.number_of(node_id), self.roster.parents
        above: list[int] = []
        while number is not None and number >= 0:
            above.append(number)
            number = parents.item(number)
        if self.hoisted and self.roster.number_of(self.hoisted) not in above:
            self.hoist("")
        opened = set(above[1:])
        self.unfold([card for card in self.folded if self.roster.numbers.get(card) in opened])

    def is_below(self, node_id: str, above_id: str) -> bool:
        """True if a node's card hangs below another's, near or far; False where either is not there."""
        number, above = self.roster.number_of(node_id), self.roster.number_of(above_id)
        parents = self.roster.parents
        while number is not None and number >= 0 and above is not None:
            number = parents.item(number)
            if number == above:
                return True
        return False

    def fold_old(self, path: Collection[str], kept: Collection[str], ages: Ints) -> None:
        """Fold the old branches beside a path; nodes that are `kept` stay in sight."""

        def numbers(node_ids: Iterable[str]) -> Ints:
            found = (self.roster.number_of(node_id) for node_id in node_ids)
            return np.array([number for number in found if number is not None], np.int64)

        shape = self.tidying().shape
        self._reading = DepthFirst(shape.parents, shape.there, shape.orders)
        old = old_branches(shape, self._reading, numbers(path), numbers(kept), ages)
        self.folded = {self.roster.keys[number]: 0 for number in old}

    def hoist(self, node_id: str) -> None:
        """Show nothing but a node and what is below it; empty for all again."""
        if node_id != self.hoisted:
            self.hoisted = node_id
            self.lay_out_anew()

    def set_direction(self, direction: Direction) -> None:
        """Grow from left to right, or from the top down."""
        if direction != self.direction:
            self.direction = direction
            self.lay_out_anew()

    def restyle(self) -> None:
        self.frame = frame_of(self.frame.direction)
        self.arrange_anew()

    def row_of_card(self, card: str) -> int | None:
        """Return the row of a card; None if it is not shown."""
        number = self.roster.numbers.get(card)
        return None if number is None else self.index.growth.row_of(number)


def frame_of(direction: Direction) -> CanvasMeasures:
    tallest = card_height("message", MOST_LINES)
    return CanvasMeasures(direction, theme.metric("card.width"), tallest, theme.metric("card.gap_x"))
