"""The registry of protocols: how an endpoint is spoken to. Imports no SDK before one is needed."""

from __future__ import annotations

import threading
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.provider import Provider, Request
from loomapp.providers.protocols import bodies
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.model_rules import NO_STOPS, ModelRules

LOADING = threading.RLock()
"""Held while an SDK is loaded. Both bring modules that import each other in a circle: of two threads that
load them at once, one may find half a module."""

Adapter: TypeAlias = Callable[[Endpoint, ModelRules], Provider]
Body: TypeAlias = Callable[[Request, ModelRules], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way to speak to an endpoint. `path` is what the SDK adds to a base URL; `body` makes the arguments of
    the SDK's call, which the preview shows before they are sent; `usual` holds for a model nobody knows.
    """

    name: str
    text: str  # for people
    path: str
    adapter: Adapter
    body: Body
    usual: ModelRules


def spoken(protocol: Protocol, request: Request) -> Protocol:
    """Return how a request is asked: a text that is to be continued as it stands goes by text Completions
    also where conversations go by chat.
    """
    is_document = protocol.name == "chat" and request.document is not None
    return PROTOCOLS["completions"] if is_document else protocol


def base_of(url: str, protocol: Protocol) -> str:
    """A base URL as the SDK wants it, from what people write: with or without /v1, or the whole address."""
    parts = urllib.parse.urlsplit(url.strip())
    path = parts.path.rstrip("/").removesuffix(protocol.path)
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path or "/v1", "", ""))


def _messages(endpoint: Endpoint, rules: ModelRules) -> Provider:
    with LOADING:
        from loomapp.providers.protocols.anthropic_messages import AnthropicMessages

    return AnthropicMessages(endpoint, rules)


def _chat(endpoint: Endpoint, rules: ModelRules) -> Provider:
    with LOADING:
        from loomapp.providers.protocols.openai_protocols import OpenAIChat

    return OpenAIChat(endpoint, rules)


def _responses(endpoint: Endpoint, rules: ModelRules) -> Provider:
    with LOADING:
        from loomapp.providers.protocols.openai_protocols import OpenAIResponses

    return OpenAIResponses(endpoint, rules)


def _completions(endpoint: Endpoint, rules: ModelRules) -> Provider:
    with LOADING:
        from loomapp.providers.protocols.openai_protocols import OpenAICompletions

    return OpenAICompletions(endpoint, rules)


PROTOCOLS: Mapping[str, Protocol] = {
    "messages": Protocol(
        "messages",
        "Anthropic Messages",
        "/messages",
        _messages,
        bodies.message_arguments,
        ModelRules(provider_rules="anthropic"),
    ),
    "chat": Protocol(
        "chat",
        "OpenAI Chat Completions",
        "/chat/completions",
        _chat,
        bodies.chat_arguments,
        ModelRules(max_choices=8),
    ),
    "responses": Protocol(
        "responses",
        "OpenAI Responses",
        "/responses",
        _responses,
        bodies.response_arguments,
        ModelRules(refused=NO_STOPS),
    ),
    "completions": Protocol(
        "completions",
        "OpenAI text Completions",
        "/completions",
        _completions,
        bodies.completion_arguments,
        ModelRules(max_choices=8, continues_documents=True, takes_messages=False),
    ),
}
