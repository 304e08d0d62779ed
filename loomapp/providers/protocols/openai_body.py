"""Bodies of requests in OpenAI's dialects: plain values, without the SDK."""

from __future__ import annotations

from typing import Any

from loomapp.core.context.messages import Message
from loomapp.core.generation.request import ImageEncoder, Request
from loomapp.providers.protocols import images
from loomapp.providers.protocols.model_rules import ModelRules


def chat_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    return {"messages": messages(request), **_arguments(request, rules)}


def completion_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    suffix = {"suffix": request.suffix} if request.suffix else {}
    return {"prompt": prompt(request), **suffix, **_arguments(request, rules)}


def response_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    """The arguments of a response. The protocol has neither n nor stop sequences."""
    chosen: dict[str, Any] = {
        "model": request.model_name,
        "input": [_item(message, request.encode_image) for message in request.messages],
        "instructions": request.system,
        "temperature": request.temperature,
        "max_output_tokens": request.max_tokens,
        "store": False,
        "stream": True,
        "prompt_cache_key": request.cache_key if rules.caches else None,
        "extra_body": dict(request.custom_parameters) or None,
    }
    return _sent(chosen, rules)


def _item(message: Message, encode: ImageEncoder) -> dict[str, Any]:
    """A turn of the model goes as the output that it was: llama.cpp refuses it as a plain text."""
    if images.has_images(message):
        said = images.blocks(
            message,
            lambda text: {"type": "input_text", "text": text},
            lambda part: {"type": "input_image", "image_url": images.data_url(part, encode)},
        )
        return {"role": message.role, "content": said}
    if message.role != "assistant":
        return {"role": message.role, "content": message.text}
    said = [{"type": "output_text", "text": message.text}]
    return {"type": "message", "role": message.role, "content": said}


def messages(request: Request) -> list[dict[str, Any]]:
    """The request's messages as they are sent: the system text first."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    return system + [_message(message, request.encode_image) for message in request.messages]


def _message(message: Message, encode: ImageEncoder) -> dict[str, Any]:
    if not images.has_images(message):
        return {"role": message.role, "content": message.text}
    said = images.blocks(
        message,
        lambda text: {"type": "text", "text": text},
        lambda part: {"type": "image_url", "image_url": {"url": images.data_url(part, encode)}},
    )
    return {"role": message.role, "content": said}


def prompt(request: Request) -> str:
    """The document as it stands, not one character more; a system text only where the tree opted in."""
    document = request.document or ""
    return f"{request.system}\n\n{document}" if request.system else document


def _arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    """Return the arguments that both have; what is not set is not sent. Always a stream: one that is dropped
    stops the model.
    """
    chosen: dict[str, Any] = {
        "model": request.model_name,
        "n": request.n if rules.max_choices > 1 else None,
        "temperature": request.temperature,
        "stop": list(request.stop_sequences) or None,
        rules.max_tokens_name: request.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True} if rules.reports_usage else None,
        "prompt_cache_key": request.cache_key if rules.caches else None,
        "extra_body": dict(request.custom_parameters) or None,
    }
    return _sent(chosen, rules)


def _sent(chosen: dict[str, Any], rules: ModelRules) -> dict[str, Any]:
    """Return what is set, without what the model is known to refuse."""
    beside = chosen["extra_body"]
    if beside:
        kept = {name: value for name, value in beside.items() if name not in rules.refused}
        chosen = {**chosen, "extra_body": kept or None}
    return {name: value for name, value in chosen.items() if value is not None and name not in rules.refused}
