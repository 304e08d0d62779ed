"""Buffer: parts become one document, cut from the front where even the newest unit is too big."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.context.passages import Passages
from loomapp.core.context.truncation import BUFFER_MARKER

SpanKind: TypeAlias = Literal["node", "marker", "workingBuffer"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the document, in code points, and the node it comes from."""

    node_id: str | None
    start: int
    end: int
    kind: SpanKind = "node"


@dataclass(frozen=True, slots=True)
class FrontCut:
    """What stays of a unit that is cut from the front: parts from `first` on, of that one the last characters."""

    first: int
    kept_chars: int
    dropped_chars: int


@dataclass(frozen=True, slots=True)
class Written:
    """The document and where each stretch of it comes from."""

    text: str
    spans: tuple[Span, ...]


def cut_front(passages: Passages, begin: int, room: int) -> FrontCut:
    """Fit the parts from `begin` to the end, which are too many, into `room` tokens (more than 0).

    Whole parts from the end while they fit, then the last `4 × what remains` characters of the next.
    """
    first = len(passages)
    while first > begin and passages.tokens[first - 1] <= room:
        first -= 1
        room -= passages.tokens[first]
    if room == 0 or first == begin:
        return FrontCut(first, len(passages.texts[first]), 0)
    kept = 4 * room
    return FrontCut(first - 1, kept, len(passages.texts[first - 1]) - kept)


def write(
    passages: Passages, ranges: Sequence[range], *, marker: bool, front: FrontCut | None = None
) -> Written:
    """The document of the parts in `ranges`, with the marker between the two ranges if asked for."""
    pieces: list[str] = []
    spans: list[Span] = []
    at = 0

    def put(text: str, node_id: str | None, kind: SpanKind) -> None:
        nonlocal at
        pieces.append(text)
        if kind == "node" and spans and spans[-1].node_id == node_id:
            spans[-1] = Span(node_id, spans[-1].start, at + len(text))
        else:
            spans.append(Span(node_id, at, at + len(text), kind))
        at += len(text)

    for number, indexes in enumerate(ranges):
        if number and marker:
            put(BUFFER_MARKER, None, "marker")
        for index in indexes:
            text = passages.texts[index]
            if front is not None and index == front.first:
                text = text[-front.kept_chars :]
            put(text, passages.node_ids[index], "workingBuffer" if index in passages.kinds else "node")
    return Written("".join(pieces), tuple(spans))
