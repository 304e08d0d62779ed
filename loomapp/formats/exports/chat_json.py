"""Chat JSON: the messages of a path as the APIs of OpenAI and Anthropic take them, exactly as assembled."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import groupby

from loomapp.core.context.assembly import Assembled, assemble
from loomapp.core.context.messages import ImagePart, Message, TextPart
from loomapp.core.context.report import counts_of
from loomapp.core.context.request import ContextRequest
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import MOST_SENT_BYTES, SENT_TYPES
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.exports.export import WINDOW, Export


def as_openai(export: Export) -> str:
    """`{"messages": […]}` for Chat Completions, the system text first. Raises: InvalidInput for a buffer."""
    system, messages = _assembled(export, "openai")
    first: list[Json] = [{"role": "system", "content": system}] if system else []
    return _printed({"messages": [*first, *(_message(one, export, _openai_image) for one in messages)]})


def as_anthropic(export: Export) -> str:
    """`{"system", "messages"}` for Messages. Raises: InvalidInput for a buffer."""
    system, messages = _assembled(export, "anthropic")
    said: Json = {"messages": [_message(one, export, _anthropic_image) for one in messages]}
    return _printed({"system": system, **said} if system else said)


def told_of_cut(export: Export) -> Sentence | str:
    """Say how much of a path has no room in what is sent; empty where all of it has."""
    count = counts_of(_made(export, "none").report.dropped)["truncated"]
    if not count:
        return ""
    more = "It holds {window} tokens, as what is sent: {count} nodes of this path are left out."
    one = "It holds {window} tokens, as what is sent: 1 node of this path is left out."
    return worded(one if count == 1 else more, window=f"{WINDOW:,}", count=f"{count:,}")


def _assembled(export: Export, rules: str) -> tuple[str | None, tuple[Message, ...]]:
    made = _made(export, rules)
    return made.system, made.messages if export.most is None else made.first_messages(export.most)


def _made(export: Export, rules: str) -> Assembled:
    tree = export.tree
    if export.is_buffer:
        raise InvalidInput("a buffer is one text and has no messages; export it as text")
    leaf = export.nodes[-1].id if export.nodes else tree.root_id
    return assemble(
        tree,
        ContextRequest(
            at=leaf,
            window=WINDOW,
            defaults=export.defaults,
            included_annotations=tree.included_annotations.node_ids,
            selections=tree.path.selections,
            provider_rules=rules,
        ),
    )


def _message(message: Message, export: Export, image: Callable[[str, str], Json]) -> Json:
    if not any(isinstance(part, ImagePart) for part in message.parts):
        return {"role": message.role, "content": message.text}
    blocks: list[Json] = []
    for is_text, parts in groupby(message.parts, key=lambda part: isinstance(part, TextPart)):
        if is_text:
            texts = (part.text for part in parts if isinstance(part, TextPart))
            blocks.append({"type": "text", "text": "\n\n".join(texts)})
            continue
        for part in parts:
            data = export.media.get(part.ref) if isinstance(part, ImagePart) else None
            if isinstance(part, ImagePart) and data is not None and _is_taken(part, data):
                blocks.append(image(part.mime_type, base64.b64encode(data).decode()))
            elif isinstance(part, ImagePart):
                blocks.append({"type": "text", "text": part.placeholder})
    return {"role": message.role, "content": blocks}


def _is_taken(image: ImagePart, data: bytes) -> bool:
    return image.mime_type in SENT_TYPES and len(data) <= MOST_SENT_BYTES


def _openai_image(mime_type: str, data: str) -> Json:
    return {"type": "image_url", "image_url": {"url": f"data:{mime_type};base64,{data}"}}


def _anthropic_image(mime_type: str, data: str) -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": mime_type, "data": data}}


def _printed(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
