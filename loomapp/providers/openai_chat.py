"""OpenAI Chat Completions: a conversation goes in, n answers come out."""

from __future__ import annotations

from collections.abc import Iterator

import openai

from loomapp.core.generation import Request, Stop, StreamEvent
from loomapp.providers import openai_stream
from loomapp.providers.endpoint import Endpoint
from loomapp.providers.model_rules import ModelRules
from loomapp.providers.openai_body import chat_arguments


class OpenAIChat:
    """A provider for every endpoint that has `/chat/completions`."""

    def __init__(self, endpoint: Endpoint, rules: ModelRules) -> None:
        self._endpoint = endpoint
        self._rules = rules

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """One attempt; see `core.generation.Provider`."""
        arguments = chat_arguments(request, self._rules)

        def ask(client: openai.OpenAI) -> openai_stream.Chunks:
            chunks: openai_stream.Chunks = client.chat.completions.create(**arguments)
            return chunks

        return openai_stream.stream(self._endpoint, self._rules, request, stop, ask)
