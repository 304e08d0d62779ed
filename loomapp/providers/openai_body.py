"""What a request is in OpenAI's dialect: plain values, without the SDK."""

from __future__ import annotations

from typing import Any

from loomapp.core.generation import Request
from loomapp.providers.model_rules import ModelRules


def chat_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    """The arguments of a chat completion."""
    return {"messages": messages(request), **_arguments(request, rules)}


def completion_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    """The arguments of a text completion."""
    return {"prompt": prompt(request), **_arguments(request, rules)}


def messages(request: Request) -> list[dict[str, str]]:
    """The request's messages as they are sent: the system text first, an image as its placeholder."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    return system + [{"role": message.role, "content": message.text} for message in request.messages]


def prompt(request: Request) -> str:
    """The document as it stands, not one character more; a system text only where the tree opted in."""
    document = request.document or ""
    return f"{request.system}\n\n{document}" if request.system else document


def _arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    """What both have; what is not set is not sent. Always a stream: one that is dropped stops the model."""
    chosen: dict[str, Any] = {
        "model": request.model_ref.partition(":")[2],
        "n": request.n,
        "temperature": request.temperature,
        "stop": list(request.stop_sequences) or None,
        rules.max_tokens_name: request.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
        "extra_body": dict(request.custom_parameters) or None,
    }
    return {name: value for name, value in chosen.items() if value is not None}
