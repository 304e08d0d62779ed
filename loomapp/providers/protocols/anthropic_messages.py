"""Anthropic Messages: a conversation goes in, one answer comes out."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2

from loomapp.core.generation.provider import (
    Finished,
    ReasoningDelta,
    Request,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
)
from loomapp.core.response_text.chunks import Tokens, anthropic_block, anthropic_tokens
from loomapp.providers.protocols.attempt import Chunks, attempt
from loomapp.providers.protocols.bodies import (
    SAMPLING_VERSION,
    message_arguments,
    needs_sampling_version,
)
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.exchange import Recording
from loomapp.providers.protocols.model_rules import ModelRules

# The SDK obeys ANTHROPIC_LOG=debug in the environment, and then prints prompts and keys.
for name in ("anthropic", "httpx2", "httpcore2"):
    logging.getLogger(name).setLevel(logging.WARNING)


SAMPLE = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"","type":"message",'
    b'"role":"assistant","model":"","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}\n\n'
    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
    b'"delta":{"type":"text_delta","text":""}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
)


class AnthropicMessages:
    """A provider for every endpoint that has `/v1/messages`. One choice a request: siblings are requests."""

    def __init__(self, endpoint: Endpoint, rules: ModelRules) -> None:
        self._endpoint = endpoint
        self._rules = rules

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        arguments = message_arguments(request, self._rules)
        version = {"anthropic-version": SAMPLING_VERSION} if needs_sampling_version(arguments) else {}

        def ask(client: httpx2.Client) -> Chunks:
            chunks: Chunks = _sdk(self._endpoint, client).messages.create(**arguments, extra_headers=version)
            return chunks

        return attempt(self._endpoint, request, stop, ask, _Reading(), self._rules)


def _sdk(endpoint: Endpoint, http_client: httpx2.Client) -> anthropic.Anthropic:
    # Its own retries can't be stopped, and obey a Retry-After of an hour. Without a key it would look for one
    # in the environment; the wire sends the endpoint's in any case.
    return anthropic.Anthropic(
        api_key=endpoint.api_key or "none",
        base_url=endpoint.base_url.removesuffix("/").removesuffix("/v1"),  # the SDK adds /v1 itself
        max_retries=0,
        timeout=http_client.timeout,
        http_client=http_client,
    )


class _Reading:
    """The events read so far."""

    sample = SAMPLE

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}
        self.ended = False
        self._reason = ""
        self._tokens = Tokens()

    def is_whole(self, _recording: Recording, /) -> bool:
        """`message_stop` has come."""
        return self.ended

    def events(self, chunk: Any) -> Iterator[StreamEvent]:
        match chunk.type:
            case "message_start":
                yield Started(request_id=chunk.message.id, model=chunk.message.model)
                yield self._counted(chunk.message.usage)
            case "content_block_start":
                yield from _texts(chunk.content_block)
            case "content_block_delta":
                yield from _texts(chunk.delta)
            case "message_delta":
                self._reason = str(chunk.delta.stop_reason or self._reason)
                if chunk.usage is not None:
                    yield self._counted(chunk.usage)
            case "message_stop":
                self.ended = True
                if self._reason:
                    self.reasons[0] = self._reason
                    yield Finished(0, self._reason, Usage(*self._tokens))

    def _counted(self, usage: Any) -> UsageReported:
        self._tokens = anthropic_tokens(usage, self._tokens)
        return UsageReported(Usage(*self._tokens))


def _texts(block: Any) -> Iterator[StreamEvent]:
    """Events of a content block or of a delta of it."""
    said = anthropic_block(block)
    if said.text:
        yield TextDelta(0, said.text)
    if said.reasoning:
        yield ReasoningDelta(0, said.reasoning)
