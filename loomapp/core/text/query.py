"""Searching texts: the words of a query, their place and others put there, titles meant by a few letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from itertools import islice

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import AuthorType
from loomapp.core.text.graphemes import is_inside, start_of
from loomapp.core.times import Milliseconds

LONGEST_QUERY = 200  # characters that are looked at
NEAR, MOST_PLACES = 60, 50  # characters between words that are read together; places that are looked at
BEFORE, BEHIND = 24, 160  # characters of an excerpt, before and after the place
SHORTLY_BEFORE = 12  # where there is little room


class MatchQuality(IntEnum):
    """Ranks of how well a text holds the words of a query; the best comes first."""

    BEGINS = 0  # with the words as they were typed
    PHRASE = 1  # the words as they were typed, somewhere
    WORDS = 2  # each word somewhere


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A node that says what was looked for: where it is, and its words around the place, on one line.

    `standing` is how well, where that was asked.
    """

    tree_id: str
    tree_title: str
    node_id: str
    excerpt: str
    author_type: AuthorType
    agent_id: str | None
    at: Milliseconds
    standing: MatchQuality = MatchQuality.WORDS
    local_id: str = ""


def terms(query: str) -> tuple[str, ...]:
    """The words of a query in small letters, each once."""
    return tuple(dict.fromkeys(query[:LONGEST_QUERY].casefold().split()))


def phrase(query: str) -> re.Pattern[str]:
    """Return a pattern that finds the words of a query one behind the other in a case-folded text."""
    return re.compile(r"\s+".join(map(re.escape, query[:LONGEST_QUERY].casefold().split())))


def standing(
    text: str, wanted: tuple[str, ...], as_typed: re.Pattern[str]
) -> tuple[MatchQuality, int] | None:
    """Find all words in a text, in any case: how well it holds them, and the place; None if it lacks one."""
    folded = text.casefold()
    if not wanted or not all(word in folded for word in wanted):
        return None
    found = as_typed.search(folded)
    at = _shown_place(folded, wanted) if found is None else found.start()
    place = at if len(folded) == len(text) else _origins(text)[at]
    if found is None:
        return MatchQuality.WORDS, place
    return MatchQuality.PHRASE if folded[:at].strip() else MatchQuality.BEGINS, place


def place(text: str, wanted: tuple[str, ...]) -> int | None:
    """Find where a text that holds all words shows them best, in any case; None if it lacks one."""
    folded = text.casefold()
    if not wanted or not all(word in folded for word in wanted):
        return None
    at = _shown_place(folded, wanted)
    return at if len(folded) == len(text) else _origins(text)[at]


def _shown_place(folded: str, wanted: tuple[str, ...]) -> int:
    """Return where all words stand near each other, if they do; else the first place of the rarest."""
    if len(wanted) == 1:
        return folded.find(wanted[0])
    rarest = min(wanted, key=folded.count)
    for match in islice(re.finditer(re.escape(rarest), folded), MOST_PLACES):
        start, end = max(0, match.start() - NEAR), match.end() + NEAR
        found = [folded.find(word, start, end) for word in wanted]
        if min(found) >= 0:
            return min(found)
    return folded.find(rarest)


