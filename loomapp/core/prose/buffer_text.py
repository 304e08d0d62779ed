"""Buffer text: the active path of a buffer as one text, passage by passage, with what is typed in each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths import piece_table
from loomapp.core.paths import siblings as variants
from loomapp.core.paths.path import NodeSequence, Path, apart, common_length
from loomapp.core.paths.piece_table import Pieces
from loomapp.core.paths.siblings import Siblings
from loomapp.core.prose.authorship import (
    Author,
    AuthorSpan,
    Spans,
    compared,
    mended,
    spans_made_of,
    spans_of,
    spliced_each,
    within,
)


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that is no node yet. `pieces` are of the node that it changes; all in code points."""

    text: str = ""
    spans: Spans = ()
    pieces: Pieces = ()

    def replaced(self, start: int, end: int, text: str, author: Author) -> PendingText:
        """The text once somebody puts another in place of a stretch of it."""
        return self.replaced_each(((start, end, text),), author)

    def replaced_each(self, stretches: Sequence[tuple[int, int, str]], author: Author) -> PendingText:
        """Replace several stretches, each its start, its end and the text that comes there. They ascend
        and do not overlap; it takes time for all together, not for each.
        """
        said, at = list[str](), 0
        for start, end, text in stretches:
            said += (self.text[at:start], text)
            at = end
        whole = "".join((*said, self.text[at:]))
        return PendingText(
            whole,
            mended(spliced_each(self.spans, stretches, author), whole),
            piece_table.replaced_each(
                self.pieces, ((start, end, len(text)) for start, end, text in stretches)
            ),
        )


def begun(tree: Tree, node_id: str) -> PendingText:
    """A node's text, before anything of it is changed."""
    text = verbatim(tree.nodes[node_id])
    return PendingText(text, spans_of(tree, node_id), piece_table.whole(node_id, len(text)))


def taken_up(tree: Tree, node_id: str, text: str, made_of: Pieces | None, author: Author) -> PendingText:
    """Return the text that stood in a node's place when somebody was interrupted who was changing it. Where
    its pieces were not kept, or are of something else, the two texts are compared.
    """
    if made_of is None or not piece_table.are_of(tree, made_of, text):
        made_of = compared(tree.nodes[node_id], text)
    return PendingText(text, spans_made_of(tree, made_of, text, author), made_of)


