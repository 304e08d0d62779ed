"""A streamed answer in OpenAI's older dialect, of chats and of completions: from chunks to events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loomapp.core.generation.events import (
    Finished,
    ReasoningDelta,
    Started,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
)
from loomapp.core.response_text.chunks import openai_choice
from loomapp.core.response_text.tokens import Tokens, openai_tokens
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.errors import reported
from loomapp.providers.protocols.exchange import Recording
from loomapp.providers.protocols.model_rules import ModelRules


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
