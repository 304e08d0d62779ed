"""Media: the images of a grove by the SHA-256 of their bytes, and which of them can be sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol, TypeAlias

Withheld: TypeAlias = Literal["missing", "format", "size"]

SENT_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
MOST_SENT_BYTES = 3_900_000
"""What every provider takes of one image: the strictest counts 5 MiB of base64."""


class Referred(Protocol):
    """An image by reference, as content or as part of a message."""

    @property
    def ref(self) -> str:
        """The SHA-256 of its bytes."""

    @property
    def mime_type(self) -> str:
        """Such as image/png."""


class Media(Protocol):
    """Store of the bytes of images. Any thread may ask."""

    def size(self, ref: str) -> int | None:
        """Return the number of bytes without reading them; None if there is no such file."""

    def read(self, ref: str) -> bytes | None:
        """The bytes, if they are there and are what their name says."""


def withheld(images: Iterable[Referred], media: Media | None) -> Mapping[str, Withheld]:
    """The images that cannot go out as images whatever the model takes, by reference, each with the reason.

    Without `media` nobody looks for files: `loomapp assemble` need not have them.
    """
    found: dict[str, Withheld] = {}
    if media is None:
        return found
    for image in images:
        size = media.size(image.ref)
        if size is None:
            found[image.ref] = "missing"
        elif image.mime_type not in SENT_TYPES:
            found[image.ref] = "format"
        elif size > MOST_SENT_BYTES:
            found[image.ref] = "size"
    return found
