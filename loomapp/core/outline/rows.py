"""Rows of an outline: messages, folded runs of them, notes, headings, and what is not in the list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

RowKind = Literal["message", "note", "run", "heading", "above", "more"]
Fold = Literal["", "open", "folded"]

_HEADING = re.compile(
    r"\s*(?:#{1,6}[ \t]+(?P<marked>\S[^\n]{0,79})"
    r"|(?P<named>(?:Chapter|CHAPTER|Kapitel|KAPITEL|Chapitre|CHAPITRE)[ \t][^\n.!?]{1,60}"
    r"|(?:Part|PART|Teil|Partie)[ \t](?:\d{1,3}|[IVXLC]{1,6}|One|Two|Three|Four|Five))[ \t]*(?=\n|\Z))"
)


def heading_of(text: str) -> str:
    """Return the heading that a passage begins with, empty if it begins with none."""
    found = _HEADING.match(text[:200])
    return "" if found is None else (found["marked"] or found["named"]).strip(" \t#")


def words_below_heading(text: str) -> str:
    """Return a passage without the heading that it begins with, if more stands in it."""
    found = _HEADING.match(text[:200])
    rest = "" if found is None else text[found.end() :]
    return rest if rest.strip() else text


@dataclass(frozen=True, slots=True)
class Rail:
    """The line from a fork down to its ways, beside one of them or what follows it."""

    fork_id: str
    way: int  # of the fork's, from 0
    count: int


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A row of the outline. `key` is the same as long as it stands for the same place."""

    key: str
    node_id: str  # the message that it shows; of a run the first
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
    depth: int = 0  # steps to the right

    @property
    def last_number(self) -> int:
        """The number of the last message of a run."""
        return self.number + max(0, len(self.run) - 1)

    @property
    def is_node(self) -> bool:
        """True for a message or a note."""
        return self.kind in ("message", "note")
