"""Typist: puts what an author writes into the passages of a buffer's text that it touches."""

from __future__ import annotations

from collections.abc import Sequence

from loomapp.core.model.tree import Tree
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, Passage, begun
from loomapp.core.prose.passage_change import plain_text_of


class Typist:
    """Writes in one buffer text, in one author's name. Places are code points of the text, stretches go from
    a place to before another.
    """

    def __init__(self, tree: Tree, buffer_text: BufferText, author: Author) -> None:
        self._tree, self._buffer_text, self._author = tree, buffer_text, author

    # Looking where it would write

    def targets(self, start: int, end: int) -> list[Passage]:
        """The passages that a stroke changes, the one that takes the new text first."""
        if start == end:
            return [self._buffer_text.passage_at(start)]
        return [p for p in self._buffer_text.passages(start, end) if p.start < end and p.end > start]

    def check(self, start: int, end: int) -> None:
        """Raises: InvalidInput if one of them is not plain text."""
        for passage in self.targets(start, end):
            if passage.node_id is not None:
                plain_text_of(self._tree.nodes[passage.node_id])

    def goes_on(self, start: int, end: int) -> bool:
        """True if a stroke goes on with what is under the pen or was saved last, and with nothing else. What
        waits for an answer is under it until that is there, whatever is written meanwhile.
        """
        penned = self._buffer_text.penned
        targets = self.targets(start, end)
        if self._buffer_text.awaited:
            return not penned or all(p.node_id is None or p.node_id in penned for p in targets)
        if not penned and not self._buffer_text.working.text:
            saved = self._buffer_text.saved
            return not saved or all(passage.node_id in saved for passage in targets)
        if all(passage.node_id is None for passage in targets):
            return not penned
        return all(passage.node_id in penned for passage in targets)

    def is_one_kind(self, start: int, end: int, place: int) -> bool:
        """True if a stretch and a place are in nodes alone, or in the working buffer alone."""
        targets = (*self.targets(start, end), *self.targets(place, place))
        return len({passage.node_id is None for passage in targets}) == 1

    def is_space_before(self, place: int) -> bool:
        """True if a space stands before a place, or a line ends there."""
        if not place:
            return False
        passage = self._buffer_text.passage_from(place - 1)
        return self._buffer_text.text_of(passage.place)[place - 1 - passage.start].isspace()

    # Writing

    def put(self, start: int, end: int, text: str) -> None:
        """Put a text over a stretch. What goes, goes from each passage; what comes is the first's."""
        first, *others = self.targets(start, end)
        for passage in reversed(others):
            self._put_in(passage, 0, min(end, passage.end) - passage.start, "")
        self._put_in(first, start - first.start, min(end, first.end) - first.start, text)

    def put_over(self, start: int, stretches: Sequence[tuple[int, int]], text: str) -> int:
        """Put a text at a place and take stretches away, in order, none of them before it; where what was
        taken away at the place itself ended.
        """
        goes = [stretch for stretch in stretches if stretch[0] < stretch[1]]
        here = goes.pop(0)[1] if goes and goes[0][0] == start else start
        for begin, end in reversed(goes):
            self.put(begin, end, "")
        self.put(start, here, text)
        return here

    def move(self, start: int, end: int, place: int) -> str:
        """Move a stretch to a place outside it; gives its text. Raises: InvalidInput, and nothing is moved,
        if what takes it is not plain text.
        """
        buffer_text = self._buffer_text
        text = buffer_text.text[start:end]
        to, shift = buffer_text.passage_at(place), len(text) if place <= start else 0
        if to.node_id is None and any(p.node_id is not None for p in self.targets(start, end)):
            self.check(place - 1, place)  # at the end: in the last node, for one more is a Change more
            to = buffer_text.passage_at(place - 1)
        self._put_in(to, place - to.start, place - to.start, text)
        self.put(start + shift, end + shift, "")
        return text

    def _put_in(self, passage: Passage, start: int, end: int, text: str) -> None:
        buffer_text = self._buffer_text
        if passage.node_id is None:
            typed = buffer_text.working
        else:
            known = buffer_text.penned.get(passage.node_id) or buffer_text.committed.get(passage.node_id)
            typed = begun(self._tree, passage.node_id) if known is None else known
        buffer_text.write(passage.place, typed.replaced(start, end, text, self._author))
