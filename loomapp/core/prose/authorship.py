"""Authorship: who wrote which characters of a node, back along what it was edited from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Text
from loomapp.core.model.entities import AuthorType, Node, verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths import piece_table
from loomapp.core.paths.piece_table import Pieces, Taken
from loomapp.core.text import diff
from loomapp.core.text.graphemes import end_of, start_of


class Author(NamedTuple):
    """Author of a node or of a stretch of text."""

    author_type: AuthorType
    agent_id: str | None


@dataclass(frozen=True, slots=True)
class AuthorSpan:
    """A stretch of a text by one author, in code points: from `start` to before `end`."""

    start: int
    end: int
    author_type: AuthorType
    agent_id: str | None

    @property
    def author(self) -> Author:
        return Author(self.author_type, self.agent_id)


Spans: TypeAlias = tuple[
    AuthorSpan, ...
]  # from 0 on, without gaps, no two neighbours by one author; () if empty


@dataclass(slots=True)
class KnownSpans:
    """The spans of the nodes of a tree that were asked for: what the text of a node says never changes."""

    by_node: dict[str, Spans] = field(default_factory=dict)

    def for_sketch(self) -> KnownSpans:
        """Return none: texts of a sketch may be replaced."""
        return KnownSpans()


def author_of(node: Node) -> Author:
    return Author(node.author_type, node.author_agent_id)


def main_author(tree: Tree, node: Node) -> Author:
    """Return who wrote most of a node's text. A passage of a buffer in which a person changed a word is still
    a model's; an edited message says what its editor would have said.
    """
    if node.edited_from is None or node.author_type == "model" or tree.loom.mode != "buffer":
        return author_of(node)
    return mostly_by(spans_of(tree, node.id)) or author_of(node)


def mostly_by(spans: Spans) -> Author | None:
    """Return the author of most characters, the first of several; None of a text without any."""
    lengths: dict[Author, int] = {}
    for span in spans:
        lengths[span.author] = lengths.get(span.author, 0) + span.end - span.start
    return max(lengths, key=lengths.__getitem__, default=None)


def spans_of(tree: Tree, node_id: str) -> Spans:
    """Return the authors of a node's text (`node_text.verbatim`), span by span: they cover the text exactly.

    What it has from the node that it was edited from is by whoever wrote it there; the rest is by its own
    author. Where the edit was made here its pieces are known; else the two texts are compared. A character of
    several code points is by one author: a person, if one changed any of it. Found once for each node.
    """
    memo = tree.caches.of(KnownSpans).by_node
    if node_id in memo:
        return memo[node_id]
    made_of: dict[str, Pieces] = {}
    waiting = [node_id]
    while waiting:
        current = waiting[-1]
        if current not in made_of:
            made_of[current] = _made_of(tree, tree.nodes[current])
            sources = {piece.node_id for piece in made_of[current] if isinstance(piece, Taken)}
            # One that waits already: damage that leads in a circle. It is taken for whole as it stands.
            waiting += [i for i in sources if i not in memo and i not in made_of]
            continue
        waiting.pop()
        if current not in memo:
            node = tree.nodes[current]
            memo[current] = _spans(tree, made_of[current], verbatim(node), author_of(node))
    return memo[node_id]


def _made_of(tree: Tree, node: Node) -> Pieces:
    text = verbatim(node)
    if not isinstance(node.content, Text):
        return piece_table.joined([piece_table.New(len(text))])
    known = piece_table.pieces_of(tree, node, text)
    if known is not None:
        return known
    original = tree.nodes.get(node.edited_from or "")
    if original is None or original.id == node.id:
        return piece_table.joined([piece_table.New(len(text))])
    return compared(original, text)


def compared(original: Node, text: str) -> Pieces:
    """Guess, by comparison, the pieces of a text that was written in the place of a node's, where nobody kept
    them.
    """
    found: list[piece_table.Piece] = []
    at = 0
    for start, place, length in diff.kept(verbatim(original), text):
        found += (piece_table.New(place - at), Taken(original.id, start, start + length))
        at = place + length
    return piece_table.joined([*found, piece_table.New(len(text) - at)])


def spans_made_of(tree: Tree, made_of: Pieces, text: str, own: Author) -> Spans:
    """Return the authors of a text that is no node yet and is made of these pieces; what is new in it is by
    one author.
    """
    for node_id in {piece.node_id for piece in made_of if isinstance(piece, Taken)}:
        spans_of(tree, node_id)
    return _spans(tree, made_of, text, own)


def _spans(tree: Tree, made_of: Pieces, text: str, own: Author) -> Spans:
    found: list[AuthorSpan] = []
    known = tree.caches.of(KnownSpans).by_node
    at = 0
    for piece in made_of:
        end = at + piece.length
        if isinstance(piece, Taken):
            source = known.get(piece.node_id)
            if source is None:
                source = by_one(piece.end, author_of(tree.nodes[piece.node_id]))
            found += _moved(source, piece.start, piece.end, at - piece.start)
        else:
            found.append(AuthorSpan(at, end, *own))
        at = end
    return mended(joined(found), text)


# Spans as values.


def by_one(length: int, author: Author) -> Spans:
    """A text by one author."""
    return (AuthorSpan(0, length, *author),) if length else ()


def spliced(spans: Spans, start: int, end: int, text: str, author: Author) -> Spans:
    """The spans once somebody replaces a stretch by a text. Before `mended` it may part a character."""
    return spliced_each(spans, ((start, end, text),), author)


def spliced_each(spans: Spans, stretches: Iterable[tuple[int, int, str]], author: Author) -> Spans:
    """Replace several stretches, each its start, its end and the text that comes there. They ascend and
    do not overlap.
    """
    found, at, shift = list[AuthorSpan](), 0, 0
    for start, end, text in stretches:
        found += _moved(spans, at, start, shift)
        found.append(AuthorSpan(start + shift, start + shift + len(text), *author))
        at, shift = end, shift + len(text) - (end - start)
    found += _moved(spans, at, spans[-1].end if spans else 0, shift)
    return joined(found)


def within(spans: Sequence[AuthorSpan], start: int, end: int) -> Iterator[AuthorSpan]:
    """Cut spans to a stretch; they stay where they are."""
    return _moved(spans, start, end, 0)


def joined(spans: Iterable[AuthorSpan]) -> Spans:
    """Join neighbouring spans by one author; nothing empty."""
    found: list[AuthorSpan] = []
    for span in spans:
        if span.start == span.end:
            continue
        if found and found[-1].author == span.author:
            found[-1] = AuthorSpan(found[-1].start, span.end, *span.author)
        else:
            found.append(span)
    return tuple(found)


def mended(spans: Spans, text: str) -> Spans:
    """The spans with no character parted between two authors: it is the person's if one wrote any of it."""
    bad = [span.start for span in spans[1:] if start_of(text, span.start) != span.start]
    for place in bad:
        start, end = start_of(text, place), end_of(text, place)
        parts = list(within(spans, start, end))
        author = next((part.author for part in parts if part.author_type == "human"), parts[-1].author)
        spans = spliced(spans, start, end, text[start:end], author)
    return spans


def _moved(spans: Sequence[AuthorSpan], start: int, end: int, shift: int) -> Iterator[AuthorSpan]:
    number = max(0, bisect_right(spans, start, key=lambda span: span.start) - 1)
    for span in spans[number:]:
        if span.start >= end:
            return
        left, right = max(span.start, start), min(span.end, end)
        if left < right:
            yield AuthorSpan(left + shift, right + shift, span.author_type, span.agent_id)