def fresh(text: str, author: Author) -> PendingText:
    """A text that somebody wrote from nothing."""
    return PendingText().replaced(0, 0, text, author)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the text, in code points, and the node that says it; None for the working buffer."""

    place: int
    node_id: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextChange:
    """Change of a text: from `start` to before `end` there is now `text`."""

    start: int
    end: int
    text: str

    @property
    def shift(self) -> int:
        """Return by how much the text after it moved."""
        return self.start + len(self.text) - self.end


class BufferText:
    """Node contents verbatim, no separators; a node under the pen as it stands there; last the working
    buffer, also while it is empty. Its places are those of the path, and one more.

    Belongs to one thread. `follow` and `write` cost what they change, and a shift of the numbers behind it;
    who else hangs there, and who wrote what, is looked up for the passages that are asked for.
    """

    def __init__(self, tree: Tree, path: Path) -> None:
        self._tree = tree
        self._way: NodeSequence = path
        self._texts = [*map(verbatim, path.nodes), ""]
        self._text: str | None = None  # all of it, once it was asked for
        self._starts = [0, *accumulate(map(len, self._texts[:-1]))]
        self._moved_from = len(self._texts)  # places from here on start later, by `_shift`
        self._shift = 0
        self._penned: dict[str, PendingText] = {}
        self._working = PendingText()
        self.pen_at: int | None = None  # behind what was written last, while it is under the pen
        self.composed_at: int | None = None  # where an answer came behind what is being composed
        self.is_followed = False  # an answer is being written after the path's end: see `passage_at`
        self.is_behind = False  # the writer stands behind that answer, not before it
        self.committed: Mapping[str, PendingText] = {}  # in this sitting, by the nodes; it goes on there
        self.saved: frozenset[str] = frozenset()  # those of them that are one step of undo with what comes
        self.begun: frozenset[str] = frozenset()  # those of them that were begun in this sitting
        self.awaited = ""  # the node that the answer will be which the working buffer follows; "" for none

    # Reading

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def node_ids(self) -> tuple[str, ...]:
        return self._way.node_ids

    @property
    def tree_id(self) -> str:
        return self._tree.loom.id

    @property
    def way(self) -> NodeSequence:
        return self._way

    @property
    def length(self) -> int:
        return self._start(len(self) - 1) + len(self._texts[-1])

    @property
    def end(self) -> int:
        """End of the text that is in nodes, and beginning of what continues those: words that wait for an
        answer stand behind it, what is written and continues the path before it.
        """
        return self._start(len(self) - 1) if self.awaited else self.length

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "".join(self._texts)
        return self._text

    @property
    def working(self) -> PendingText:
        """The working buffer: what was written at the end and is no node yet."""
        return self._working

    @property
    def last_words(self) -> str:
        """Text of the working buffer as far as it continues the path; "" while it waits for an answer."""
        return "" if self.awaited else self._working.text

    @property
    def penned(self) -> Mapping[str, PendingText]:
        """The nodes of the path that are under the pen, as they stand now."""
        return self._penned

    def passage(self, place: int) -> Passage:
        """The passage at a place; the last is the working buffer. Raises: IndexError."""
        place = range(len(self))[place]
        start = self._start(place)
        node_id = self.node_ids[place] if place < len(self.node_ids) else None
        return Passage(place, node_id, start, start + len(self._texts[place]))

    def text_of(self, place: int) -> str:
        return self._texts[place]

    def passages(self, start: int = 0, end: int | None = None) -> Iterator[Passage]:
        """The passages with characters in a stretch, and the empty ones within it or at its ends; all of them
        by default.
        """
        end = self.length if end is None else end
        place = self._place_before(start)
        while place and not self._texts[place - 1] and self._start(place - 1) >= start:
            place -= 1
        for passage in map(self.passage, range(place, len(self))):
            if passage.start > end:
                return
            if passage.start == passage.end or passage.start < end:
                yield passage

    def passage_at(self, offset: int) -> Passage:
        """The passage to which a caret at an offset belongs.

        Between two passages it is the one to the right, whose first character follows the caret; at the end
        of the text the working buffer; empty ones are passed over. But where the pen is (`pen_at`) what is
        under it goes on: who types at the end of what he corrects stays in it. And while an answer follows
        the path, its end is its last node's: what is typed there stands before the answer, and stays there;
        so does what was being composed there when the answer became a node (`composed_at`). Only who stands
        behind the answer (`is_behind`) writes in the working buffer. What this sitting began at the end of
        the text goes on there.
        """
        right = self.passage_from(offset)
        if self.is_followed and right.node_id is None and right.start == offset:
            return right if self.is_behind else self.passage(right.place - 1)
        if offset == self.composed_at and right.place and right.start == offset:
            return self.passage(right.place - 1)
        found = self._under_pen(right, offset) if offset == self.pen_at else right
        if found.node_id is None and found.start == found.end and self.node_ids[-1] in self.begun:
            return self.passage(found.place - 1)
        return found

    def _under_pen(self, right: Passage, offset: int) -> Passage:
        """The first of the passages under the pen that end at an offset; else the one to the right."""
        found = right
        for place in range(right.place - 1 if right.start == offset else -1, -1, -1):
            left = self.passage(place)
            if left.node_id in self._penned or left.node_id in self.committed:
                found = left
            if left.start < left.end:
                break
        return found

    def passage_from(self, offset: int) -> Passage:
        """The passage whose text follows an offset, wherever the pen is; at the end the working buffer."""
        return self.passage(self._place_before(offset))

    def place_of(self, node_id: str) -> int | None:
        return self._way.place_of(node_id)

    def spans(self, place: int) -> Spans:
        """Return the authors of a passage, span by span from its own start; they cover it exactly."""
        if place == len(self.node_ids):
            return self._working.spans
        node_id = self.node_ids[place]
        return self._penned[node_id].spans if node_id in self._penned else spans_of(self._tree, node_id)

    def spans_between(self, start: int, end: int) -> Iterator[AuthorSpan]:
        """Give the authors of a stretch, span by span from the start of the text; they cover the stretch
        exactly.
        """
        for passage in self.passages(start, end):
            lo, hi = max(start, passage.start), min(end, passage.end)
            for span in within(self.spans(passage.place), lo - passage.start, hi - passage.start):
                yield AuthorSpan(
                    span.start + passage.start, span.end + passage.start, span.author_type, span.agent_id
                )

    def versions(self, place: int) -> tuple[str, ...]:
        """The versions of a passage in order of creation, the shown one among them, as a reader is offered
        them.
        """
        way = self.node_ids
        if place >= len(way):
            return ()
        found = variants.versions(self._tree, way, place)
        return variants.told_apart(self._tree, way[place], found) if len(found) > 1 else found

    def siblings(self, place: int) -> Siblings:
        """Return the shown passage among the other ways that the text before it goes on."""
        way = self.node_ids
        return variants.siblings(self._tree, way, place) if place < len(way) else Siblings(0, ())

    # Writing

    def write(self, place: int, typed: PendingText) -> None:
        """Put what stands under the pen in the place of a passage."""
        if place == len(self.node_ids):
            self._working = typed
        else:
            self._penned[self.node_ids[place]] = typed
        self._put(place, typed.text)

    def let_go(self, node_ids: Iterable[str]) -> None:
        """Passages are under the pen no more that say what their place in the tree is about to say."""
        for node_id in node_ids:
            self._penned.pop(node_id, None)

    def put_down(self) -> TextChange | None:
        """End all pending edits; the passages say again what their nodes say."""
        penned, self._penned = self._penned, {}
        before = self.text if penned else ""
        for node_id in penned:
            place = self.place_of(node_id)
            if place is not None:
                self._put(place, verbatim(self._tree.nodes[node_id]))
        return difference(before, self.text) if penned else None

    def follow(self, path: Path, working: PendingText | None = None) -> TextChange | None:
        """Take the path as it is now, and the working buffer where it became a node or came back from one:
        what that changes of the text, None if nothing.

        A node that left the path is under the pen no more.
        """
        before, now = self.node_ids, path.node_ids
        working = self._working if working is None else working
        head, tail = apart(self._way, path)
        if working is not self._working:
            tail = 0
        elif head == len(before) == len(now):
            return None
        else:
            tail += 1  # what is written after them
        end = len(self._texts) - tail
        was = "".join(self._texts[head:end])
        for node_id in before[head:end]:
            if node_id not in path:
                self._penned.pop(node_id, None)
        texts = self._texts_on(path, head, len(now) + 1 - tail)
        if not tail:
            texts.append(working.text)
        self._way, self._working = path, working
        self._put_all(head, end, texts)
        return difference(was, "".join(texts), self._start(head))

    def run(self, start: int, end: int) -> list[tuple[str, str]]:
        """Return the passages from one place to before another, each the text that it is a version of, by the
        id of that, and what it says now.
        """
        families = map(self._tree.family, self.node_ids[start:end])
        return list(zip(families, self._texts[start:end], strict=False))

    def run_on(self, path: Path, start: int, end: int) -> list[tuple[str, str]]:
        """Return passages on a path that the text is to follow; see `run`."""
        families = map(self._tree.family, path.node_ids[start:end])
        return list(zip(families, self._texts_on(path, start, end), strict=True))

    # Behind it

    def _texts_on(self, path: Path, start: int, end: int) -> list[str]:
        """Return the texts of passages of a path, those under the pen as they stand there."""
        nodes, penned = path.nodes[start:end], self._penned
        return [penned[node.id].text if node.id in penned else verbatim(node) for node in nodes]

    def _place_before(self, offset: int) -> int:
        """The last place that starts at an offset or before it: only the very last can be an empty one."""
        if offset >= self._start(len(self) - 1):
            return len(self) - 1
        split = self._moved_from
        if split < len(self) and offset >= self._start(split):
            return bisect_right(self._starts, offset - self._shift, lo=split) - 1
        return max(0, bisect_right(self._starts, offset, hi=split) - 1)

    def _start(self, place: int) -> int:
        return self._starts[place] + (self._shift if place >= self._moved_from else 0)

    def _put(self, place: int, text: str) -> None:
        if text != self._texts[place]:
            self._put_all(place, place + 1, [text])

    def _put_all(self, head: int, end: int, texts: list[str]) -> None:
        """Put other texts in the place of some. What comes behind them is not moved, only noted to have."""
        self._settle(end)
        start, until = self._start(head), self._start(end) if end < len(self) else self.length
        starts = [*accumulate(map(len, texts), initial=start)]
        shift = starts.pop() - until
        self._starts[head:end] = starts
        self._texts[head:end] = texts
        self._shift += shift
        self._moved_from = head + len(texts)
        if self._text is not None:
            self._text = "".join((self._text[:start], *texts, self._text[until:]))

    def _settle(self, place: int) -> None:
        """Count what was shifted into the starts up to a place; from there on they are shifted still."""
        before, shift = self._moved_from, self._shift
        if shift and before < place:
            self._starts[before:place] = [start + shift for start in self._starts[before:place]]
        elif shift and place < before:
            self._starts[place:before] = [start - shift for start in self._starts[place:before]]
        self._moved_from = place


def difference(before: str, after: str, start: int = 0) -> TextChange | None:
    """The one stretch in which two texts differ; None if they are the same. Both begin at `start`."""
    if before == after:
        return None
    head = common_length(before, after)
    least = min(len(before), len(after)) - head
    tail = min(least, common_length(before[head:][::-1], after[head:][::-1]))
    return TextChange(start + head, start + len(before) - tail, after[head : len(after) - tail])
