"""How many words a text has and who wrote them, counted passage by passage and only once for each node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loomapp.core.manuscript import Manuscript

CHARACTERS_A_SLICE = 200_000
MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Counted:
    """Words of a stretch, whether it begins and ends inside a word, and characters by author."""

    words: int
    begins_inside: bool
    ends_inside: bool
    by_author: tuple[tuple[tuple[str, str | None], int], ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Of a whole text; authors by how much they wrote, the most first: type, agent and share of 1."""

    words: int = 0
    authors: tuple[tuple[str, str | None, float], ...] = ()


class WordCount:
    """Counts in slices, so that a long text holds nobody up; passages that are nodes are remembered."""

    def __init__(self) -> None:
        self._known: dict[str, Counted] = {}

    def count(self, manuscript: Manuscript) -> Iterator[Sum | None]:
        """None after each slice, and the sum at the end. The text must not change meanwhile."""
        words, by_author, inside, done = 0, Counter[tuple[str, str | None]](), False, 0
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        text = manuscript.text
        for passage in manuscript.passages():
            known = self._known.get(passage.node_id or "")
            if known is None or passage.node_id in manuscript.penned:
                known = _counted(text[passage.start : passage.end], manuscript, passage.place)
                done += passage.end - passage.start
                if passage.node_id is not None and passage.node_id not in manuscript.penned:
                    self._known[passage.node_id] = known
            if passage.start < passage.end:
                words += known.words - (inside and known.begins_inside)
                inside = known.ends_inside
            by_author.update(dict(known.by_author))
            if done > CHARACTERS_A_SLICE:
                done = 0
                yield None
        whole = sum(by_author.values()) or 1
        yield Sum(words, tuple((t, a, n / whole) for (t, a), n in by_author.most_common() if n))


def words_in(text: str) -> int:
    """How many words a text has: what stands between white space."""
    return len(text.split())


def _counted(text: str, manuscript: Manuscript, place: int) -> Counted:
    by_author = Counter[tuple[str, str | None]]()
    for span in manuscript.spans(place):
        by_author[span.author_type, span.agent_id] += span.end - span.start
    begins, ends = bool(text) and not text[0].isspace(), bool(text) and not text[-1].isspace()
    return Counted(words_in(text), begins, ends, tuple(by_author.items()))
