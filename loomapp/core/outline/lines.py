"""Lines of an outline: messages that follow each other at one depth, and their rows, found with pauses."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeAlias

from loomapp.core.model.tree import Tree
from loomapp.core.outline.rows import OutlineRow, Rail, heading_of
from loomapp.core.outline.ways import SLICE, OutlineFolds, TreeWays

SHORTEST_RUN = 4


@dataclass(slots=True)
class MainLine:
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
class LineEntry:
    """A message of a line: which one carries it on, which is shown, and between which there is a choice."""

    carrier: str
    shown: str
    alternatives: tuple[str, ...] = ()


@dataclass(slots=True)
class Run:
    """Messages without anything of note that follow each other on a line, all of them opened or none."""

    place: int  # of the first on its line
    is_open: bool = False
    is_covered: bool = False  # by a summary
    shown: list[str] = field(default_factory=list)
    retried: int = 0


Found: TypeAlias = list[OutlineRow | MainLine]


@dataclass(frozen=True, slots=True)
class LineRows:
    """Finder of the rows of lines. A line may be the whole of a large tree: it pauses every few messages."""

    tree: Tree
    ways: TreeWays
    folds: OutlineFolds

    def of(
        self, line: MainLine, entries: list[LineEntry], going: list[str]
    ) -> Generator[None, None, tuple[Found, bool]]:
        """The rows of a line, and whether its end is below a folded heading."""
        rows: Found = []
        noted, is_prose = self.ways.noted, self.tree.loom.mode == "buffer"
        run = Run(0)
        is_hidden = False  # below a folded heading
        last = len(entries) - 1
        for place, entry in enumerate(entries):
            if place % SLICE == 0:
                yield
            heading = heading_of(self.tree.nodes[entry.shown].text) if is_prose else ""
            if not heading and 0 < place < last and entry.shown not in noted:
                if is_hidden:
                    continue
                is_open, is_covered = self._is_open(entry), entry.shown in self.ways.covered
                if (is_open, is_covered) != (run.is_open, run.is_covered):
                    yield from self._add_run(rows, line, entries, run)
                    run = Run(place, is_open, is_covered)
                run.shown.append(entry.shown)
                run.retried += bool(entry.alternatives)
                continue
            yield from self._add_run(rows, line, entries, run)
            run = Run(place + 1)
            if heading:
                is_hidden = self._heading_key(entry) in self.folds.folded
                rows.append(self._heading_row(line, entry, heading, is_hidden))
            if not is_hidden:
                self._add_message(rows, line, entries, place, going)
        return rows, is_hidden

    def _heading_key(self, entry: LineEntry) -> str:
        return f"\0heading\0{entry.carrier}"

    def _heading_row(self, line: MainLine, entry: LineEntry, heading: str, is_hidden: bool) -> OutlineRow:
        return OutlineRow(
            self._heading_key(entry),
            entry.shown,
            "heading",
            rails=line.rails,
            words=heading,
            fold="folded" if is_hidden else "open",
            depth=line.depth,
        )

    def _is_open(self, entry: LineEntry) -> bool:
        shown = self.folds.shown
        if entry.shown in shown:
            return True
        return bool(entry.alternatives) and not shown.keys().isdisjoint(entry.alternatives)

    def _add_run(self, rows: Found, line: MainLine, entries: list[LineEntry], run: Run) -> Generator[None]:
        """Add the rows of a run: where many stand that nobody opened, they fold."""
        is_long = len(run.shown) >= SHORTEST_RUN
        if is_long and not run.is_open:
            rows.append(self._run_row(line, entries, run))
            return
        folds_here = tuple(run.shown) if is_long else ()
        for place in range(run.place, run.place + len(run.shown)):
            if place % SLICE == 0:
                yield
            self._add_message(rows, line, entries, place, [], run=folds_here)
            folds_here = ()

    def _run_row(self, line: MainLine, entries: list[LineEntry], run: Run) -> OutlineRow:
        first = entries[run.place]
        return OutlineRow(
            f"\0run\0{first.carrier}",
            first.shown,
            "run",
            line.number + run.place,
            line.rails,
            fold="folded",
            run=tuple(run.shown),
            retried=run.retried,
            is_covered=run.is_covered,
            depth=line.depth,
        )

    def _add_message(
        self,
        rows: Found,
        line: MainLine,
        entries: list[LineEntry],
        place: int,
        going: list[str],
        run: tuple[str, ...] = (),
    ) -> None:
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
            self.ways.versions_of(entry.shown),
            len(going) if is_fork else 0,
            "open" if fold == "open" else "folded" if fold else "",
            run,
            depth=line.depth,
        )
        rows.append(row)
        notes = self.ways.notes(entry.shown)
        rows += [MainLine(i, 0, line.rails, depth=line.depth + 1, is_note=True) for i in notes]
