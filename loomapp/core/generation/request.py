"""Request of one model call, and the errors that a model's provider answers it with."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from loomapp.core.context.messages import ImagePart, Message
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.media import Media
from loomapp.core.sentences import worded

ErrorCode: TypeAlias = Literal[
    "authenticationFailed", "rateLimited", "contextTooLong", "modelNotFound", "invalidRequest", "serverError",
    "networkError", "timeout", "contentFiltered", "cancelled", "unknown",
]  # fmt: skip


class ProviderError(LoomError):
    """A model did not answer, or stopped in the middle. The message says provider, what happened, next step.

    `details` may hold status, requestId, retryAfterMs, needed, limit and a redacted excerpt of the body.
    """

    def __init__(self, code: ErrorCode, message: str, **details: object) -> None:
        super().__init__(message, **details)
        self.code: ErrorCode = code


ImageEncoder: TypeAlias = Callable[[ImagePart], str]
"""The base64 of an image. Raises: ProviderError if its bytes are not there."""


def no_image(part: ImagePart) -> str:
    """Refuse any image, for want of a media folder. Raises: ProviderError."""
    raise ProviderError(
        "invalidRequest",
        worded(
            "The image “{name}” is not in the media folder, or is not what it was. "
            "Put it back, or exclude it, and retry.",
            name=part.alt_text or part.ref[:12],
        ),
        ref=part.ref,
    )


def encoded_image(media: Media, part: ImagePart) -> str:
    """An image as it travels. Raises: ProviderError if its bytes are gone, or are other ones."""
    data = media.read(part.ref)
    return no_image(part) if data is None else base64.b64encode(data).decode("ascii")


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model, for `n` choices. Either `messages` or `document` is set.

    Dialogue: `system` and `messages`, provider rules already applied. Buffer: `document`, the text to be
    continued as it stands, and `system` if the tree opted in; `suffix`, if the answer is to lead there, as
    it stands.
    """

    model_ref: str
    system: str | None = None
    messages: tuple[Message, ...] = ()
    document: str | None = None
    suffix: str | None = None
    n: int = 1
    max_tokens: int | None = None
    temperature: float | None = None
    stop_sequences: tuple[str, ...] = ()
    custom_parameters: Mapping[str, object] = field(default_factory=dict)
    cache_key: str | None = None  # the same for requests that begin alike, where a provider wants to know
    record: Mapping[str, object] | None = None  # what it was assembled from; kept with the response, not sent
    encode_image: ImageEncoder = no_image  # asked on the worker's thread, when the request is written out

    @property
    def model_name(self) -> str:
        """Endpoint's own name of the model."""
        return self.model_ref.partition(":")[2]


class Stop(Protocol):
    """Asked by a provider between reads."""

    @property
    def requested(self) -> bool:
        """True once the user wants the stream to end."""
