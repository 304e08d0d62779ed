"""OpenAI's protocols: Responses, Chat Completions, and text Completions for base models and Buffer mode."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx2
import openai

from loomapp.core.generation.provider import (
    Finished,
    PromptRead,
    ReasoningDelta,
    Request,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
)
from loomapp.core.response_text.chunks import (
    RESPONSE_ENDS,
    Tokens,
    openai_choice,
    openai_tokens,
    responses_event,
    responses_reason,
    responses_tokens,
)
from loomapp.providers.protocols.attempt import Chunks, attempt
from loomapp.providers.protocols.bodies import chat_arguments, completion_arguments, response_arguments
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.errors import reported
from loomapp.providers.protocols.exchange import Recording
from loomapp.providers.protocols.model_rules import ModelRules

# The SDK obeys OPENAI_LOG=debug in the environment, and then prints prompts and keys.
for name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(name).setLevel(logging.WARNING)

CHAT_SAMPLE = (
    b'data: {"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[{"index":0,'
    b'"delta":{"content":""},"finish_reason":null}]}\n\ndata: [DONE]\n\n'
)
TEXT_SAMPLE = (
    b'data: {"id":"","object":"text_completion","created":0,"model":"","choices":[{"index":0,"text":"",'
    b'"logprobs":null,"finish_reason":null}]}\n\ndata: [DONE]\n\n'
)


class OpenAIChat:
    """A provider for every endpoint that has `/chat/completions`."""

    def __init__(self, endpoint: Endpoint, rules: ModelRules) -> None:
        self._endpoint = endpoint
        self._rules = rules

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        arguments = beside(chat_arguments(request, self._rules), "messages")

        def ask(client: httpx2.Client) -> Chunks:
            chunks: Chunks = sdk(self._endpoint, client).chat.completions.create(**arguments)
            return chunks

        reading = OpenAIReading(self._endpoint, self._rules, CHAT_SAMPLE)
        return attempt(self._endpoint, request, stop, ask, reading, self._rules)


class OpenAICompletions:
    """A provider for every endpoint that has `/completions`."""

    def __init__(
        self, endpoint: Endpoint, rules: ModelRules, parts: Sequence[str | int] | None = None
    ) -> None:
        """`parts` are sent in place of a request's own prompt: texts, and tokens by their numbers."""
        self._endpoint = endpoint
        self._rules = rules
        self._parts = parts

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        arguments = completion_arguments(request, self._rules)
        if self._parts is not None:
            arguments["prompt"] = list(self._parts)

        def ask(client: httpx2.Client) -> Chunks:
            chunks: Chunks = sdk(self._endpoint, client).completions.create(**arguments)
            return chunks

        reading = OpenAIReading(self._endpoint, self._rules, TEXT_SAMPLE)
        return attempt(self._endpoint, request, stop, ask, reading, self._rules)


class OpenAIReading:
    """The chunks read so far: what has started, what has finished, what it cost."""

    ended = False  # the SDK ends by itself at [DONE]

    def __init__(self, endpoint: Endpoint, rules: ModelRules, sample: bytes) -> None:
        self.sample = sample
        self.reasons: dict[int, str] = {}
        self._endpoint = endpoint
        self._rules = rules
        self._started = False
        self._refused: set[int] = set()
        self._tokens = Tokens()

    def is_whole(self, recording: Recording, /) -> bool:
        """`[DONE]` was on the wire; the SDK stops there and says nothing."""
        return recording.terminated

    def events(self, chunk: Any) -> Iterator[StreamEvent]:
        """The events of one chunk, in order. Raises: ProviderError for a failure told in the stream."""
        if chunk.object == "error":  # vLLM's way to say it
            raise reported(dict(chunk), self._endpoint)
        if not self._started:
            self._started = True
            yield Started(request_id=chunk.id, model=chunk.model)
        if self._rules.tells_reading and (progress := (chunk.model_extra or {}).get("prompt_progress")):
            yield PromptRead(int(progress["processed"]), int(progress["total"]))
        for choice in chunk.choices or ():
            yield from self._choice_events(choice)
        if chunk.usage is not None:
            yield UsageReported(self._counted(chunk.usage))

    def _choice_events(self, choice: Any) -> Iterator[StreamEvent]:
        index, said = choice.index or 0, openai_choice(choice)
        if said.reasoning:
            yield ReasoningDelta(index, said.reasoning)
        if said.text:
            yield TextDelta(index, said.text)
        if said.is_refusal:
            self._refused.add(index)
        if said.reason is not None:
            # a model that declines says so in a field of its own, and then stops like any other
            self.reasons[index] = "refusal" if index in self._refused else str(said.reason)
            yield Finished(index, self.reasons[index])

    def _counted(self, usage: Any) -> Usage:
        """Tokens so far. Some report each choice by itself: outputs add up, the input is shared."""
        before = self._tokens if self._rules.counts_each_choice else self._tokens._replace(output=None)
        self._tokens = openai_tokens(usage, before)
        return Usage(*self._tokens)


def sdk(endpoint: Endpoint, http_client: httpx2.Client) -> openai.OpenAI:
    """A client for one attempt.

    Its own retries can't be stopped and repeat what is hopeless. Without a key it would look for one in the
    environment; the wire sends the endpoint's in any case.
    """
    return openai.OpenAI(
        api_key=endpoint.api_key or "none",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=http_client.timeout,
        http_client=http_client,
    )


def beside(arguments: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Arguments with the one that may be megabytes where the SDK sends it as it is. The body is the same.

    It looks at every word of any other by the types it may have: a third of a second for a long context, in
    which the window waits for the interpreter again and again.
    """
    extra = {name: arguments[name], **arguments.get("extra_body", {})}
    return {**arguments, name: [], "extra_body": extra}


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
