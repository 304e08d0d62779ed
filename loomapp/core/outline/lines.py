"""Lines of an outline, messages that follow each other at one depth, and their rows, found with pauses."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import field
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.tree import Tree
from loomapp.core.outline.ways import SLICE, OutlineFolds, TreeWays

RowKind = Literal["message", "note", "run", "heading", "above", "more", "answers"]
Fold = Literal["", "open", "folded"]

_HEADING_LINE = (
    r"(?:#{1,6}[ \t]+(?P<marked>\S[^\n]{0,79})"
    r"|(?P<named>(?:Chapter|CHAPTER|Kapitel|KAPITEL|Chapitre|CHAPITRE)[ \t][^\n.!?]{1,60}"
    r"|(?:Part|PART|Teil|Partie)[ \t](?:\d{1,3}|[IVXLC]{1,6}|One|Two|Three|Four|Five))[ \t]*(?=\n|\Z))"
)
_HEADING = re.compile(r"\s*" + _HEADING_LINE)
_LATER_HEADING = re.compile(r"\n[ \t]{0,8}\n[ \t]{0,8}" + _HEADING_LINE)


def heading_of(text: str) -> str:
    """Return the heading that a passage begins with, empty if it begins with none."""
    found = _HEADING.match(text[:200])
    return "" if found is None else (found["marked"] or found["named"]).strip(" \t#")


def words_below_heading(text: str) -> str:
    """Return a passage without the heading that it begins with, if more stands in it."""
    found = _HEADING.match(text[:200])
    rest = "" if found is None else text[found.end() :]
    return rest if rest.strip() else text


def later_headings(text: str) -> list[tuple[int, str]]:
    """Return the headings after blank lines within a passage, but for that which it begins with: where each
    ends, and its words.
    """
    first = _HEADING.match(text[:200])
    found = _LATER_HEADING.finditer(text, 0 if first is None else first.end())
    return [(one.end(), (one["marked"] or one["named"]).strip(" \t#")) for one in found]


@dataclass(frozen=True, slots=True)
class Rail:
    """The line from a fork down to its ways, beside one of them or what follows it."""

    fork_id: str
    way: int  # of the fork's, from 0
    count: int


@dataclass(frozen=True, slots=True)
class OtherParent:
    """The alternative that a row follows, where the row above it shows another one of the same choice."""

    node_id: str
    shown_id: str
    alternatives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A row of the outline. `key` is the same as long as it stands for the same place."""

    key: str
    node_id: str  # the message that it shows; of a run the first; of answers to come the one they follow
    kind: RowKind = "message"
    number: int = 0  # how deep it stands on its path, from 1; of `above` the first row's, of `more` how many
    rails: tuple[Rail, ...] = ()
    is_head: bool = False  # the first of a way, where the last rail bends towards it
    alternatives: tuple[str, ...] = ()  # those that a choice is between, if there are several
    versions: tuple[str, ...] = ()  # of the passage, if there are several
    ways: int = 0  # on from here that go on further, if there are several
    fold: Fold = ""
    run: tuple[str, ...] = ()  # the messages of a folded run, or of an open one that folds here
    retried: int = 0  # of these
    is_covered: bool = False  # a summary stands for these
    words: str = ""  # of a heading
    at: int = 0  # of a heading within a passage: where it ends there
    depth: int = 0  # steps to the right
    below: OtherParent | None = None  # what it follows, if that is not what the row above it shows
    among: tuple[str, ...] = ()  # what a pager counts, where ways that go on have rows of their own

    @property
    def last_number(self) -> int:
        """The number of the last message of a run."""
        return self.number + max(0, len(self.run) - 1)

    @property
    def is_node(self) -> bool:
        return self.kind in ("message", "note")

    @property
    def place(self) -> tuple[int, int]:
        """Number of the alternative it shows and how many there are, as the pager of its text counts."""
        counted = self.among or self.alternatives
        return counted.index(self.node_id) + 1 if self.node_id in counted else 1, len(counted)


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
    below: OtherParent | None = None


@dataclass(slots=True)
class LineEntry:
    """A message of a line: which one carries it on, which is shown, and between which there is a choice."""

    carrier: str
    shown: str
    alternatives: tuple[str, ...] = ()
    below: OtherParent | None = None

    def carries_on_unseen(self) -> OtherParent | None:
        """Return what the next row follows, if that is not what is shown here."""
        if self.shown == self.carrier or not self.alternatives:
            return None
        return OtherParent(self.carrier, self.shown, self.alternatives)


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
            text = self.tree.nodes[entry.shown].text if is_prose else ""
            heading, later = heading_of(text), later_headings(text)
            if not heading and not later and 0 < place < last and entry.shown not in noted:
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
                self._add_message(rows, line, entries, place, going, has_heading=bool(heading))
            for at, words in later:
                is_hidden, key = False, f"{self._heading_key(entry)}\0{at}"
                rows.append(
                    OutlineRow(
                        key, entry.shown, "heading", rails=line.rails, words=words, at=at, depth=line.depth
                    )
                )
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
            below=entry.below,
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
            below=first.below,
        )

    def _add_message(
        self,
        rows: Found,
        line: MainLine,
        entries: list[LineEntry],
        place: int,
        going: list[str],
        run: tuple[str, ...] = (),
        *,
        has_heading: bool = False,
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
            below=None if has_heading else entry.below,
        )
        rows.append(row)
        notes = self.ways.notes(entry.shown)
        rows += [MainLine(i, 0, line.rails, depth=line.depth + 1, is_note=True) for i in notes]
