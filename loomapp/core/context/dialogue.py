"""Dialogue: parts become messages, neighbours of one role merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter

from loomapp.core.context.fit import FittedPassages
from loomapp.core.context.messages import Message, MessageRole, Part, TextPart
from loomapp.core.context.passages import ContextPassages

# A part with the role it is said in and the node it is from: none for the marker, [None] if uncommitted.
Said = tuple[MessageRole, Part, tuple[str | None, ...]]


def messages(fitted: FittedPassages) -> Iterator[Message]:
    """The messages that are sent, one after the other; none of them is blank."""
    said = chain(_said(fitted.passages, fitted.head), _marker(fitted), _said(fitted.passages, fitted.tail))
    return (_merged(role, list(group)) for role, group in _by_role(said))


def ends(fitted: FittedPassages) -> tuple[Message, ...]:
    """The first and the last of the messages, or the only one, without making those between them."""
    head, tail = fitted.head, fitted.tail
    said = chain(_said(fitted.passages, head), _marker(fitted), _said(fitted.passages, tail))
    upwards = chain(_said(fitted.passages, tail[::-1]), _marker(fitted), _said(fitted.passages, head[::-1]))
    role, group = next(_by_role(said))
    beginning = list(group)
    if len(beginning) == len(head) + len(tail) + (fitted.marker is not None):
        return (_merged(role, beginning),)
    last_role, last = next(_by_role(upwards))
    return _merged(role, beginning), _merged(last_role, list(last)[::-1])


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
