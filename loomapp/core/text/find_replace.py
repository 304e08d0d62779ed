"""Finding words in a text, and what it would say with others in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loomapp.core.text.graphemes import is_inside, start_of

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


def find(
    text: str, query: str, replacement: str = "", *, match_case: bool = False, whole_words: bool = False
) -> tuple[FoundText, ...]:
    """Find a query in a text: its places in order, none overlapping another. Nothing is found in parts of a
    character, and nothing for "".
    """
    if not query:
        return ()
    pattern = re.escape(query)
    if whole_words:
        pattern = rf"(?<!\w){pattern}(?!\w)"
    hits = re.finditer(pattern, text, re.NOFLAG if match_case else re.IGNORECASE)
    return tuple(
        FoundText(hit.start(), hit.group(), replacement)
        for hit in hits
        if not is_inside(text, hit.start()) and not is_inside(text, hit.end())
    )


def excerpts(text: str, matches: tuple[FoundText, ...]) -> Iterator[Excerpt]:
    """Yield each match as it stands in its text."""
    for match in matches:
        begin = start_of(text, max(0, match.start - AROUND))
        end = min(len(text), match.end + AROUND)
        end = start_of(text, end)
        before, after = _in_a_line(text[begin : match.start]), _in_a_line(text[match.end : end])
        yield Excerpt(f"…{before}" if begin else before, match, f"{after}…" if end < len(text) else after)


def _in_a_line(text: str) -> str:
    return " ".join(text.splitlines())
