"""Bodies of requests in each protocol, without the SDK, and the room that is left for their answers."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import groupby
from typing import Any, TypeAlias

from loomapp.core.context.messages import ImagePart, Message, TextPart
from loomapp.core.generation.provider import ImageEncoder, Request
from loomapp.core.text.token_counts import careful_estimate, estimate
from loomapp.providers.protocols.model_rules import ModelRules

Block: TypeAlias = dict[str, Any]
KEPT_AS = "loomapp-media:"
"""Beginning of the words that a kept request has in place of an image's base64; the SHA-256 of its bytes
follows, by which the media folder has them. They are never kept in the grove a second time."""

_BASE64 = re.compile(rb'(?<=[",])[A-Za-z0-9+/]{4,}={0,2}(?=")')

ANTHROPIC_ANSWER_TOKENS = 4096  # Anthropic's protocol insists on a number
SAMPLING_VERSION = (
    "2023-06-01"  # of Anthropic's; the newer one refuses temperature, top_p and top_k for every model
)
SAMPLING = frozenset({"temperature", "top_p", "top_k"})
TELLS_READING = {"return_progress": True}  # llama.cpp's name for it
CACHED: dict[str, object] = {"type": "ephemeral"}


def chat_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    return {"messages": messages(request), **_arguments(request, rules)}


def completion_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    suffix = {"suffix": request.suffix} if request.suffix else {}
    rules = replace(rules, max_tokens_name="max_tokens")  # whatever a chat with the model calls it
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
    if has_images(message):
        said = _blocks(
            message,
            lambda text: {"type": "input_text", "text": text},
            lambda part: {"type": "input_image", "image_url": _data_url(part, encode)},
        )
        return {"role": message.role, "content": said}
    if message.role != "assistant":
        return {"role": message.role, "content": message.text}
    said = [{"type": "output_text", "text": message.text}]
    return {"type": "message", "role": message.role, "content": said}


def messages(request: Request) -> list[dict[str, Any]]:
    """The request's messages as they are sent: the system text first."""

    def image(part: ImagePart) -> Block:
        return {"type": "image_url", "image_url": {"url": _data_url(part, request.encode_image)}}

    system = [{"role": "system", "content": request.system}] if request.system else []
    return system + [_message(message, image) for message in request.messages]


def _message(message: Message, image: Callable[[ImagePart], Block]) -> dict[str, Any]:
    content = _blocks(message, _text, image) if has_images(message) else message.text
    return {"role": message.role, "content": content}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


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
        "extra_body": {**TELLS_READING, **request.custom_parameters}
        if rules.tells_reading
        else dict(request.custom_parameters) or None,
    }
    return _sent(chosen, rules)


def _sent(chosen: dict[str, Any], rules: ModelRules) -> dict[str, Any]:
    """Return what is set, without what the model is known to refuse."""
    beside = chosen["extra_body"]
    if beside:
        kept = {name: value for name, value in beside.items() if name not in rules.refused}
        chosen = {**chosen, "extra_body": kept or None}
    return {name: value for name, value in chosen.items() if value is not None and name not in rules.refused}


def message_arguments(request: Request, rules: ModelRules) -> dict[str, Any]:
    """The arguments of a message. Sampling goes beside the SDK, which has no word for it any more.

    Where the model caches, breakpoints stand at the system text and at the end: there the siblings branch.
    """
    wished = request.max_tokens or ANTHROPIC_ANSWER_TOKENS
    chosen: dict[str, Any] = {
        "model": request.model_name,
        "max_tokens": min(wished, rules.max_output or wished),
        "messages": _messages(request, rules),
        "system": _system(request.system, rules) if request.system else None,
        "stop_sequences": list(request.stop_sequences) or None,
        "stream": True,
        "extra_body": _beside(request, rules) or None,
    }
    return {name: value for name, value in chosen.items() if value is not None and name not in rules.refused}


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
    def image(part: ImagePart) -> Block:
        source = {"type": "base64", "media_type": part.mime_type, "data": request.encode_image(part)}
        return {"type": "image", "source": source}

    messages = [_message(message, image) for message in request.messages]
    if rules.caches and messages:
        last = messages[-1]
        messages[-1] = {**last, "content": _marked(last["content"])}
    return messages


def _marked(content: str | list[Block]) -> list[Block]:
    """The content with a breakpoint of the cache at its end."""
    blocks = [_text(content)] if isinstance(content, str) else content
    return [*blocks[:-1], {**blocks[-1], "cache_control": CACHED}]


def has_images(message: Message) -> bool:
    return any(isinstance(part, ImagePart) for part in message.parts)


def images_of(request: Request) -> frozenset[str]:
    parts = (part for message in request.messages for part in message.parts)
    return frozenset(part.ref for part in parts if isinstance(part, ImagePart))


def _blocks(
    message: Message, text: Callable[[str], Block], image: Callable[[ImagePart], Block]
) -> list[Block]:
    """The parts of a message as a protocol has them: neighbouring texts as one, joined by a blank line."""
    found: list[Block] = []
    for is_text, parts in groupby(message.parts, key=lambda part: isinstance(part, TextPart)):
        if is_text:
            found.append(text("\n\n".join(part.text for part in parts if isinstance(part, TextPart))))
        else:
            found += (image(part) for part in parts if isinstance(part, ImagePart))
    return found


def _data_url(part: ImagePart, encode: ImageEncoder) -> str:
    return f"data:{part.mime_type};base64,{encode(part)}"


def shortened(part: ImagePart) -> str:
    """Return what stands for the base64 of an image where a request is shown before it is sent."""
    return KEPT_AS + part.ref


def without_images(body: bytes, refs: Collection[str]) -> bytes:
    """A request as it is kept: each of these images named in place of its base64, all else as it was sent."""
    if not refs:
        return body
    return _BASE64.sub(lambda found: _named(found[0], refs), body)


def _named(encoded: bytes, refs: Collection[str]) -> bytes:
    try:
        ref = hashlib.sha256(base64.b64decode(encoded, validate=True)).hexdigest()
    except binascii.Error:
        return encoded
    return (KEPT_AS + ref).encode() if ref in refs else encoded


USUAL_ANSWER_TOKENS = 1024
SHORTEST_ANSWER_TOKENS = 64
TOO_LOW_BY = 20  # the part that the careful look may leave out
MESSAGE_TOKENS = 8  # that a template puts around each, at most
TEMPLATE_TOKENS = 32  # and around the whole, with a system text of its own


def answer_tokens(request: Request, rules: ModelRules) -> int:
    """Return how many tokens each of the answers to a request may have: those that were wished, or its share
    of what a careful look at the texts leaves of the model's window.

    Counted by the model there may be a little more room. It is left: what is shown before an exact count is
    at hand is then what is sent. One answer alone is as long as was wished, for that was kept free.
    """
    wished = request.max_tokens or USUAL_ANSWER_TOKENS
    texts = _texts(request)
    if request.n == 1 or sum(map(estimate, texts)) > rules.context_window:  # too long: no use in looking
        return wished
    said = sum(map(careful_estimate, texts))
    context = said + said // TOO_LOW_BY + MESSAGE_TOKENS * len(texts) + TEMPLATE_TOKENS
    return min(wished, max((rules.context_window - context) // request.n, SHORTEST_ANSWER_TOKENS))


def _texts(request: Request) -> list[str]:
    if request.document is not None:
        return [prompt(request)]
    return [request.system or "", *(message.text for message in request.messages)]
