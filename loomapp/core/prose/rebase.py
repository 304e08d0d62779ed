"""Rebasing: where places of a text are once somebody else has changed the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from loomapp.core.paths.path import Path, apart
from loomapp.core.prose.buffer_text import BufferText, TextChange, difference
from loomapp.core.text.diff import WORD

MOST_CHARACTERS = 300  # of words that are looked at by their characters: some scripts have no spaces
LEAST_CHARACTERS = 3  # that say where they stood
MOST_WORDS = 300  # of a stretch; of a longer one it is only known where it begins and ends


def splices_to(buffer_text: BufferText, path: Path) -> tuple[TextChange, ...]:
    """Return the splices that make a text that of another path; see `splices_between`."""
    head, tail = apart(buffer_text.way, path)
    end, end_on = len(buffer_text.node_ids) - tail, len(path.node_ids) - tail
    if head == end == end_on:
        return ()
    start = buffer_text.passage(head).start
    return splices_between(buffer_text.run(head, end), buffer_text.run_on(path, head, end_on), start)


def splices_between(
    before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]], start: int = 0
) -> tuple[TextChange, ...]:
    """Return the splices that make one run of passages, each an id and its text, another that begins at the
    same place: as little as possible, the last first, so that each is counted in the text in which those
    before it are done.

    Passages that both have stay where they are, and between them the words that both have.
    """
    places = {node_id: place for place, (node_id, _) in enumerate(after)}
    starts = [*accumulate((len(text) for _, text in before), initial=start)]
    found: list[TextChange] = []
    since, since_after = 0, 0
    for place, (node_id, _) in enumerate((*before, ("", ""))):
        is_end = place == len(before)
        there = len(after) if is_end else places.get(node_id, -1)
        if there < since_after:
            continue
        until, until_after = (place, there) if is_end else (place + 1, there + 1)
        stays = () if is_end else ((before[place][1], after[there][1], starts[place]),)
        gap = (_said(before[since:place]), _said(after[since_after:there]), starts[since])
        for was, says, at in (gap, *stays):
            found += _words_between(was, says, at)
        since, since_after = until, until_after
    return tuple(reversed(found))


def place_after(place: int, splices: Iterable[TextChange], *, stays: bool = False) -> int:
    """Move a place of a text through splices done one after the other: it stays before the character that it
    stood before, or with `stays` behind the one that it stood behind. Within what is gone, behind what came
    instead.
    """
    for splice in splices:
        is_at_start = place == splice.start and (stays or splice.start < splice.end)
        if is_at_start or place < splice.start:
            continue
        place = place + splice.shift if place >= splice.end else splice.start + len(splice.text)
    return place


def selection_after(anchor: int, caret: int, splices: Sequence[TextChange]) -> tuple[int, int]:
    """Move an anchor and a caret through splices done one after the other: what is selected between them is
    still, and nothing that came at its ends. With nothing selected, or nothing left of it, both stand at the
    caret's place.
    """
    begin, end = sorted((anchor, caret))
    first, last = place_after(begin, splices), place_after(end, splices, stays=True)
    if first >= last:
        place = place_after(caret, splices)
        return place, place
    return (first, last) if anchor == begin else (last, first)


def stretches_after(start: int, end: int, splices: Iterable[TextChange]) -> list[tuple[int, int]]:
    """Return the rest of a stretch after some splices, in order: nothing that came into it is part of it."""
    left = [(start, end)]
    for splice in splices:
        left = [one for stretch in left for one in _without(*stretch, splice)]
    return left


def _without(start: int, end: int, splice: TextChange) -> Iterator[tuple[int, int]]:
    if start < splice.start:
        yield start, min(end, splice.start)
    if splice.end < end:
        yield max(start, splice.end) + splice.shift, end + splice.shift


def _said(passages: Sequence[tuple[str, str]]) -> str:
    return "".join(text for _, text in passages)


def _words_between(before: str, after: str, start: int) -> Iterator[TextChange]:
    """Give the splices that make one text another, by words, in order, each counted in the text before."""
    whole = difference(before, after, start)
    if whole is None:
        return
    first = _word_before(before, whole.start - start)
    rest = _word_before(before[::-1], len(before) - (whole.end - start))
    was, says = before[first : len(before) - rest], after[first : len(after) - rest]
    old, new = WORD.findall(was), WORD.findall(says)
    if len(old) > MOST_WORDS or len(new) > MOST_WORDS or not old or not new:
        yield whole
        return
    at = at_after = 0
    for a, c, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if size and not any(word[0].isalnum() for word in old[a : a + size]):
            continue  # a space says nothing of where it stood
        begin, begin_after = len("".join(old[:a])), len("".join(new[:c]))
        yield from _within(was[at:begin], says[at_after:begin_after], start + first + at)
        length = len("".join(old[a : a + size]))
        at, at_after = begin + length, begin_after + length


def _within(before: str, after: str, start: int) -> Iterator[TextChange]:
    """Give the splices that make some words others: all of them, unless most of the characters stay."""
    if before == after:
        return
    stays: list[tuple[int, int, int]] = []
    if len(before) <= MOST_CHARACTERS and len(after) <= MOST_CHARACTERS:
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        stays = [(a, b, size) for a, b, size in blocks if size >= LEAST_CHARACTERS]
    if 2 * sum(size for _, _, size in stays) < min(len(before), len(after)):
        stays = []
    at = at_after = 0
    for a, b, size in (*stays, (len(before), len(after), 0)):
        if (at, at_after) != (a, b):
            yield TextChange(start + at, start + a, after[at_after:b])
        at, at_after = a + size, b + size


def _word_before(text: str, at: int) -> int:
    """Find the beginning of the word that goes on at a place; the place itself between words."""
    while at > 0 and text[at - 1].isalnum():
        at -= 1
    return at