def any_of(wanted: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern that finds each of some words in a long text, in any case; None for no words."""
    return re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE) if wanted else None


def marks(text: str, wanted: tuple[str, ...]) -> list[tuple[int, int]]:
    """Find the words in a short text, in any case: beginnings and ends, in order, none overlapping."""
    folded, origins = text.casefold(), _origins(text)
    found = sorted(
        (match.start(), match.end()) for word in wanted for match in re.finditer(re.escape(word), folded)
    )
    result: list[tuple[int, int]] = []
    for begin, end in ((origins[first], origins[last - 1] + 1) for first, last in found):
        if result and begin < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((begin, end))
    return result


def _origins(text: str) -> list[int]:
    """Return, for each letter of a text in small letters, which letter it comes from: "ß" becomes two."""
    return [at for at, letter in enumerate(text) for _ in letter.casefold()]


def excerpt(text: str, at: int, before: int = BEFORE) -> str:
    """The words around a place, on one line; at most so many characters before it, and no half word there."""
    start = max(0, at - before)
    if start and not text[start - 1].isspace():
        whole = next((i for i in range(start, at) if text[i].isspace()), None)
        start = start if whole is None else whole  # a very long word, or a script without spaces
    words = " ".join(text[start : at + BEHIND].split())
    return f"… {words}" if start else words


WORD_START, IN_A_ROW, WHOLE_WORDS, PLAIN = 8, 6, 40, 1
LONGEST = 200  # characters of a title that are looked at


@dataclass(frozen=True, slots=True)
class FuzzyMatch:
    """A match of typed letters with a title: its score, higher is better, and the indexes of the letters
    matched.
    """

    score: int
    places: tuple[int, ...]


def match(query: str, title: str) -> FuzzyMatch | None:
    """Every word of the query in the title, as it stands, or letter by letter in order from the beginning of
    a word on; None if one is not.

    An empty query matches everything equally.
    """
    folded = _folded(title[:LONGEST])
    score, places = 0, set[int]()
    for word in query.split():
        found = _match_word(_folded(word), folded)
        if found is None:
            return None
        score += found.score
        places.update(found.places)
    return FuzzyMatch(score - len(folded) // 8, tuple(sorted(places)))


def _folded(text: str) -> str:
    """Lower case, letter by letter, so that places stay what they are."""
    return "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


def _match_word(word: str, title: str) -> FuzzyMatch | None:
    at = _best_place(word, title)
    if at >= 0:
        whole = WHOLE_WORDS + IN_A_ROW * len(word) + (WORD_START if _starts_word(title, at) else 0)
        return FuzzyMatch(whole, tuple(range(at, at + len(word))))
    places: list[int] = []
    score, at = 0, -1
    for letter in word:
        following = _next_place(letter, title, at + 1)
        if following < 0:
            return None
        score += IN_A_ROW if following == at + 1 and places else PLAIN
        score += WORD_START if _starts_word(title, following) else 0
        places.append(following)
        at = following
    spread = places[-1] - places[0] - len(places) + 1
    if score <= spread or not _starts_word(title, places[0]):
        return None
    return FuzzyMatch(score - spread, tuple(places))


def _best_place(word: str, title: str) -> int:
    """Find a word in a title as it stands, at the start of a word if it is at any; -1 if nowhere."""
    first = at = title.find(word)
    while at >= 0:
        if _starts_word(title, at):
            return at
        at = title.find(word, at + 1)
    return first


def _next_place(letter: str, title: str, start: int) -> int:
    """The letter at the start of a word if there is such a one near, else wherever it comes next."""
    plain = at = title.find(letter, start)
    while 0 <= at <= plain + 24:
        if at == start or _starts_word(title, at):
            return at
        at = title.find(letter, at + 1)
    return plain


def _starts_word(title: str, at: int) -> bool:
    return at == 0 or not title[at - 1].isalnum()


AROUND = 40  # characters shown on each side of what was found


@dataclass(frozen=True, slots=True)
class FoundText:
    """Characters that were found from `start` on, in code points, and what is to stand in their place."""

    start: int
    found: str
    replacement: str = ""

    @property
    def end(self) -> int:
        """Return the place behind the last of the matches."""
        return self.start + len(self.found)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A match with the words around it, for a preview; line breaks are shown as spaces, and what is left out
    as an ellipsis.
    """

    before: str
    match: FoundText
    after: str


def find(text: str, query: str, replacement: str = "", *, match_case: bool = False) -> tuple[FoundText, ...]:
    """Find a query in a text: its places in order, none overlapping another. Nothing is found in parts of a
    character, and nothing for "".
    """
    if not query:
        return ()
    hits = re.finditer(re.escape(query), text, re.NOFLAG if match_case else re.IGNORECASE)
    return tuple(
        FoundText(hit.start(), hit.group(), replacement)
        for hit in hits
        if not is_inside(text, hit.start()) and not is_inside(text, hit.end())
    )


def excerpts(text: str, matches: tuple[FoundText, ...]) -> Iterator[Excerpt]:
    for match in matches:
        begin = start_of(text, max(0, match.start - AROUND))
        end = min(len(text), match.end + AROUND)
        end = start_of(text, end)
        before, after = _in_a_line(text[begin : match.start]), _in_a_line(text[match.end : end])
        yield Excerpt(f"…{before}" if begin else before, match, f"{after}…" if end < len(text) else after)


def _in_a_line(text: str) -> str:
    return " ".join(text.splitlines())
