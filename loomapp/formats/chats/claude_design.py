"""Design chats of a Claude.ai export, a file each, as conversations of the same export.

A message has its words, blocks and attachments under `content`; what a person said while the model was at
work stands among the blocks, and is a message of its own here.
"""

from __future__ import annotations

from collections.abc import Iterator

from loomapp.core.json_values import Json
from loomapp.formats.foreign_values import id_of, list_of, object_of, objects_in, text_of

_OF_CONTENT = frozenset(
    {"id", "role", "kind", "content", "contentBlocks", "attachments", "timestamp", "authorAccountUuid"}
)


def is_design_chat(item: Json) -> bool:
    """Tell whether an object is a design chat; deeper parts of it may be missing."""
    said = list(objects_in(item.get("messages")))
    return "uuid" in item and bool(said) and all(isinstance(one.get("content"), dict) for one in said)


def as_conversation(item: Json) -> Json:
    """The design chat as the other conversations of an export are."""
    left = {name: value for name, value in item.items() if name not in ("title", "messages")}
    said = [
        part
        for number, message in enumerate(objects_in(item.get("messages")), 1)
        for part in _messages(message, id_of(message.get("uuid")) or f"message-{number}")
    ]
    return {**left, "name": item.get("title"), "chat_messages": said}


def _messages(message: Json, message_id: str) -> Iterator[Json]:
    """The message, in parts where somebody spoke in the middle of it."""
    content = object_of(message.get("content"))
    at = message.get("created_at") or content.get("timestamp")
    role = text_of(message.get("role")) or text_of(content.get("role"))
    left = {name: value for name, value in content.items() if name not in _OF_CONTENT}
    attached = [
        {**one, "file_name": one.get("name"), "extracted_content": one.get("content")}
        for one in objects_in(content.get("attachments"))
    ]
    sender = "assistant" if role == "assistant" else "human"
    about = {**left, "uuid": message_id, "sender": sender, "created_at": at, "attachments": attached}
    parts: list[Json] = []
    for block in objects_in(content.get("contentBlocks")):
        spoken = block.get("message") if block.get("type") == "user_interjection" else None
        if spoken is None:
            parts += _parts(block)
            continue
        inner = object_of(spoken) or {"content": spoken}
        own_id = id_of(inner.get("id")) or f"{message_id}-said"
        if parts:
            yield {**about, "content": parts}
            about, parts = {"uuid": f"{own_id}-after", "sender": sender, "created_at": at}, []
        yield from _messages({"role": "user", "content": inner, "created_at": inner.get("timestamp")}, own_id)
    kind = text_of(content.get("kind"))
    if kind and kind != "chat" and not list_of(content.get("contentBlocks")) and not content.get("content"):
        parts = [{"type": kind, **left}]
    if parts or about["uuid"] == message_id:
        yield {**about, "content": parts or [{"type": "text", "text": content.get("content")}]}


def _parts(block: Json) -> Iterator[Json]:
    """The parts of a block, by the names that they have elsewhere."""
    match block.get("type"):
        case "thinking":
            yield {"type": "thinking", "thinking": block.get("text")}
        case "tool_call":
            call = object_of(block.get("toolCall"))
            left = {name: value for name, value in call.items() if name not in ("type", "output")}
            yield {**left, "type": "tool_use"}
            if call.get("output") not in (None, ""):
                name, output = call.get("name"), call.get("output")
                yield {"type": "tool_result", "tool_use_id": call.get("id"), "name": name, "content": output}
        case "error":
            yield {"type": "text", "text": text_of(block.get("message"), "error"), "is_error": True}
        case _:
            yield block
