"""The text that is sent: messages with neighbours of a role merged, or a document with its suffix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from loomapp.core.context.fit import FittedPassages
from loomapp.core.context.messages import Message, MessageRole, Part, TextPart
from loomapp.core.context.passages import ContextPassages
from loomapp.core.dataclass import dataclass
from loomapp.core.text.token_counts import TokenEstimator, characters_within

if TYPE_CHECKING:
    pass


# A part with the role it is said in and the node it is from: none for the marker, [None] if uncommitted.
Said = tuple[MessageRole, Part, tuple[str | None, ...]]


def sent_messages(fitted: FittedPassages) -> Iterator[Message]:
    """The messages that are sent, one after the other; none of them is blank."""
    return (_merged(role, list(group)) for role, group in _by_role(_everything(fitted)))


def outer_messages(fitted: FittedPassages) -> tuple[Message, ...]:
    """The first and the last of the messages, or the only one, without making those between them."""
    head, tail = fitted.head, fitted.tail
    if fitted.passages.before_newest:
        every = tuple(sent_messages(fitted))
        return every if len(every) == 1 else (every[0], every[-1])
    said = chain(_said(fitted.passages, head), _marker(fitted), _said(fitted.passages, tail))
    upwards = chain(_said(fitted.passages, tail[::-1]), _marker(fitted), _said(fitted.passages, head[::-1]))
    role, group = next(_by_role(said))
    beginning = list(group)
    if len(beginning) == len(head) + len(tail) + (fitted.marker is not None):
        return (_merged(role, beginning),)
    last_role, last = next(_by_role(upwards))
    return _merged(role, beginning), _merged(last_role, list(last)[::-1])


def _everything(fitted: FittedPassages) -> Iterator[Said]:
    passages, tail = fitted.passages, fitted.tail
    if not passages.before_newest:
        return chain(_said(passages, fitted.head), _marker(fitted), _said(passages, tail))
    newest = max(tail.start, passages.newest)
    block: Said = "user", TextPart(passages.before_newest), ()
    after: Iterator[Said] = ((role, TextPart(text), ()) for role, text in passages.after)
    earlier, latest = range(tail.start, newest), range(newest, tail.stop)
    said = chain(_headed(passages, fitted.head), _marker(fitted), _headed(passages, earlier))
    return chain(said, [block], _headed(passages, latest), after)


def _headed(passages: ContextPassages, indexes: range) -> Iterator[Said]:
    """Parts with their headers above them; an image's is a part of its own."""
    for index, (role, part, ids) in zip(indexes, _said(passages, indexes), strict=True):
        header = passages.headers.get(index)
        if header is None:
            yield role, part, ids
        elif isinstance(part, TextPart):
            yield role, TextPart(f"{header}\n{part.text}"), ids
        else:
            yield role, TextPart(header), ids
            yield role, part, ids


def _by_role(said: Iterable[Said]) -> Iterator[tuple[MessageRole, Iterator[Said]]]:
    return groupby(said, key=itemgetter(0))


def _marker(fitted: FittedPassages) -> Iterable[Said]:
    return () if fitted.marker is None else [("user", TextPart(fitted.marker), ())]


def _said(passages: ContextPassages, indexes: range) -> Iterator[Said]:
    roles, texts, node_ids, images = passages.roles, passages.texts, passages.node_ids, passages.images
    for index in indexes:
        yield roles[index], images.get(index) or TextPart(texts[index]), (node_ids[index],)


def _merged(role: MessageRole, said: list[Said]) -> Message:
    if len(said) == 1:  # nearly all
        _, part, ids = said[0]
        return Message(role, (part,), ids)
    node_ids = dict.fromkeys(node_id for _, _, ids in said for node_id in ids)
    return Message(role, tuple(part for _, part, _ in said), tuple(node_ids))


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


def document_text(fitted: FittedPassages) -> str:
    head, tail = fitted.texts()
    return "".join((*head, fitted.marker or "", *tail))


def document_end(fitted: FittedPassages) -> str:
    """The last of the document that says something, in whole parts; all of it if nothing does."""
    found: list[str] = []
    for index in reversed(fitted.tail):
        said = fitted.passages.texts[index]
        cut = fitted.front if index == fitted.tail.start else None
        found.append(said if cut is None else said[-cut.kept_chars :])
        if found[-1].strip():
            return "".join(reversed(found))
    return document_text(fitted)


def document_spans(fitted: FittedPassages) -> tuple[DocumentSpan, ...]:
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


LEAST_SHARE = 4  # a quarter of the room is the suffix's, if what comes before leaves it no more


@dataclass(frozen=True, slots=True)
class Suffix:
    """The characters that are sent, from the first on, and how many after them are not; the tokens of what is
    sent, and of all of it.
    """

    text: str
    tokens: int
    all_tokens: int
    dropped_chars: int = 0

    @property
    def is_cut(self) -> bool:
        """True if there was no room for all of it."""
        return self.dropped_chars > 0

    def to_json(self) -> dict[str, object]:
        return {"text": self.text, "tokens": self.tokens, "droppedChars": self.dropped_chars}


def whole_suffix(text: str, estimator: TokenEstimator) -> Suffix:
    tokens = estimator.of(text)
    return Suffix(text, tokens, tokens)


def cut_suffix(text: str, room: int, before: int, estimator: TokenEstimator) -> Suffix:
    """The beginning of a text, where it and what comes before it, which is `before` tokens, may have `room`
    tokens together: what that leaves, and a quarter of the room at least.

    What is nearest to the caret says the most of what may stand there, so the end is cut off.
    """
    whole, most = estimator.of(text), max(room // LEAST_SHARE, room - before)
    if whole <= most:
        return Suffix(text, whole, whole)
    kept = characters_within(max(0, most), text, whole, estimator)
    return Suffix(text[:kept], max(0, most), whole, len(text) - kept)
