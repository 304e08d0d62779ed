"""A model's provider: the request of one call, the events that are streamed for it, and its errors."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from loomapp.core.context.messages import ImagePart, Message
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.model.content import Media
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


def wants_key(error: LoomError) -> bool:
    """Tell whether another key may help: not where a server takes the key, and forbids what is asked."""
    return error.code == "authenticationFailed" and error.details.get("status") != 403


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
        return self.model_ref.partition(":")[2]


class Stop(Protocol):
    """Asked by a provider between reads."""

    @property
    def requested(self) -> bool:
        """True once the user wants the stream to end."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; None where it did not say.

    The input is all of it, whether read from a cache or not; the output includes reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_written_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_json(self) -> dict[str, int]:
        """Return the known counts under the names that are saved and printed."""
        counted = {
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "cachedTokens": self.cached_tokens,
            "cacheWrittenTokens": self.cache_written_tokens,
            "reasoningTokens": self.reasoning_tokens,
        }
        return {name: tokens for name, tokens in counted.items() if tokens is not None}


@dataclass(frozen=True, slots=True)
class RequestSent:
    """Event for a request that goes out now: from here on silence is the provider's."""


@dataclass(frozen=True, slots=True)
class Started:
    """The provider accepted the request and begins to answer."""

    request_id: str | None = None
    model: str | None = None  # as returned


@dataclass(frozen=True, slots=True)
class PromptRead:
    """Tokens of the prompt that are read by now, and of all of it; the model has not begun to write."""

    read_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text of one choice."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More reasoning of one choice; shown apart, never sent again."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """One choice is complete. `reason` is the provider's word: stop, length, …"""

    index: int
    reason: str
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A choice that had finished is not complete after all: its response was not whole. Its error follows."""

    index: int


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Tokens of the whole exchange so far, or of one choice where it was an exchange of its own."""

    usage: Usage
    index: int | None = None


@dataclass(frozen=True, slots=True)
class ChoiceFailed:
    """One of several exchanges failed; the others go on."""

    index: int
    error: LoomError


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The request was sent again without something that this model refuses: `this model ignores top_k`."""

    note: str


StreamEvent = (
    RequestSent
    | Started
    | PromptRead
    | TextDelta
    | ReasoningDelta
    | Finished
    | Withdrawn
    | UsageReported
    | Adjusted
    | ChoiceFailed
)


class Provider(Protocol):
    """One protocol of language models."""

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """Blocks between events; one attempt. Runs on a worker thread.

        It tells that the answer began, the text of each of `request.n` choices as it comes, and the end of
        each; and ends itself once a stop is requested.

        Raises: ProviderError for whatever goes wrong, after the events that came before it.
        """


def joined(events: Iterable[StreamEvent]) -> Iterator[StreamEvent]:
    """Join the text of each choice into one piece as long as nothing but text comes: a draft is copied as
    often as it grows.
    """
    pieces: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, TextDelta):
            pieces.setdefault(event.index, []).append(event.text)
            continue
        yield from _poured(pieces)
        yield event
    yield from _poured(pieces)


def _poured(pieces: dict[int, list[str]]) -> Iterator[TextDelta]:
    while pieces:
        index = next(iter(pieces))
        yield TextDelta(index, "".join(pieces.pop(index)))
