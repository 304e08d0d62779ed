"""Dialogue: parts become messages, neighbours of one role merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter

from loomapp.core.context.fitting import Fitted
from loomapp.core.context.messages import Message, MessageRole, Part, TextPart
from loomapp.core.context.passages import Passages

# A part with the role it is said in and the node it is from: none for the marker, [None] if uncommitted.
Said = tuple[MessageRole, Part, tuple[str | None, ...]]


def messages(fitted: Fitted) -> tuple[Message, ...]:
    """The messages that are sent."""
    marker: Iterable[Said] = () if fitted.marker is None else [("user", TextPart(fitted.marker), ())]
    said = chain(_said(fitted.passages, fitted.head), marker, _said(fitted.passages, fitted.tail))
    return tuple(_merged(role, list(group)) for role, group in groupby(said, key=itemgetter(0)))


def _said(passages: Passages, indexes: range) -> Iterator[Said]:
    stretch = slice(indexes.start, indexes.stop)
    rows = zip(passages.roles[stretch], passages.texts[stretch], passages.node_ids[stretch], strict=True)
    for index, (role, text, node_id) in enumerate(rows, indexes.start):
        yield role, passages.images.get(index) or TextPart(text), (node_id,)


def _merged(role: MessageRole, said: list[Said]) -> Message:
    if len(said) == 1:  # nearly all
        _, part, ids = said[0]
        return Message(role, (part,), ids)
    node_ids = dict.fromkeys(node_id for _, _, ids in said for node_id in ids)
    return Message(role, tuple(part for _, part, _ in said), tuple(node_ids))
