"""A context as people read it: all of it as one text, and which messages of a path go out as one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.messages import ImagePart, Message, Part

NAMES = {"user": "User", "assistant": "Assistant", "system": "System"}
DIGEST_LENGTH = 8  # of the reference, where images of one name are told apart


def as_text(assembled: Assembled) -> str:
    """Return all of it, a blank line between its parts."""
    return _joined(assembled, [message.text for message in assembled.messages])


def side_by_side(contexts: Sequence[Assembled]) -> tuple[str, ...]:
    """Write contexts out for a comparison: an image that goes only by its name says so, and which of several
    images of one name it is.
    """
    refs: dict[str, set[str]] = {}
    for context in contexts:
        for image in context.images:
            refs.setdefault(image.placeholder, set()).add(image.ref)
    shared = {placeholder for placeholder, found in refs.items() if len(found) > 1}
    return tuple(_compared(context, shared) for context in contexts)


def _compared(context: Assembled, shared: set[str]) -> str:
    passages = context.fitted.passages
    by_name = {passages.texts[index] for index in passages.described}

    def words(part: Part) -> str:
        if isinstance(part, ImagePart):
            digest = part.ref[:DIGEST_LENGTH]
            return _marked(part.placeholder, digest) if part.placeholder in shared else part.placeholder
        return _marked(part.text, "not sent") if part.text in by_name else part.text

    def said(message: Message) -> str:
        return "\n\n".join(map(words, message.parts))

    return _joined(context, list(map(said, context.messages)))


def _marked(placeholder: str, words: str) -> str:
    return f"{placeholder.removesuffix(']')} · {words}]"


def _joined(assembled: Assembled, texts: Sequence[str]) -> str:
    parts = [f"System:\n{assembled.system}"] if assembled.system else []
    parts += [f"{NAMES[one.role]}:\n{text}" for one, text in zip(assembled.messages, texts, strict=True)]
    if assembled.document is not None:
        parts.append(assembled.document)
    if assembled.suffix is not None:
        parts.append(f"After the caret:\n{assembled.suffix.text}")
    return "\n\n".join(parts)


def merged_with(assembled: Assembled, node_id: str) -> str | None:
    """The message before on the path with which one is sent as one; None if it begins a message of its own,
    is not sent or not on the path.

    Told from the parts as they go out, so that whatever is sent between the two counts: sources, notes and
    the marker, wherever they come from. Only in Dialogue are there messages.
    """
    placed, fitted = assembled.placed, assembled.fitted
    own = placed.first_part(node_id)
    if assembled.mode == "buffer" or own is None or node_id not in placed.path or own in fitted.gap:
        return None
    roles, node_ids = fitted.passages.roles, fitted.passages.node_ids
    role = roles[own]
    is_behind = own >= fitted.tail.start
    between = range(fitted.tail.start if is_behind else 0, own)[::-1]
    beyond = fitted.head[::-1] if is_behind else range(0)
    for index in chain(between, (None,) if is_behind and fitted.marker is not None else (), beyond):
        if index is None:
            if role != "user":  # the marker is the user's
                return None
            continue
        if roles[index] != role:
            return None
        before = node_ids[index]
        if before is not None and before in placed.path:
            return before
    return None
