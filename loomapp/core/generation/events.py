"""Events that a model streams while it answers, and the one protocol of those who stream them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.request import Request, Stop


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
