"""Differences of two texts: the words kept, what they share at both ends, and what changed in a message."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from loomapp.core.dataclass import dataclass
from loomapp.core.paths.path import common_length
from loomapp.core.text.graphemes import is_inside

WORD = re.compile(r"\w+|\s+|[^\w\s]")
SMALL = 40_000  # pairs of words that are compared one with the other; more are compared by rare words first


class Kept(NamedTuple):
    """So many characters from `start` of the text before are at `at` now. All in code points."""

    start: int
    at: int
    length: int


def kept(before: str, after: str) -> tuple[Kept, ...]:
    """Find the runs that `after` keeps of `before`, in order, never crossing. Time and room grow with the
    lengths alone.

    A word that was replaced as a whole is new, letter by letter, though the two share some: nobody picks the
    `o` out of `boat`. Of a word that was corrected, its beginning and its end are kept. Nothing of a
    character is kept without the rest of it; see `graphemes`.
    """
    head, tail = _common(before, after)
    found = [Kept(0, 0, head)]
    inner = (before[head : len(before) - tail], after[head : len(after) - tail])
    if inner[0] and inner[1]:
        found += (Kept(head + k.start, head + k.at, k.length) for k in _between(*inner))
    found.append(Kept(len(before) - tail, len(after) - tail, tail))
    return tuple(one for one in (_whole(one, before, after) for one in _joined(found)) if one.length > 0)


def _whole(one: Kept, before: str, after: str) -> Kept:
    """Return a run without the parts of characters at its ends."""
    start, at, length = one
    while length > 0 and (is_inside(before, start) or is_inside(after, at)):
        start, at, length = start + 1, at + 1, length - 1
    while length > 0 and (is_inside(before, start + length) or is_inside(after, at + length)):
        length -= 1
    return Kept(start, at, length)


def _common(before: str, after: str) -> tuple[int, int]:
    """Count the characters that two texts share at their beginning, and at their end of what is then left."""
    head = common_length(before, after)
    while head and (is_inside(before, head) or is_inside(after, head)):
        head -= 1
    least = min(len(before), len(after)) - head
    tail = min(least, common_length(before[head:][::-1], after[head:][::-1]))
    while tail and (is_inside(before, len(before) - tail) or is_inside(after, len(after) - tail)):
        tail -= 1
    return head, tail


def _between(before: str, after: str) -> Iterator[Kept]:
    """Find the runs that two texts share which begin and end differently."""
    was, now = WORD.findall(before), WORD.findall(after)
    was_at, now_at = _places(was), _places(now)
    done_was = done_now = 0
    for a, b, size in [*_meant(_matches(was, now), was), (len(was), len(now), 0)]:
        gone, come = slice(was_at[done_was], was_at[a]), slice(now_at[done_now], now_at[b])
        head, tail = _common(before[gone], after[come])
        if head:
            yield Kept(gone.start, come.start, head)
        if tail:
            yield Kept(gone.stop - tail, come.stop - tail, tail)
        if size:
            yield Kept(was_at[a], now_at[b], was_at[a + size] - was_at[a])
        done_was, done_now = a + size, b + size


def _places(words: Iterable[str]) -> list[int]:
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    return places


class _Match(NamedTuple):
    was: int
    now: int
    size: int


def _meant(matches: Iterable[_Match], words: Sequence[str]) -> Iterator[_Match]:
    """Matches that say something: white space between two words that differ was typed anew with them."""
    for match in matches:
        if not all(word.isspace() for word in words[match.was : match.was + match.size]):
            yield match


def _matches(was: list[str], now: list[str]) -> list[_Match]:
    """Equal runs of words, in order: where there are many, those around words that each text has once."""
    found: list[_Match] = []
    gaps = [(0, len(was), 0, len(now))]
    while gaps:
        a0, a1, b0, b1 = gaps.pop()
        if a0 >= a1 or b0 >= b1:
            continue
        if (a1 - a0) * (b1 - b0) <= SMALL:
            blocks = SequenceMatcher(None, was[a0:a1], now[b0:b1], autojunk=False).get_matching_blocks()
            found += (_Match(a0 + a, b0 + b, size) for a, b, size in blocks if size)
            continue
        left, right = a0, b0
        for a, b in _anchors(was, now, (a0, a1, b0, b1)):
            if a < left or b < right:
                continue  # within the run that was found last
            start = _Match(a, b, 0)
            while start.was > left and start.now > right and was[start.was - 1] == now[start.now - 1]:
                start = _Match(start.was - 1, start.now - 1, 0)
            size = a - start.was
            while (
                start.was + size < a1
                and start.now + size < b1
                and was[start.was + size] == now[start.now + size]
            ):
                size += 1
            gaps.append((left, start.was, right, start.now))
            found.append(_Match(start.was, start.now, size))
            left, right = start.was + size, start.now + size
        if (left, right) != (a0, b0):
            gaps.append((left, a1, right, b1))
    return sorted(found)


def _anchors(was: list[str], now: list[str], gap: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Places of the words that stand once in both gaps, the most of them that come in the same order."""
    a0, a1, b0, b1 = gap
    once = {word for word, count in Counter(was[a0:a1]).items() if count == 1}
    once &= {word for word, count in Counter(now[b0:b1]).items() if count == 1}
    there = {was[a]: a for a in range(a0, a1) if was[a] in once}
    pairs = [(there[now[b]], b) for b in range(b0, b1) if now[b] in once]
    return _longest_rise(pairs)


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest row of pairs that rises in both; they rise in the second already."""
    ends: list[int] = []  # the lowest first of a row of each length
    last: list[int] = []  # which pair it is
    before: list[int] = []
    for number, (first, _) in enumerate(pairs):
        length = bisect_left(ends, first)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [first]
        last[length : length + 1] = [number]
    row: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _joined(found: Iterable[Kept]) -> Iterator[Kept]:
    """Neighbours in both texts as one; nothing empty."""
    whole: Kept | None = None
    for one in found:
        if not one.length:
            continue
        if whole is not None and (one.start, one.at) == (whole.start + whole.length, whole.at + whole.length):
            whole = Kept(whole.start, whole.at, whole.length + one.length)
            continue
        if whole is not None:
            yield whole
        whole = one
    if whole is not None:
        yield whole


MOST_WORDS = 6_000  # of each text; what comes after them is not looked at


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
        for a, b in _equal_words(first, other):
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


def _equal_words(first: list[str], other: list[str]) -> list[tuple[int, int]]:
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
