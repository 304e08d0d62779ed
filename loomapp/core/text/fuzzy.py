"""Fuzzy matching: whether a few typed letters mean a title, how well, and which letters of it they are."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Every word of the query in the title, as it stands or letter by letter in order; None if one is not.

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
    return FuzzyMatch(score - spread, tuple(places)) if score > spread else None


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
