"""OpenAI Chat Completions: a conversation goes in, n answers come out."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2

from loomapp.core.generation.events import StreamEvent
from loomapp.core.generation.request import Request, Stop
from loomapp.providers.protocols.attempt import attempt
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.openai_body import chat_arguments
from loomapp.providers.protocols.openai_sdk import beside, sdk
from loomapp.providers.protocols.openai_stream import OpenAIReading
from loomapp.providers.protocols.warm_up import Chunks

SAMPLE = (
    b'data: {"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[{"index":0,'
    b'"delta":{"content":""},"finish_reason":null}]}\n\ndata: [DONE]\n\n'
)


class OpenAIChat:
    """A provider for every endpoint that has `/chat/completions`."""

    def __init__(self, endpoint: Endpoint, rules: ModelRules) -> None:
        self._endpoint = endpoint
        self._rules = rules

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        arguments = chat_arguments(request, self._rules)

        def ask(client: httpx2.Client) -> Chunks:
            chunks: Chunks = sdk(self._endpoint, client).chat.completions.create(
                **beside(arguments, "messages")
            )
            return chunks

        return attempt(
            self._endpoint,
            request,
            stop,
            ask,
            OpenAIReading(self._endpoint, self._rules, SAMPLE),
            self._rules,
        )
