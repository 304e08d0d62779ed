"""A streamed answer in OpenAI's dialect: from the SDK's chunks to events, errors mapped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import openai

from loomapp.core.generation import (
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
from loomapp.providers import wire
from loomapp.providers.endpoint import Endpoint
from loomapp.providers.errors import failure, provider_error, stopped, unfinished
from loomapp.providers.exchange import Call, Recording, call_of
from loomapp.providers.model_rules import ModelRules

# The SDK obeys OPENAI_LOG=debug in the environment, and then prints prompts and keys.
for name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(name).setLevel(logging.WARNING)

Chunks = Iterable[Any]  # the SDK's chunk types; their fields are not checked when they arrive


def stream(
    endpoint: Endpoint,
    rules: ModelRules,
    request: Request,
    stop: Stop,
    ask: Callable[[openai.OpenAI], Chunks],
) -> Iterator[StreamEvent]:
    """One attempt: `ask` makes the SDK's call; the rest is the same for every such protocol.

    Raises: ProviderError, also when the answer ends without `[DONE]` or with a choice that never finished.
    """
    call = call_of(stop)
    reading = _Reading(rules)
    with ExitStack() as closing:
        try:
            http_client = closing.enter_context(wire.client(endpoint, call))
            for chunk in ask(_sdk(endpoint, http_client)):
                for event in reading.events(chunk):
                    yield event
                    if call.requested:
                        raise stopped(endpoint)
        except Exception as error:
            if call.requested:
                raise stopped(endpoint) from error
            raise provider_error(error, endpoint, _last(call)) from error
        _check_whole(endpoint, request, reading, _last(call))


def _sdk(endpoint: Endpoint, http_client: Any) -> openai.OpenAI:
    # Its own retries can't be stopped and repeat what is hopeless. Without a key it would look for one in
    # the environment; the wire sends the endpoint's in any case.
    return openai.OpenAI(
        api_key=endpoint.api_key or "none",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=http_client.timeout,
        http_client=http_client,
    )


def _last(call: Call) -> Recording | None:
    recordings = call.recordings()
    return recordings[-1] if recordings else None


def _check_whole(
    endpoint: Endpoint, request: Request, reading: _Reading, recording: Recording | None
) -> None:
    """SDKs raise nothing for an answer that was cut off, so completeness is looked at here."""
    if recording is None or not recording.terminated:
        raise unfinished(endpoint, recording)
    if len(reading.reasons) < request.n:
        what = f"{endpoint.name} ended its answer without finishing it. What came is kept; retry."
        raise failure("serverError", endpoint, what)
    if "content_filter" in reading.reasons.values():
        raise failure("contentFiltered", endpoint)


class _Reading:
    """The chunks read so far: what has started, what has finished, what it cost."""

    def __init__(self, rules: ModelRules) -> None:
        self.reasons: dict[int, str] = {}
        self._rules = rules
        self._started = False
        self._input_tokens = 0
        self._output_tokens = 0

    def events(self, chunk: Any) -> Iterator[StreamEvent]:
        """The events of one chunk, in order."""
        if not self._started:
            self._started = True
            yield Started(request_id=chunk.id, model=chunk.model)
        for choice in chunk.choices or ():
            yield from self._choice_events(choice)
        if chunk.usage is not None:
            yield UsageReported(self._counted(chunk.usage))

    def _choice_events(self, choice: Any) -> Iterator[StreamEvent]:
        # a chat's choice carries a delta, a completion's its text
        delta = getattr(choice, "delta", choice)
        text = getattr(delta, "content", None) or getattr(delta, "text", None)
        reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
        if reasoning:
            yield ReasoningDelta(choice.index, str(reasoning))
        if text:
            yield TextDelta(choice.index, str(text))
        if choice.finish_reason:
            self.reasons[choice.index] = choice.finish_reason
            yield Finished(choice.index, choice.finish_reason)

    def _counted(self, usage: Any) -> Usage:
        """Tokens so far. Some report each choice by itself: outputs add up, the input is shared."""
        self._input_tokens = max(self._input_tokens, usage.prompt_tokens or 0)
        output_tokens = usage.completion_tokens or 0
        before = self._output_tokens if self._rules.counts_each_choice else 0
        self._output_tokens = before + output_tokens
        return Usage(self._input_tokens, self._output_tokens)
