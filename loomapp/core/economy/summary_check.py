"""A check of summaries without a model: names, numbers and quotations of a text that its summary lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_TOLD = 20  # of each kind
LONGEST_PHRASE = 80  # characters
_QUOTED = re.compile(r"“([^“”\n]+)”|\"([^\"\n]+)\"|`([^`\n]+)`")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,:]\d+)*(?![\w])")
_NAME = re.compile(r"[^\W\d_][\w’'-]*")
_SENTENCE_END = re.compile(r"[.!?:]\s*$|\n\s*$|^\s*[-*#>\d.)]*\s*$")


@dataclass(frozen=True, slots=True)
class LackingWords:
    """Names, numbers and quoted phrases that a summary lacks, each in the order in which they came."""

    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.names) + len(self.numbers) + len(self.phrases)


def lacking(text: str, summary: str) -> LackingWords:
    """What a text names and its summary does not: no proof of anything, but it costs nothing to look."""
    lower = summary.casefold()
    words = {match.group().casefold() for match in _NAME.finditer(summary)}
    numbers = {match.group() for match in _NUMBER.finditer(summary)}
    return LackingWords(
        _first(name for name in names_in(text) if name.casefold() not in words),
        _first(number for number in numbers_in(text) if number not in numbers),
        _first(phrase for phrase in phrases_in(text) if phrase.casefold() not in lower),
    )


def names_in(text: str) -> Iterator[str]:
    """Words with a capital inside a sentence, or with one further on in the word: names, as far as can be
    told without knowing a language.
    """
    for match in _NAME.finditer(text):
        word = match.group()
        if len(word) < 2 or word == word.lower():
            continue
        is_inner = any(letter.isupper() for letter in word[1:])
        if is_inner or not _SENTENCE_END.search(text[max(0, match.start() - 12) : match.start()]):
            yield word


def numbers_in(text: str) -> Iterator[str]:
    """Numbers of more than one digit: dates, times, amounts, versions."""
    return (match.group() for match in _NUMBER.finditer(text) if len(match.group()) > 1)


def phrases_in(text: str) -> Iterator[str]:
    """Phrases in quotation marks or in backquotes, those that are not too long to be said again."""
    for match in _QUOTED.finditer(text):
        phrase = next(group for group in match.groups() if group is not None).strip()
        if phrase and len(phrase) <= LONGEST_PHRASE:
            yield phrase


def _first(found: Iterator[str]) -> tuple[str, ...]:
    """The first of them, each once."""
    return tuple(dict.fromkeys(found))[:MOST_TOLD]
