"""Bodies of requests for Anthropic Messages: plain values, without the SDK."""

from __future__ import annotations

from typing import Any

from loomapp.core.context.messages import ImagePart, Message
from loomapp.core.generation.request import ImageEncoder, Request
from loomapp.providers.protocols import images
from loomapp.providers.protocols.model_rules import ModelRules

USUAL_ANSWER_TOKENS = 4096  # the protocol insists on a number
SAMPLING_VERSION = "2023-06-01"  # the newer one refuses temperature, top_p and top_k for every model
SAMPLING = frozenset({"temperature", "top_p", "top_k"})
CACHED: dict[str, object] = {"type": "ephemeral"}


def message_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    """The arguments of a message. Sampling goes beside the SDK, which has no word for it any more.

    Where the model caches, breakpoints stand at the system text and at the end: there the siblings branch.
    """
    wished = request.max_tokens or USUAL_ANSWER_TOKENS
    chosen: dict[str, Any] = {
        "model": request.model_name,
        "max_tokens": min(wished, rules.max_output or wished),
        "messages": _messages(request, rules),
        "system": _system(request.system, rules) if request.system else None,
        "stop_sequences": list(request.stop_sequences) or None,
        "stream": True,
        "extra_body": _beside(request, rules) or None,
    }
    return {name: value for name, value in chosen.items() if value is not None}


def needs_sampling_version(arguments: dict[str, Any]) -> bool:
    """Tell whether the request holds what only the older version of the protocol takes."""
    return not SAMPLING.isdisjoint(arguments.get("extra_body", ()))


def _beside(request: Request, rules: ModelRules) -> dict[str, object]:
    beside = dict(request.custom_parameters)
    if request.temperature is not None:
        beside.setdefault("temperature", request.temperature)
    return {name: value for name, value in beside.items() if name not in rules.refused}


def _system(text: str, rules: ModelRules) -> object:
    return [{"type": "text", "text": text, "cache_control": CACHED}] if rules.caches else text


def _messages(request: Request, rules: ModelRules) -> list[dict[str, Any]]:
    messages = [_message(message, request.encode_image) for message in request.messages]
    if rules.caches and messages:
        last = messages[-1]
        messages[-1] = {**last, "content": _marked(last["content"])}
    return messages


def _message(message: Message, encode: ImageEncoder) -> dict[str, Any]:
    if not images.has_images(message):
        return {"role": message.role, "content": message.text}

    def image(part: ImagePart) -> images.Block:
        source = {"type": "base64", "media_type": part.mime_type, "data": encode(part)}
        return {"type": "image", "source": source}

    return {"role": message.role, "content": images.blocks(message, _text, image)}


def _text(text: str) -> images.Block:
    return {"type": "text", "text": text}


def _marked(content: str | list[images.Block]) -> list[images.Block]:
    """The content with a breakpoint of the cache at its end."""
    blocks = [_text(content)] if isinstance(content, str) else content
    return [*blocks[:-1], {**blocks[-1], "cache_control": CACHED}]
