"""The outline of a tree as a map: the number of a row says how deep its message stands on its path.

Rows are indented only below a fork where two or more ways go on. A way that goes no further is one of the
alternatives of a row; runs without anything of note fold. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from loomapp.core.model.tree import Tree
from loomapp.core.outline.rows import OutlineRow, Rail, heading_of
from loomapp.core.outline.ways import OutlineFolds, TreeWays
from loomapp.core.paths.path import NodeSequence
from loomapp.core.paths.version_groups import Kinship

SHORTEST_RUN = 4
MOST_FORKS = 6  # above the current node in one list
SLICE = 200  # messages a step of building
FEW = 1_000  # alternatives that are looked at one by one


@dataclass(frozen=True, slots=True)
class OutlineStart:
    """The place where a list of rows begins: the root, or a fork far down a path."""

    node_id: str
    number: int = 0
    forks_above: int = 0
    is_chosen: bool = False  # by a person, who wants to see more


@dataclass(slots=True)
class _Line:
    """Messages that follow each other at one depth; its rows are still to be found."""

    head: str
    number: int
    rails: tuple[Rail, ...] = ()
    above: str | None = None
    is_way: bool = False
    alternatives: tuple[str, ...] = ()
    depth: int = 0
    is_note: bool = False


@dataclass(slots=True)
class _Entry:
    """A message of a line: which one carries it on, which is shown, and between which there is a choice."""

    carrier: str
    shown: str
    alternatives: tuple[str, ...] = ()


@dataclass(slots=True)
class Outline:
    """The rows of a tree, found a little at each step of `building`. It holds until the tree moves."""

    tree: Tree
    ways: TreeWays
    folds: OutlineFolds
    trail: NodeSequence  # the way to the current node
    keeps: Callable[[OutlineRow], bool] | None = None  # rows that are listed; None: all
    start: OutlineStart | None = None  # where the list began before; where it begins once it is built
    rows: list[OutlineRow] = field(default_factory=list)
    way_numbers: dict[str, int] = field(default_factory=dict)  # head of a way -> which of its fork's it is
    _numbers: dict[str, int] = field(default_factory=dict)
    _met: set[str] = field(default_factory=set)

    def building(self) -> Generator[None]:
        """Find the rows, a little at each step: a large tree takes longer than a window may stand still."""
        yield from self.ways.look_through()
        self.start = start = yield from self._start()
        waiting: list[OutlineRow | _Line] = []
        if start.forks_above:
            waiting.append(_Line(start.node_id, start.number))
            self._add(OutlineRow("\0above", start.node_id, "above", start.number, ways=start.forks_above))
        else:
            waiting += reversed(self._beginnings())
        while waiting:
            task = waiting.pop()
            if isinstance(task, OutlineRow):
                self._add(task)
            else:
                found = yield from self._expanded(task)
                waiting += reversed(found)

    def _add(self, row: OutlineRow) -> None:
        if self.keeps is not None and not self.keeps(row):
            return
        if row.is_node:
            self._numbers.setdefault(row.node_id, len(self.rows))
        self.rows.append(row)

    def row_number(self, node_id: str) -> int | None:
        """Return the number of the row that shows a node, or offers it; None if it is folded away."""
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
        trail, leading, before = self.trail.node_ids, self.tree.goes_on, self.start
        here = None if before is None else self.trail.place_of(before.node_id)
        if before is not None and here is not None:
            if before.is_chosen:
                return before
            below = (i for i in trail[here:] if i in leading)
            if sum(1 for i in below if len(self.ways.going(self.ways.on(i))) > 1) <= MOST_FORKS:
                return before
        forks = yield from self._forks(len(trail))
        return self._sixth_from_end(forks) if len(forks) > MOST_FORKS else OutlineStart(self.tree.root_id)

    def _forks(self, length: int) -> Generator[None, None, list[int]]:
        """The places of the first nodes of the trail after which several ways go on further."""
        trail, leading, forks = self.trail.node_ids, self.tree.goes_on, list[int]()
        for count, place in enumerate([p for p, i in enumerate(trail[:length]) if i in leading]):
            if count % SLICE == 0:
                yield
            if len(self.ways.going(self.ways.on(trail[place]))) > 1:
                forks.append(place)
        return forks

    def _sixth_from_end(self, forks: Sequence[int]) -> OutlineStart:
        trail, place = self.trail.node_ids, forks[-MOST_FORKS]
        number = place + 1 - self.tree.is_empty_root(trail[0])
        return OutlineStart(trail[place], number, len(forks) - MOST_FORKS)

    def earlier_start(self) -> OutlineStart:
        """Return where the list begins once a person wants to see what is above it."""
        start = self.start
        here = None if start is None else self.trail.place_of(start.node_id)
        finding, forks = self._forks(here or 0), list[int]()
        while True:
            try:
                next(finding)
            except StopIteration as found:
                forks = found.value
                break
        above = self._sixth_from_end(forks) if len(forks) > MOST_FORKS else OutlineStart(self.tree.root_id)
        return replace(above, is_chosen=True)

    def _beginnings(self) -> list[_Line]:
        """The lines at the top: of the root, or below it if that is empty, and of what continues nothing."""
        root, ways, groups = self.tree.root_id, self.ways, dict[str, list[str]]()
        stems = Kinship(self.tree)
        for beginning in ways.beginnings:
            groups.setdefault(stems.of(beginning), []).append(beginning)
        found: list[_Line] = []
        for group in groups.values():
            if group[0] == root and self.tree.is_empty_root(root):
                found += self._lines_of(ways.on(root), root)
                found += [_Line(i, 0, is_note=True) for i in ways.notes(root)]
            found += self._lines_of(ways.stand_for([i for i in group if not self.tree.is_empty_root(i)]))
        return found

    def _lines_of(self, on: tuple[str, ...], above: str | None = None) -> list[_Line]:
        """The lines of several beginnings between which there is a choice."""
        going = self.ways.going(on)
        if len(going) < 2:
            return [_Line(going[0] if going else on[-1], 1, alternatives=on, above=above)] if on else []
        quiet = tuple(i for i in on if i not in set(going))
        lines = [_Line(i, 1) for i in going]
        return [*lines, *([_Line(quiet[-1], 1, alternatives=quiet, above=above)] if quiet else [])]

    def _shown(self, alternatives: Sequence[str], above: str | None) -> str:
        """The one of several that is shown: on the way to the current node, else read, else the one that
        goes on, else the newest.
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
        going = self.ways.going(tuple(alternatives))
        return going[0] if going else alternatives[-1]

    # Lines

    def _expanded(self, line: _Line) -> Generator[None, None, list[OutlineRow | _Line]]:
        entries, going, last = yield from self._follow(line)
        if not entries:
            return []
        rows, is_hidden = yield from self._rows_of(line, entries, going)
        return [*rows, *self._fork(line, entries, going, last)] if going and not is_hidden else rows

    def _follow(self, line: _Line) -> Generator[None, None, tuple[list[_Entry], list[str], tuple[str, ...]]]:
        """The messages of a line; the ways of the fork at its end that go on, and all of them."""
        ways, met, only = self.ways, self._met, self.ways.only
        entries: list[_Entry] = []
        alternatives = line.alternatives if len(line.alternatives) > 1 else ()
        carrier, above = line.head, line.above
        while carrier not in met:
            if len(entries) % SLICE == 0:
                yield
            met.add(carrier)
            met.update(alternatives)
            shown = self._shown(alternatives, above) if alternatives else carrier
            entries.append(_Entry(carrier, shown, alternatives))
            above, alternatives = carrier, ()
            if carrier in only:
                carrier = only[carrier]
                continue
            on = ways.on(carrier)
            if not on:
                break
            going = ways.going(on)
            if len(going) > 1:
                return entries, going, on
            carrier = going[0] if going else on[0]
            alternatives = on if len(on) > 1 else ()
        return entries, [], ()

    def _fork(
        self, line: _Line, entries: list[_Entry], going: list[str], on: tuple[str, ...]
    ) -> list[OutlineRow | _Line]:
        """The ways of the fork at the end of a line; those that go no further share the last row."""
        fork = entries[-1].carrier
        if fork in self.folds.folded:
            return []
        leading = set(going)
        quiet = tuple(i for i in on if i not in leading)
        count = len(going) + bool(quiet)
        number = line.number + len(entries)
        found: list[OutlineRow | _Line] = []
        for place, head in enumerate(going):
            self.way_numbers[head] = place
            rails = (*line.rails, Rail(fork, place, count))
            if head in self.folds.opened:
                found.append(_Line(head, number, rails, above=fork, is_way=True, depth=line.depth + 1))
            elif head not in self._met:
                self._met.add(head)
                row = OutlineRow(
                    head,
                    head,
                    number=number,
                    rails=rails,
                    is_head=True,
                    versions=self._versions(head),
                    fold="folded",
                    depth=line.depth + 1,
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
                versions=self._versions(shown),
                depth=line.depth + 1,
            )
            found.append(row)
        return found

    def _versions(self, node_id: str) -> tuple[str, ...]:
        found = self.ways.versions.get(node_id, ())
        return found if len(found) > 1 else ()

    # Rows

    def _rows_of(
        self, line: _Line, entries: list[_Entry], going: list[str]
    ) -> Generator[None, None, tuple[list[OutlineRow | _Line], bool]]:
        """The rows of a line, and whether its end is below a folded heading."""
        rows: list[OutlineRow | _Line] = []
        noted, is_prose = self.ways.noted, self.tree.loom.mode == "buffer"
        run: list[int] = []
        is_hidden = False  # below a folded heading
        last = len(entries) - 1
        for place, entry in enumerate(entries):
            if place % SLICE == 0:
                yield
            heading = heading_of(self.tree.nodes[entry.shown].text) if is_prose else ""
            if not heading and 0 < place < last and entry.shown not in noted:
                if not is_hidden:
                    run.append(place)
                continue
            rows += self._run(line, entries, run)
            run = []
            if heading:
                is_hidden = self._heading_key(entry) in self.folds.folded
                rows.append(self._heading_row(line, entry, heading, is_hidden))
            if not is_hidden:
                rows += self._message(line, entries, place, going)
        return [*rows, *self._run(line, entries, run)], is_hidden

    def _heading_key(self, entry: _Entry) -> str:
        return f"\0heading\0{entry.carrier}"

    def _heading_row(self, line: _Line, entry: _Entry, heading: str, is_hidden: bool) -> OutlineRow:
        return OutlineRow(
            self._heading_key(entry),
            entry.shown,
            "heading",
            rails=line.rails,
            words=heading,
            fold="folded" if is_hidden else "open",
            depth=line.depth,
        )

    def _run(self, line: _Line, entries: list[_Entry], places: list[int]) -> list[OutlineRow | _Line]:
        """The rows of messages without anything of note: where many stand that nobody opened, they fold."""
        rows: list[OutlineRow | _Line] = []
        for is_open, group in groupby(places, lambda place: self._is_open(entries[place])):
            part = list(group)
            if is_open or len(part) < SHORTEST_RUN:
                folds_here = tuple(entries[p].shown for p in part) if len(part) >= SHORTEST_RUN else ()
                for place in part:
                    rows += self._message(line, entries, place, [], run=folds_here)
                    folds_here = ()
            else:
                rows.append(self._run_row(line, entries, part))
        return rows

    def _is_open(self, entry: _Entry) -> bool:
        shown = self.folds.shown
        if entry.shown in shown:
            return True
        return bool(entry.alternatives) and not shown.keys().isdisjoint(entry.alternatives)

    def _run_row(self, line: _Line, entries: list[_Entry], places: list[int]) -> OutlineRow:
        first = entries[places[0]]
        return OutlineRow(
            f"\0run\0{first.carrier}",
            first.shown,
            "run",
            line.number + places[0],
            line.rails,
            fold="folded",
            run=tuple(entries[p].shown for p in places),
            retried=sum(bool(entries[p].alternatives) for p in places),
            depth=line.depth,
        )

    def _message(
        self, line: _Line, entries: list[_Entry], place: int, going: list[str], run: tuple[str, ...] = ()
    ) -> list[OutlineRow | _Line]:
        entry = entries[place]
        is_fork = place == len(entries) - 1 and len(going) > 1
        is_head = line.is_way and place == 0
        fold = "open" if is_head or run or is_fork else ""
        if is_fork and not is_head and entry.carrier in self.folds.folded:
            fold = "folded"
        row = OutlineRow(
            entry.alternatives[0] if entry.alternatives else entry.carrier,
            entry.shown,
            "note" if line.is_note else "message",
            0 if line.is_note else line.number + place,
            line.rails,
            is_head,
            entry.alternatives,
            self._versions(entry.shown),
            len(going) if is_fork else 0,
            "open" if fold == "open" else "folded" if fold else "",
            run,
            depth=line.depth,
        )
        notes = self.ways.notes(entry.shown)
        return [row, *(_Line(i, 0, line.rails, depth=line.depth + 1, is_note=True) for i in notes)]


def outline_of(
    tree: Tree,
    path: NodeSequence,
    trail: NodeSequence | None = None,
    *,
    folds: OutlineFolds | None = None,
    show_pruned: bool = False,
) -> Outline:
    """The outline of a tree, whole."""
    way = path if trail is None else trail
    ways = TreeWays(tree, path, way, show_pruned)
    found = Outline(tree, ways, folds or OutlineFolds(), way)
    for _ in found.building():
        pass
    return found
