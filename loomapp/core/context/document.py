"""Document: in Buffer, parts become one text without separators; spans say what comes from where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.context.fit import FittedPassages

SpanKind: TypeAlias = Literal["node", "marker", "workingBuffer"]


@dataclass(frozen=True, slots=True)
class DocumentSpan:
    """A stretch of the document, in code points, and the node it comes from."""

    node_id: str | None
    start: int
    end: int
    kind: SpanKind = "node"

    def to_json(self) -> dict[str, object]:
        """The span as `loomapp assemble` prints it."""
        value: dict[str, object] = {"nodeId": self.node_id, "start": self.start, "end": self.end}
        return value if self.kind == "node" else {**value, "kind": self.kind}


def text(fitted: FittedPassages) -> str:
    """The document that is sent."""
    head, tail = fitted.texts()
    return "".join((*head, fitted.marker or "", *tail))


def end(fitted: FittedPassages) -> str:
    """The last of the document that says something, in whole parts; all of it if nothing does."""
    found: list[str] = []
    for index in reversed(fitted.tail):
        said = fitted.passages.texts[index]
        cut = fitted.front if index == fitted.tail.start else None
        found.append(said if cut is None else said[-cut.kept_chars :])
        if found[-1].strip():
            return "".join(reversed(found))
    return text(fitted)


def spans(fitted: FittedPassages) -> tuple[DocumentSpan, ...]:
    """Find the sources of the document's text, without gaps; one span for all parts of a node."""
    found: list[DocumentSpan] = []
    end = 0
    for node_id, kind, length in _lengths(fitted):
        start, end = end, end + length
        if kind == "node" and found and found[-1].node_id == node_id:
            start = found.pop().start
        found.append(DocumentSpan(node_id, start, end, kind))
    return tuple(found)


def _lengths(fitted: FittedPassages) -> Iterator[tuple[str | None, SpanKind, int]]:
    passages = fitted.passages
    for index in fitted.head:
        yield passages.node_ids[index], "node", len(passages.texts[index])
    if fitted.marker is not None:
        yield None, "marker", len(fitted.marker)
    for index in fitted.tail:
        cut = fitted.front if index == fitted.tail.start else None
        length = len(passages.texts[index]) if cut is None else cut.kept_chars
        yield passages.node_ids[index], "workingBuffer" if index in passages.kinds else "node", length
