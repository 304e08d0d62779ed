"""Images in a request: parts of a message in each protocol, and the body as it is kept, without them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from typing import Any, TypeAlias

from loomapp.core.context.messages import ImagePart, Message, TextPart
from loomapp.core.generation.request import ImageEncoder, Request

Block: TypeAlias = dict[str, Any]
KEPT_AS = "loomapp-media:"
"""What stands in a kept request for the base64 of an image: this, and the SHA-256 of its bytes, by which the
media folder has them. They are never kept in the grove a second time."""

_BASE64 = re.compile(rb'(?<=[",])[A-Za-z0-9+/]{4,}={0,2}(?=")')


def has_images(message: Message) -> bool:
    return any(isinstance(part, ImagePart) for part in message.parts)


def images_of(request: Request) -> frozenset[str]:
    """The images that a request carries, by reference."""
    parts = (part for message in request.messages for part in message.parts)
    return frozenset(part.ref for part in parts if isinstance(part, ImagePart))


def blocks(
    message: Message, text: Callable[[str], Block], image: Callable[[ImagePart], Block]
) -> list[Block]:
    """The parts of a message as a protocol has them: neighbouring texts as one, joined by a blank line."""
    return list(_blocks(message, text, image))


def _blocks(
    message: Message, text: Callable[[str], Block], image: Callable[[ImagePart], Block]
) -> Iterator[Block]:
    for is_text, parts in groupby(message.parts, key=lambda part: isinstance(part, TextPart)):
        if is_text:
            yield text("\n\n".join(part.text for part in parts if isinstance(part, TextPart)))
        else:
            yield from (image(part) for part in parts if isinstance(part, ImagePart))


def data_url(part: ImagePart, encode: ImageEncoder) -> str:
    return f"data:{part.mime_type};base64,{encode(part)}"


def shortened(part: ImagePart) -> str:
    """Return what stands for the base64 of an image where a request is shown before it is sent."""
    return KEPT_AS + part.ref


def without_images(body: bytes, refs: Collection[str]) -> bytes:
    """A request as it is kept: each of these images named in place of its base64, all else as it was sent."""
    if not refs:
        return body
    return _BASE64.sub(lambda found: _named(found[0], refs), body)


def _named(encoded: bytes, refs: Collection[str]) -> bytes:
    try:
        ref = hashlib.sha256(base64.b64decode(encoded, validate=True)).hexdigest()
    except binascii.Error:
        return encoded
    return (KEPT_AS + ref).encode() if ref in refs else encoded
