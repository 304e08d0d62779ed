"""Omissions of a summary: names, numbers and quoted phrases of the covered text that it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from loomapp.core.dataclass import dataclass

QUOTED = re.compile(r"[“\"„«]([^“”\"„«»\n]{3,60})[”\"“»]")
NUMBER = re.compile(r"(?<![\w.,-])\d[\d.,:/-]*\d(?![\w])|(?<![\w.,-])\d(?![\w])")
WORD = r"[^\W\d_][\w'’]*(?:-[^\W\d_][\w'’]*)*"
NAME = re.compile(WORD)
SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*[.!?]*[”\"»]?")
LEAST_LETTERS = 3  # of a name that is looked for
LONGEST_SENTENCE = 240  # characters of one that can be added


@dataclass(frozen=True, slots=True)
class Omission:
    """A name, number or quoted phrase that a summary lacks, and the first sentence that tells of it."""

    words: str
    sentence: str
    is_quoted: bool = False


def omissions(covered: Iterable[str], summary: str) -> list[Omission]:
    """List what the covered texts name and a summary does not: what is named most often first, then in the
    order of the texts. A name is a word with a capital that does not only begin sentences.
    """
    counts, first = Counter[str](), dict[str, str]()
    common, quoted = set[str](), set[str]()
    for text in covered:
        for found in SENTENCE.finditer(text):
            sentence = found[0].strip()
            for words in _named(sentence, common, quoted):
                counts[words] += 1
                first.setdefault(words, sentence)
    lacks = [words for words in first if words.casefold() not in common and not _has(summary, words)]
    lacks.sort(key=lambda words: -counts[words])
    return [Omission(words, first[words][:LONGEST_SENTENCE], words in quoted) for words in lacks]


def _named(sentence: str, common: set[str], phrases: set[str]) -> Iterator[str]:
    """Names in a sentence; words that are written small somewhere become `common`, which are no names, and
    what is quoted becomes one of the `phrases`.
    """
    quoted = list(QUOTED.finditer(sentence))
    for one in quoted:
        phrases.add(one[1].strip())
        yield one[1].strip()
    for one in NUMBER.finditer(sentence):
        yield one[0]
    for place, one in enumerate(NAME.finditer(sentence)):
        word = one[0]
        if word[0].islower():
            common.add(word.casefold())
        elif (
            place
            and len(word) >= LEAST_LETTERS
            and not any(q.start() <= one.start() < q.end() for q in quoted)
        ):
            yield word.removesuffix("'s").removesuffix("’s")


def _has(summary: str, words: str) -> bool:
    pattern = rf"(?<!\w){re.escape(words)}(?!\w)"
    return re.search(pattern, summary, re.IGNORECASE) is not None
