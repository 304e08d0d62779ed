"""Word counts of a text and of its authors, counted passage by passage and only once for each node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loomapp.core.prose.buffer_text import BufferText

CHARACTERS_A_SLICE = 100_000
A_PASSAGE = 100  # characters that could be looked at in the time that a known passage takes
MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class PassageWords:
    """Words of a stretch, whether it begins and ends inside a word, and characters by author."""

    words: int
    begins_inside: bool
    ends_inside: bool
    by_author: tuple[tuple[tuple[str, str | None], int], ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Words of a whole text; authors by how much they wrote, the most first: type, agent and share of 1."""

    words: int = 0
    authors: tuple[tuple[str, str | None, float], ...] = ()


class WordCount:
    """Counts in slices, so that a long text holds nobody up; passages that are nodes are remembered."""

    def __init__(self) -> None:
        self._known: dict[str, PassageWords] = {}

    def count(self, buffer_text: BufferText) -> Iterator[Sum | None]:
        """Yield None after each slice, and the sum at the end. The text must not change meanwhile."""
        words, by_author, inside, done = 0, Counter[tuple[str, str | None]](), False, 0
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        for passage in buffer_text.passages():
            known = self._known.get(passage.node_id or "")
            if known is None or passage.node_id in buffer_text.penned:
                counted = WordsOf()
                text = buffer_text.text_of(passage.place)
                for start in range(0, len(text), CHARACTERS_A_SLICE):
                    piece = text[start : start + CHARACTERS_A_SLICE]
                    counted.go_on(piece)
                    done += len(piece)
                    if done >= CHARACTERS_A_SLICE:
                        done = 0
                        yield None
                known = _counted(counted, buffer_text, passage.place)
                if passage.node_id is not None and passage.node_id not in buffer_text.penned:
                    self._known[passage.node_id] = known
            if passage.start < passage.end:
                words += known.words - (inside and known.begins_inside)
                inside = known.ends_inside
            for author, characters in known.by_author:
                by_author[author] += characters
            done += A_PASSAGE
            if done >= CHARACTERS_A_SLICE:
                done = 0
                yield None
        whole = sum(by_author.values()) or 1
        yield Sum(words, tuple((t, a, n / whole) for (t, a), n in by_author.most_common() if n))


class WordsOf:
    """Word counter for a text that comes in pieces."""

    def __init__(self) -> None:
        self.words = 0
        self.begins_inside = self.ends_inside = False
        self._is_begun = False

    def go_on(self, piece: str) -> None:
        """Count the next piece, not empty; a word that goes over its border is one."""
        begins = not piece[0].isspace()
        self.words += words_in(piece) - (self.ends_inside and begins)
        if not self._is_begun:
            self._is_begun, self.begins_inside = True, begins
        self.ends_inside = not piece[-1].isspace()


def words_in(text: str) -> int:
    """Return the number of words, that is of runs without white space."""
    return len(text.split())


def _counted(counted: WordsOf, buffer_text: BufferText, place: int) -> PassageWords:
    by_author = Counter[tuple[str, str | None]]()
    for span in buffer_text.spans(place):
        by_author[span.author_type, span.agent_id] += span.end - span.start
    return PassageWords(counted.words, counted.begins_inside, counted.ends_inside, tuple(by_author.items()))
