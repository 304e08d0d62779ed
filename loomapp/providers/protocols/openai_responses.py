"""OpenAI Responses: a conversation goes in, one answer comes out. Nothing is stored at the other end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2

from loomapp.core.generation.events import (
    Finished,
    ReasoningDelta,
    Started,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
)
from loomapp.core.generation.request import Request, Stop
from loomapp.core.response_text.chunks import (
    RESPONSE_ENDS,
    responses_event,
    responses_reason,
    responses_tokens,
)
from loomapp.providers.protocols.attempt import Chunks, attempt
from loomapp.providers.protocols.bodies import response_arguments
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.errors import reported
from loomapp.providers.protocols.exchange import Recording
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.openai_completions import beside, sdk

SAMPLE = (
    b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"","item_id":"",'
    b'"output_index":0,"content_index":0,"sequence_number":0,"logprobs":[]}\n\n'
    b'event: response.completed\ndata: {"type":"response.completed","sequence_number":1,"response":{"id":"",'
    b'"object":"response","created_at":0,"model":"","status":"completed","output":[]}}\n\n'
)


class OpenAIResponses:
    """A provider for every endpoint that has `/responses`. One choice a request: siblings are requests."""

    def __init__(self, endpoint: Endpoint, rules: ModelRules) -> None:
        self._endpoint = endpoint
        self._rules = rules

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        arguments = response_arguments(request, self._rules)

        def ask(client: httpx2.Client) -> Chunks:
            chunks: Chunks = sdk(self._endpoint, client).responses.create(**beside(arguments, "input"))
            return chunks

        return attempt(self._endpoint, request, stop, ask, _Reading(self._endpoint), self._rules)


class _Reading:
    """The events read so far."""

    sample = SAMPLE

    def __init__(self, endpoint: Endpoint) -> None:
        self.reasons: dict[int, str] = {}
        self.ended = False
        self._endpoint = endpoint
        self._refused = False

    def is_whole(self, _recording: Recording, /) -> bool:
        """`response.completed`, or `response.incomplete` with its reason, has come."""
        return self.ended

    def events(self, chunk: Any) -> Iterator[StreamEvent]:
        """The events of one chunk, in order. Raises: ProviderError for a failure told in the stream."""
        kind = chunk.type
        if kind == "response.created":
            yield Started(request_id=chunk.response.id, model=chunk.response.model)
        elif kind == "error":
            raise reported(_told(chunk), self._endpoint)
        elif kind == "response.failed":
            raise reported(_told(chunk.response.error), self._endpoint)
        elif kind in RESPONSE_ENDS:
            yield from self._end(chunk.response)
        else:
            yield from self._said(chunk)

    def _said(self, chunk: Any) -> Iterator[StreamEvent]:
        said = responses_event(chunk)
        self._refused = self._refused or said.is_refusal
        if said.text or said.is_refusal:
            yield TextDelta(0, said.text)
        if said.reasoning:
            yield ReasoningDelta(0, said.reasoning)

    def _end(self, response: Any) -> Iterator[StreamEvent]:
        self.ended = True
        self.reasons[0] = reason = responses_reason(response, is_refused=self._refused)
        usage = None if response.usage is None else Usage(*responses_tokens(response.usage))
        if usage is not None:
            yield UsageReported(usage)
        yield Finished(0, reason, usage)


def _told(error: Any) -> dict[str, object]:
    return {name: getattr(error, name, None) for name in ("code", "message", "param")}
