"""The outline of a tree as a map: the number of a row says how deep its message stands on its path.

Rows are indented only below a fork where two or more ways go on. A way that goes no further is one of the
alternatives of a row; runs without anything of note fold. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import field, replace
from itertools import dropwhile
from typing import NamedTuple

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.documents import is_unwritten
from loomapp.core.model.tree import Tree
from loomapp.core.outline.lines import (
    Found,
    LineEntry,
    LineRows,
    MainLine,
    OtherParent,
    OutlineRow,
    Rail,
)
from loomapp.core.outline.ways import SLICE, OutlineFolds, TreeWays, at_once
from loomapp.core.paths.path import NodeSequence
from loomapp.core.paths.version_groups import Kinship

MOST_FORKS = 6  # above the current node in one list
FEW = 1_000  # alternatives that are looked at one by one


@dataclass(frozen=True, slots=True)
class OutlineStart:
    """The place where a list of rows begins: the root, or a fork far down a path."""

    node_id: str
    number: int = 0
    forks_above: int = 0
    is_chosen: bool = False  # by a person, who wants to see more


class Fork(NamedTuple):
    """Fork at the end of a line: its ways that go on further, and all of them."""

    node_id: str
    going: list[str]
    on: tuple[str, ...]
    below: OtherParent | None  # the fork, if the row that it ends shows another alternative


@dataclass(slots=True)
class Outline:
    """The rows of a tree, found a little at each step of `building`. It holds until the tree moves."""

    tree: Tree
    ways: TreeWays
    folds: OutlineFolds
    trail: NodeSequence  # the way to the current node
    keeps: Callable[[OutlineRow], bool] | None = None  # rows that are listed; None: all
    awaited: Collection[str] = ()  # nodes below which answers are on their way, or failed
    start: OutlineStart | None = None  # where the list began before; where it begins once it is built
    offered: str = ""  # the answer that the end of the text offers, though no path leads there yet
    rows: list[OutlineRow] = field(default_factory=list)
    way_numbers: dict[str, int] = field(default_factory=dict)  # head of a way -> which of its fork's it is
    _numbers: dict[str, int] = field(default_factory=dict)
    _in_row_of: dict[str, str] = field(default_factory=dict)  # passage without words -> one beside it
    _met: set[str] = field(default_factory=set)

    def building(self) -> Generator[None]:
        """Find the rows, a little at each step: a large tree takes longer than a window may stand still."""
        yield from self.ways.look_through()
        self.start = start = yield from self._start()
        waiting: Found = []
        if start.forks_above:
            waiting.append(MainLine(start.node_id, start.number))
            self._add(OutlineRow("\0above", start.node_id, "above", start.number, ways=start.forks_above))
        else:
            beginnings = yield from self._beginnings()
            waiting += reversed(beginnings)
        added = 0
        while waiting:
            task = waiting.pop()
            if isinstance(task, OutlineRow):
                self._add(task)
                added += 1
                if added % SLICE == 0:
                    yield
            else:
                found = yield from self._expanded(task)
                waiting += reversed(found)

    def _add(self, row: OutlineRow) -> None:
        if self.keeps is not None and not self.keeps(row):
            return
        if row.is_node:
            self._numbers.setdefault(row.node_id, len(self.rows))
        self.rows.append(row)
        if row.is_node and row.node_id in self.awaited:
            key = f"\0answers\0{row.node_id}"
            self.rows.append(
                OutlineRow(key, row.node_id, "answers", row.number + 1, row.rails, depth=row.depth)
            )

    def row_number(self, node_id: str) -> int | None:
        """Return the number of the row that shows a node, or offers it; None if it is folded away."""
        node_id = self._in_row_of.get(node_id, node_id)
        found = self._numbers.get(node_id)
        if found is None and node_id in self.tree.nodes:
            rows = enumerate(self.rows)
            found = next(
                (n for n, row in rows if node_id in row.alternatives or node_id in row.versions), None
            )
        return found

    def _start(self) -> Generator[None, None, OutlineStart]:
        """Find where the list begins, so that no more than six forks are above the current node: where it did
        before, as long as that is so.
        """
        before = self.start
        here = None if before is None else self.trail.place_of(before.node_id)
        if before is not None and here is not None:
            if before.is_chosen:
                return before
            below = yield from self._forks(here, len(self.trail.node_ids))
            if len(below) <= MOST_FORKS:
                return before
        forks = yield from self._forks(0, len(self.trail.node_ids))
        return self._sixth_from_end(forks) if len(forks) > MOST_FORKS else OutlineStart(self.tree.root_id)

    def _forks(self, start: int, end: int) -> Generator[None, None, list[int]]:
        """The places of the first nodes of the trail after which several ways go on further, from one place
        to another.
        """
        trail, leading, forks, looked_at = self.trail.node_ids, self.tree.goes_on, list[int](), 0
        for place in [p for p, i in enumerate(trail[start:end], start) if i in leading]:
            on = self.ways.on(trail[place])
            if len(self.ways.going(on)) > 1:
                forks.append(place)
            looked_at += len(on)
            if looked_at >= SLICE:
                looked_at = 0
                yield
        return forks

    def _sixth_from_end(self, forks: Sequence[int]) -> OutlineStart:
        trail, place = self.trail.node_ids, forks[-MOST_FORKS]
        number = place + 1 - self.tree.is_empty_root(trail[0])
        return OutlineStart(trail[place], number, len(forks) - MOST_FORKS)

    def earlier_start(self) -> OutlineStart:
        """Return where the list begins once a person wants to see what is above it."""
        start = self.start
        here = None if start is None else self.trail.place_of(start.node_id)
        forks = at_once(self._forks(0, here or 0))
        above = self._sixth_from_end(forks) if len(forks) > MOST_FORKS else OutlineStart(self.tree.root_id)
        return replace(above, is_chosen=True)

    def _beginnings(self) -> Generator[None, None, list[MainLine]]:
        """The lines at the top: of the root, or below it if that is empty, and of what continues nothing."""
        root, ways, groups = self.tree.root_id, self.ways, dict[str, list[str]]()
        stems = Kinship(self.tree)
        for count, beginning in enumerate(ways.beginnings, 1):
            groups.setdefault(stems.of(beginning), []).append(beginning)
            if count % SLICE == 0:
                yield
        found: list[MainLine] = []
        for count, group in enumerate(groups.values(), 1):
            if count % SLICE == 0:
                yield
            is_below = group[0] == root and self.tree.is_empty_root(root)
            if is_below:
                found += yield from self._lines_of(ways.on(root), root)
                found += [MainLine(i, 0, is_note=True) for i in ways.notes(root)]
            on = yield from ways.finding_ways(self._written(group[is_below:]))
            found += yield from self._lines_of(on)
        return found

    def _written(self, versions: list[str]) -> list[str]:
        """Leave out the version with which a document begins, before its first word, where others follow."""
        nodes = self.tree.nodes
        written = list(dropwhile(lambda i: is_unwritten(nodes[i]), versions)) or versions[-1:]
        for node_id in versions[: len(versions) - len(written)]:
            self._in_row_of[node_id] = written[-1]
        return written

    def _lines_of(
        self, on: tuple[str, ...], above: str | None = None
    ) -> Generator[None, None, list[MainLine]]:
        """The lines of several beginnings between which there is a choice."""
        going = self.ways.going(on)
        if len(going) < 2:
            return [MainLine(going[0] if going else on[-1], 1, alternatives=on, above=above)] if on else []
        lines: list[MainLine] = []
        for count, head in enumerate(going, 1):
            lines.append(MainLine(head, 1))
            if count % SLICE == 0:
                yield
        leading = set(going)
        quiet = tuple(i for i in on if i not in leading)
        return [*lines, *([MainLine(quiet[-1], 1, alternatives=quiet, above=above)] if quiet else [])]

    def _shown(self, alternatives: Sequence[str], above: str | None) -> str:
        """The one of several that is shown: on the way to the current node, else read, else offered, else the
        one that goes on, else the newest.
        """
        for way in (self.ways.trail, self.ways.path):
            place = None if above is None else way.place_of(above)
            after = way.node_ids[place + 1 : place + 2] if place is not None else ()
            if after and after[0] in alternatives:
                return after[0]
            if len(alternatives) <= FEW:
                found = next((i for i in alternatives if i in way), None)
                if found is not None:
                    return found
        if self.offered in alternatives:
            return self.offered
        going = self.ways.going(tuple(alternatives))
        return going[0] if going else alternatives[-1]

    # Lines

    def _expanded(self, line: MainLine) -> Generator[None, None, Found]:
        entries, fork = yield from self._follow(line)
        if not entries:
            return []
        going = [] if fork is None else fork.going
        rows, is_hidden = yield from LineRows(self.tree, self.ways, self.folds).of(line, entries, going)
        if fork is not None and not is_hidden:
            rows += yield from self._fork(line, entries, fork)
        return rows

    def _follow(self, line: MainLine) -> Generator[None, None, tuple[list[LineEntry], Fork | None]]:
        """The messages of a line, and the fork at its end if there is one. A passage of which no word is left
        has no row of its own, but where it is a way of a fork.
        """
        ways, met, only = self.ways, self._met, self.ways.only
        entries: list[LineEntry] = []
        wordless: list[str] = []  # before the first that has words
        may_begin_later = not (line.is_way or line.is_note)
        alternatives = line.alternatives if len(line.alternatives) > 1 else ()
        carrier, above, below = line.head, line.above, line.below
        looked_at = SLICE
        while carrier not in met:
            looked_at += 1 + len(alternatives)
            if looked_at >= SLICE:
                looked_at = 0
                yield
            met.add(carrier)
            met.update(alternatives)
            shown = self._shown(alternatives, above) if alternatives else carrier
            if alternatives or not (entries or may_begin_later) or ways.has_words(shown):
                entries.append(LineEntry(carrier, shown, alternatives, below))
                below = entries[-1].carries_on_unseen()
                self._in_row_of.update(dict.fromkeys(wordless, shown))
                wordless.clear()
            elif entries:
                self._in_row_of[shown] = entries[-1].shown
            else:
                wordless.append(shown)
            above, alternatives = carrier, ()
            if carrier in only:
                carrier = only[carrier]
                continue
            on = ways.on(carrier)
            if not on:
                break
            going = ways.going(on)
            if len(going) > 1:
                return entries or [LineEntry(carrier, carrier)], Fork(carrier, going, on, below)
            carrier = going[0] if going else on[0]
            alternatives = on if len(on) > 1 else ()
        return entries, None

    def _fork(self, line: MainLine, entries: list[LineEntry], at_end: Fork) -> Generator[None, None, Found]:
        """The ways of the fork at the end of a line; those that go no further share the last row."""
        if entries[-1].carrier in self.folds.folded:
            return []
        fork, going = at_end.node_id, at_end.going
        leading = set(going)
        quiet = tuple(i for i in at_end.on if i not in leading)
        count = len(going) + bool(quiet)
        number = line.number + len(entries)
        found: Found = []
        for place, head in enumerate(going):
            if place and place % SLICE == 0:
                yield
            self.way_numbers[head] = place
            rails = (*line.rails, Rail(fork, place, count))
            if head in self.folds.opened:
                depth, below = line.depth + 1, at_end.below
                found.append(MainLine(head, number, rails, fork, is_way=True, depth=depth, below=below))
            elif head not in self._met:
                self._met.add(head)
                row = OutlineRow(
                    head,
                    head,
                    number=number,
                    rails=rails,
                    is_head=True,
                    versions=self.ways.versions_of(head),
                    fold="folded",
                    depth=line.depth + 1,
                    below=at_end.below,
                )
                found.append(row)
        if quiet:
            self.way_numbers.update(dict.fromkeys(quiet, count - 1))
            shown = self._shown(quiet, fork)
            row = OutlineRow(
                quiet[0],
                shown,
                number=number,
                rails=(*line.rails, Rail(fork, count - 1, count)),
                is_head=True,
                alternatives=quiet if len(quiet) > 1 else (),
                among=at_end.on,
                versions=self.ways.versions_of(shown),
                depth=line.depth + 1,
                below=at_end.below,
            )
            found.append(row)
        return found
