"""Comparing messages: which of their words differ, and what they have in common above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_WORDS = 6_000  # of each text; what comes after them is not looked at
WORD = re.compile(r"\w+|[^\w\s]|\s+")


@dataclass(frozen=True, slots=True)
class DiffRun:
    """A stretch of a text whose words all differ, or none."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """One of several texts, as runs that give its beginning; `is_whole` if they give all of it."""

    runs: tuple[DiffRun, ...]
    is_whole: bool

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


def compare(texts: Sequence[str]) -> tuple[Compared, ...]:
    """The words in which texts differ: of each those that the first has not, of the first those that no other
    has. White space is no word: it differs with the words on both sides of it.
    """
    pieces = [_pieces(text) for text in texts]
    words = [[piece for piece in listed if not piece.isspace()] for listed in pieces]
    first = words[0]
    shared = [len(words) == 1] * len(first)
    told = []
    for other in words[1:]:
        mine = [False] * len(other)
        for a, b in _matches(first, other):
            shared[a] = mine[b] = True
        told.append(mine)
    return tuple(
        Compared(_runs(listed, marks), sum(map(len, listed)) == len(text))
        for text, listed, marks in zip(texts, pieces, (shared, *told), strict=True)
    )


def _pieces(text: str) -> list[str]:
    """The beginning of a text as words and what stands between them."""
    found: list[str] = []
    words = 0
    for match in WORD.finditer(text):
        words += not match.group().isspace()
        if words > MOST_WORDS:
            break
        found.append(match.group())
    return found


def _matches(first: list[str], other: list[str]) -> list[tuple[int, int]]:
    """The places of equal words, in order; what is frequent starts no match, which keeps it quick."""
    start, end = 0, 0
    least = min(len(first), len(other))
    while start < least and first[start] == other[start]:
        start += 1
    while end < least - start and first[-1 - end] == other[-1 - end]:
        end += 1
    inner = first[start : len(first) - end], other[start : len(other) - end]
    found = [(i, i) for i in range(start)]
    for a, b, size in SequenceMatcher(None, *inner, autojunk=True).get_matching_blocks():
        found += [(start + a + i, start + b + i) for i in range(size)]
    return found + [(len(first) - i, len(other) - i) for i in range(end, 0, -1)]


def _runs(pieces: list[str], shared: list[bool]) -> tuple[DiffRun, ...]:
    """Pieces with the marks of the words among them, equal neighbours together."""
    marks = iter(shared)
    differs = [None if piece.isspace() else not next(marks) for piece in pieces]
    runs: list[DiffRun] = []
    for i, piece in enumerate(pieces):
        mark = differs[i]
        if mark is None:
            beside = [differs[j] for j in (i - 1, i + 1) if 0 <= j < len(pieces)]
            mark = bool(beside) and all(beside)
        if runs and runs[-1].differs == mark:
            runs[-1] = DiffRun(runs[-1].text + piece, mark)
        else:
            runs.append(DiffRun(piece, mark))
    return tuple(runs)
