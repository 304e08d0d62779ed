"""Searching texts: the words of a query, whether a text holds them all, and the words around the place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from loomapp.core.model.entities import AuthorType
from loomapp.core.times import Milliseconds

LONGEST_QUERY = 200  # characters that are looked at
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
    at = folded.find(wanted[0]) if found is None else found.start()
    place = at if len(folded) == len(text) else _origins(text)[at]
    if found is None:
        return MatchQuality.WORDS, place
    return MatchQuality.PHRASE if folded[:at].strip() else MatchQuality.BEGINS, place


def place(text: str, wanted: tuple[str, ...]) -> int | None:
    """Find the first word in a text that holds all of them, in any case; None if it lacks one."""
    folded = text.casefold()
    if not wanted or not all(word in folded for word in wanted):
        return None
    at = folded.find(wanted[0])
    return at if len(folded) == len(text) else _origins(text)[at]


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
